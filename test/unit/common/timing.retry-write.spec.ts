import { afterEach, describe, expect, it, vi } from 'vitest';
import { performance } from 'node:perf_hooks';
import { retryWrite } from '../../../lib/common/timing.js';

describe('writing a record again', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** A storage that says no to its first tries, each after five seconds. */
  function slowlyFailing(tries: number) {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    return vi.fn(() => {
      if (now >= tries * 5_000) return Promise.resolve(true);
      now += 5_000;
      return Promise.reject(new Error('away'));
    });
  }

  it('asks once more even where the first answer took longer than all patience', async () => {
    const write = slowlyFailing(1);
    await expect(retryWrite(write)).resolves.toBe(true);
    expect(write).toHaveBeenCalledTimes(2);
  });

  it('gives up where the second one does not come either', async () => {
    const write = slowlyFailing(9);
    await expect(retryWrite(write)).rejects.toThrow('away');
    expect(write).toHaveBeenCalledTimes(2);
  });
});
