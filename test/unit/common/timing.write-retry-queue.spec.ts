import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WriteRetryQueue } from '../../../lib/common/timing.js';

describe('what could not be written to the journal', () => {
  let tries: number;
  let works: boolean;
  let late: WriteRetryQueue;

  beforeEach(() => {
    vi.useFakeTimers();
    tries = 0;
    works = false;
    late = new WriteRetryQueue();
    late.add(() => {
      tries += 1;
      return works ? Promise.resolve() : Promise.reject(new Error('down'));
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is tried eight times in 26 seconds, and then no more', async () => {
    await vi.advanceTimersByTimeAsync(99);
    expect(tries).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(tries).toBe(1);
    await vi.advanceTimersByTimeAsync(26_000);
    expect(tries).toBe(8);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(tries).toBe(8);
  });

  it('is not tried again once it is written', async () => {
    works = true;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(tries).toBe(1);
    await late.flush();
    expect(tries).toBe(1);
  });

  it('is tried at once when the process ends, and not by its timer as well', async () => {
    works = true;
    await late.flush();
    expect(tries).toBe(1);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(tries).toBe(1);
  });

  describe('and is being written when the process ends', () => {
    let succeed: () => void;
    let fail: (error: Error) => void;
    let writing: Promise<void>;

    beforeEach(() => {
      late = new WriteRetryQueue();
      writing = new Promise((resolve, reject) => {
        succeed = resolve;
        fail = reject;
      });
    });

    it('is waited for, however long its try takes', async () => {
      late.add(() => writing);
      await vi.advanceTimersByTimeAsync(100);
      const flushed = vi.fn();
      const end = late.flush().then(flushed);
      await vi.advanceTimersByTimeAsync(600_000);
      expect(flushed).not.toHaveBeenCalled();
      succeed();
      await end;
    });

    describe.each<[how: string, begin: () => void]>([
      [
        'for the first time',
        () => {
          late.begin(() => writing);
        },
      ],
      [
        'by somebody else',
        () => {
          late.hold(writing);
        },
      ],
    ])('%s', (_how, begin) => {
      it('is waited for, also if it fails', async () => {
        begin();
        const flushed = vi.fn();
        const end = late.flush().then(flushed);
        await vi.advanceTimersByTimeAsync(0);
        expect(flushed).not.toHaveBeenCalled();
        fail(new Error('down'));
        await end;
      });

      it('is waited for, and so is the write that begins when it fails', async () => {
        let takeBack: () => void = () => undefined;
        writing.catch(() => {
          late.hold(new Promise<void>((resolve) => (takeBack = resolve)));
        });
        begin();
        const flushed = vi.fn();
        const end = late.flush().then(flushed);
        fail(new Error('down'));
        await vi.advanceTimersByTimeAsync(0);
        expect(flushed).not.toHaveBeenCalled();
        takeBack();
        await end;
      });
    });
  });

  it('is tried again if its first try fails', async () => {
    late = new WriteRetryQueue();
    const write = vi.fn<() => Promise<void>>().mockRejectedValueOnce(new Error('down')).mockResolvedValue();
    late.begin(write);
    expect(write).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(write).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(write).toHaveBeenCalledTimes(2);
  });

  it('keeps its turn when the last try fails', async () => {
    await late.flush();
    works = true;
    await vi.advanceTimersByTimeAsync(200);
    expect(tries).toBe(2);
  });
});
