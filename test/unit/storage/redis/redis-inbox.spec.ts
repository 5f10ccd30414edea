import { syncBuiltinESMExports } from 'node:module';
import { performance } from 'node:perf_hooks';
import timers from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RedisInbox } from '../../../../lib/storage/redis/redis-inbox.js';
import { inboxKey } from '../../../support/inbox-contract.js';

let pauses: number[];

beforeEach(() => {
  pauses = [];
  vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  vi.spyOn(timers, 'setTimeout').mockImplementation((ms) => {
    pauses.push(Math.ceil(ms ?? 0));
    return Promise.resolve(undefined as never);
  });
  syncBuiltinESMExports();
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** An inbox whose running claim has this much of its lease left, look by look; then it is over. */
function inboxHeldFor(...leaseMs: readonly number[]): RedisInbox {
  const looks = [...leaseMs];
  return new RedisInbox(
    { run: () => Promise.resolve(looks.shift() ?? 0) } as never,
    { inbox: () => [] } as never,
    { of: () => Promise.resolve() } as never,
    {} as never,
  );
}

it.each([
  [
    'soon at first, then four times a second',
    Array<number>(7).fill(60_000),
    60_000,
    [20, 40, 80, 160, 250, 250, 250],
  ],
  ['when the lease ends', [60_000, 7], 60_000, [20, 7]],
  ['not if nothing runs', [], 60_000, []],
  ['when the time is up', [60_000], 12, [12]],
])('looks again for the end of a claim %s', async (_, leases, timeoutMs, expected) => {
  await inboxHeldFor(...leases).waitForRelease(inboxKey('order-1'), timeoutMs);
  expect(pauses).toEqual(expected);
});
