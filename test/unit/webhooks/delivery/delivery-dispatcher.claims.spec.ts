import { describe, expect, it, vi } from 'vitest';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { claimOrWait } from '../../../../lib/webhooks/delivery/delivery-dispatcher.js';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';

const times = { leaseMs: 60_000, inFlightWaitMs: 60_000 };

describe('claimOrWait()', () => {
  it('waits for the run of a duplicate and then knows that it is done', async () => {
    const { inbox } = memoryStorage();
    const first = claimed(await claimOrWait(inbox, inboxDelivery('order-1'), times));
    const second = claimOrWait(inbox, inboxDelivery('order-1'), times);
    await inbox.claim(inboxDelivery('order-2'), times.leaseMs);
    await first.finish();
    expect(await second).toEqual({ result: 'done' });
  });

  it('lets one of those who waited run after a failure, and the others wait on', async () => {
    const { inbox } = memoryStorage();
    const first = claimed(await claimOrWait(inbox, inboxDelivery('order-1'), times));
    const waiting = [1, 2, 3].map(() => claimOrWait(inbox, inboxDelivery('order-1'), times));
    await first.fail();
    const second = claimed(await Promise.race(waiting));
    expect(second.attempt).toBe(2);
    await second.finish();
    const results = await Promise.all(waiting);
    expect(results.map(({ result }) => result).sort()).toEqual(['claimed', 'done', 'done']);
  });

  it('does not wait at all if there is no time for it', async () => {
    const { inbox } = memoryStorage();
    const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
    const wait = vi.spyOn(inbox, 'waitForRelease');
    await inbox.claim(inboxDelivery('order-1'), times.leaseMs);
    const result = await claimOrWait(inbox, inboxDelivery('order-1'), { ...times, inFlightWaitMs: 0 });
    now.mockRestore();
    expect(result.result).toBe('busy');
    expect(wait).not.toHaveBeenCalled();
  });

  it('gives up when the time is over', async () => {
    const { inbox } = memoryStorage();
    await claimOrWait(inbox, inboxDelivery('order-1'), times);
    for (const inFlightWaitMs of [0, 5]) {
      const result = await claimOrWait(inbox, inboxDelivery('order-1'), { ...times, inFlightWaitMs });
      expect(result.result).toBe('busy');
    }
  });
});
