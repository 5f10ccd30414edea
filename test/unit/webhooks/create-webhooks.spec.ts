import { expect, it } from 'vitest';
import { type ResolvedPaymentsOptions } from '../../../lib/config/resolved-options.js';
import { memoryStorage } from '../../../lib/storage/memory/memory-storage.js';
import { createWebhooks } from '../../../lib/webhooks/create-webhooks.js';
import { claimed, inboxDelivery } from '../../support/inbox-contract.js';

const DAY_MS = 86_400_000;

it('forgets after thirty days, and not before, in an account without the option `webhooks`', async () => {
  let now = 1_800_000_000_000;
  const storage = memoryStorage({ now: () => now });
  const options = { account: 'default', environment: 'sandbox' } as ResolvedPaymentsOptions;
  const unused = {} as never;
  const { inbox, receiver } = createWebhooks(options, storage, unused, unused, unused, unused);
  await claimed(await storage.inbox.claim(inboxDelivery('order-1'), 60_000)).finish();
  now += 30 * DAY_MS;
  expect(await inbox.purge()).toBe(0);
  now += 1;
  expect(await inbox.purge()).toBe(1);
  expect(receiver).toBeUndefined();
});
