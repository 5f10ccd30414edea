import { describe, expect, it, vi } from 'vitest';
import { pollRelease } from '../../../lib/common/timing.js';
import { instantPauses } from '../../support/instant-pauses.js';

const clock = instantPauses();

describe('the wait for the end of a claim', () => {
  it.each([
    ['looks soon at first, then four times a second', 60_000, 1_200, [20, 40, 80, 160, 250, 250, 250, 150]],
    ['looks again when the lease ends', 7, 60_000, [7]],
    ['ends with its time', 60_000, 12, [12]],
    ['looks once if the claim has ended', 0, 60_000, []],
    ['looks once if it has no time', 60_000, 0, []],
  ])('%s', async (_, leaseMs, timeoutMs, expected) => {
    const leaseEnd = clock.now + leaseMs;
    const look = vi.fn(() => Promise.resolve(leaseEnd - clock.now));
    await pollRelease(look, timeoutMs);
    expect(clock.pauses).toEqual(expected);
    expect(look).toHaveBeenCalledTimes(expected.length + 1);
  });
});
