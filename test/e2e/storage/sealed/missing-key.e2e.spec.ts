import { afterEach, describe, expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import {
  aesGcm,
  memoryStorage,
  type PaymentsEncryption,
  type PaymentsModuleOptions,
  type PaymentsStorage,
} from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { type PaymentsApp, startPaymentsApp } from '../../../support/payments-app.js';
import { startSandbox } from '../../../support/sandbox.js';
import { scheme, secret } from '../../../support/webhook-app.js';

const KEYS = { old: randomBytes(32), now: randomBytes(32) };
const onlyOld = aesGcm({ keys: { old: KEYS.old }, current: 'old' });
const onlyNow = aesGcm({ keys: { now: KEYS.now }, current: 'now' });
const both = aesGcm({ keys: KEYS, current: 'now' });

const REQUEST = {
  amount: '1000.00',
  phone: '255712345678',
  customer_name: 'Asha Mushi',
  customer_email: 'a@example.com',
};
const LATER_MS = 5 * 60_000;

describe('an application whose key is missing', () => {
  let running: PaymentsApp | undefined;
  let sandbox: PaymentsSandbox;
  let now = Date.now();
  let storage: PaymentsStorage;

  const start = async (
    encryption: PaymentsEncryption | undefined,
    more: Partial<PaymentsModuleOptions> = {},
  ): Promise<PaymentsApp> => {
    await running?.app.close();
    running = await startPaymentsApp({
      ...sandbox.moduleOptions(),
      storage,
      ...(encryption && { encryption }),
      ...more,
    });
    sandbox.deliverTo(running.webhookUrl);
    return running;
  };
  const begin = async (): Promise<void> => {
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    storage = memoryStorage({ now: () => now });
  };
  const pay = ({ collections }: PaymentsApp, reference: string): Promise<unknown> =>
    collections.mobileMoney({ ...REQUEST, reference }).catch((error: unknown) => error);
  const lose = (reference: string): unknown =>
    sandbox.next('POST /payments/mobile-money', { reference }).dropAfterProcessing();
  const sent = (reference: string): number =>
    sandbox.requests().filter(({ body }) => JSON.stringify(body).includes(`"${reference}"`)).length;

  afterEach(async () => {
    await running?.app.close();
    running = undefined;
  });

  it('sends nothing for a payment that it cannot read, and says which key is missing', async () => {
    await begin();
    await pay(await start(onlyOld), 'order-1');
    const before = sent('order-1');
    const app = await start(onlyNow);
    const refused = await pay(app, 'order-1');
    expect(refused).toMatchObject({ name: 'PaymentOutcomeUnknownError', reference: 'order-1' });
    expect((refused as Error).message).toContain('the key "old", which the option encryption does not have');
    expect(sent('order-1')).toBe(before);
    expect(await app.journal.get('collection', 'order-1')).toMatchObject({
      state: 'accepted',
      amount: '1000.00',
    });
    // With the key, the same call gives the answer of the first one.
    expect(await pay(await start(both), 'order-1')).toMatchObject({ reference: 'order-1' });
    expect(sent('order-1')).toBe(before);
  });

  it('settles by a webhook what it cannot read, and loses nothing of it', async () => {
    await begin();
    await pay(await start(onlyOld), 'order-1');
    const app = await start(onlyNow);
    const before = JSON.stringify((await storage.journal.get(KEY))?.record.answer);
    await sandbox.customer(REQUEST.phone).approve('order-1');
    expect(await app.journal.get('collection', 'order-1')).toMatchObject({
      state: 'settled',
      outcome: 'success',
    });
    expect(app.seen.events).toEqual(['payment.success']);
    expect(JSON.stringify((await storage.journal.get(KEY))?.record.answer)).toBe(before);
    expect(await pay(await start(both), 'order-1')).toMatchObject({ customer_name: 'Asha Mushi' });
  });

  it('recovers the payments that it can read', async () => {
    await begin();
    // No time is left for a probe in the call itself.
    const limits = { timeoutMs: 1_500, deadlineMs: 2_000 };
    const first = await start(onlyOld, limits);
    lose('order-1');
    await pay(first, 'order-1');
    const app = await start(onlyNow, limits);
    lose('order-2');
    await pay(app, 'order-2');
    now += LATER_MS;
    const before = sent('order-1');
    const report = await app.journal.recover();
    expect(sent('order-1')).toBe(before);
    expect(before).toBe(1);
    expect(report).toMatchObject({ probed: 1 });
    expect(sent('order-2')).toBe(2);
    expect((await app.journal.get('collection', 'order-1'))?.damaged).toContain('"old"');
    expect((await app.journal.get('collection', 'order-2'))?.damaged).toBeUndefined();
  });

  it('keeps an event that it cannot read set aside, and releases it once the key is back', async () => {
    await begin();
    const webhooks = { scheme, secrets: [secret] };
    const first = await start(onlyOld, { webhooks });
    await pay(first, 'order-1');
    const body = JSON.stringify(paymentEvent('payment.success', { reference: 'order-1', amount: '9.00' }));
    expect(await first.inbox.receive(body, signWebhook({ scheme, secret, body }))).toMatchObject({
      status: 200,
    });
    const app = await start(onlyNow, { webhooks });
    const [found] = await app.inbox.conflicts();
    expect(found).toMatchObject({ kind: 'mismatch', reference: 'order-1' });
    expect(found?.damaged).toContain('the key "old"');
    const refused: unknown = await app.inbox.release(found?.id ?? '').catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'PaymentsStorageError' });
    expect((refused as Error).message).toContain('the key "old"');
    const bare = await start(undefined, { webhooks });
    await expect(bare.inbox.release(found?.id ?? '')).rejects.toThrow(
      'it is sealed, and the account has no option encryption',
    );
    const whole = await start(both, { webhooks });
    await whole.inbox.release(found?.id ?? '');
    expect(whole.seen.events).toEqual(['payment.success']);
    expect(await whole.inbox.conflicts()).toEqual([]);
  });
});

const KEY = {
  account: 'default',
  environment: 'sandbox',
  family: 'collection',
  reference: 'order-1',
} as const;
