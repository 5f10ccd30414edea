import { describe, expect, it, vi } from 'vitest';
import { retryWrite } from '../../../lib/common/timing.js';
import { instantPauses } from '../../support/instant-pauses.js';

const clock = instantPauses();

describe('writing the record of an effect', () => {
  it('is tried again after growing waits, for about a second', async () => {
    const write = vi.fn(() => Promise.reject(new Error('away')));
    await expect(retryWrite(write)).rejects.toThrow('away');
    expect(clock.pauses).toEqual([50, 100, 200, 400]);
  });

  it('is tried once more at the very end of that second', async () => {
    const write = vi.fn(() => {
      clock.now += 62.5;
      return Promise.reject(new Error('away'));
    });
    await expect(retryWrite(write)).rejects.toThrow('away');
    expect(clock.pauses).toEqual([50, 100, 200, 400]);
    expect(write).toHaveBeenCalledTimes(5);
  });

  it.each([true, false])('gives the answer of the storage: %s', async (answer) => {
    await expect(retryWrite(() => Promise.resolve(answer))).resolves.toBe(answer);
    expect(clock.pauses).toEqual([]);
  });

  it('is tried at least twice, even if the first answer took longer than that second', async () => {
    const write = vi.fn(() => {
      clock.now += 5_000;
      return clock.now > 6_000 ? Promise.resolve(true) : Promise.reject(new Error('away'));
    });
    await expect(retryWrite(write)).resolves.toBe(true);
    expect(write).toHaveBeenCalledTimes(2);
  });

  it('is not tried a third time if the second answer does not come either', async () => {
    const write = vi.fn(() => {
      clock.now += 5_000;
      return Promise.reject(new Error('away'));
    });
    await expect(retryWrite(write)).rejects.toThrow('away');
    expect(write).toHaveBeenCalledTimes(2);
  });
});
