import { expect, it } from 'vitest';
import { type WebhookReceiver } from '../../../../lib/webhooks/delivery/webhook-receiver.js';
import { WebhookAccounts } from '../../../../lib/webhooks/delivery/webhook-accounts.js';

it('holds the shutdown up until every account that receives has closed', async () => {
  const accounts = new WebhookAccounts();
  const ends: (() => void)[] = [];
  const close = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
  accounts.add('default', { close } as unknown as WebhookReceiver);
  accounts.add('payouts', { close } as unknown as WebhookReceiver);
  accounts.add('silent', undefined);
  expect(accounts.receiving()).toEqual(['default', 'payouts']);
  let closed = false;
  const closing = accounts.onModuleDestroy().then(() => (closed = true));
  expect(ends).toHaveLength(2);
  ends[0]!();
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(closed).toBe(false);
  ends[1]!();
  await closing;
});

it('lets what was decided be answered before the server is closed', async () => {
  const accounts = new WebhookAccounts();
  let answered = false;
  const close = (): Promise<void> => {
    setImmediate(() => (answered = true));
    return Promise.resolve();
  };
  accounts.add('default', { close } as unknown as WebhookReceiver);
  await accounts.onModuleDestroy();
  expect(answered).toBe(true);
});
