import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import {
  aesGcm,
  CALL_ATTEMPT_START_CHANNEL,
  envelope,
  type EnvelopeOptions,
  memoryStorage,
  type PaymentsEncryption,
  type PaymentsModuleOptions,
  type PaymentsStorage,
} from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { eventually } from '../../../support/eventually.js';
import { type PaymentsApp, startPaymentsApp } from '../../../support/payments-app.js';
import { startSandbox } from '../../../support/sandbox.js';
import { TransitServer } from '../../../support/transit-server.js';
import { scheme, secret } from '../../../support/webhook-app.js';

const REQUEST = {
  amount: '1000.00',
  phone: '255712345678',
  customer_name: 'Asha Mushi',
  customer_email: 'a@example.com',
};
const KEYS = { old: 'payments-old', now: 'payments-now' };
const fingerprintKey = randomBytes(32);
const ownKey = aesGcm({ keys: { own: randomBytes(32) }, current: 'own' });
const LATER_MS = 5 * 60_000;

describe('an application with a key service', () => {
  let transit: TransitServer;
  let sandbox: PaymentsSandbox;
  let storage: PaymentsStorage;
  let now: number;
  const running: PaymentsApp[] = [];

  beforeEach(async () => {
    now = Date.now();
    transit = await TransitServer.start(...Object.values(KEYS));
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    storage = memoryStorage({ now: () => now });
  });
  afterEach(async () => {
    transit.mode = 'up';
    for (const { app } of running.splice(0)) await app.close();
    await transit.close();
  });

  /** Each has a cache of its own. */
  const keys = (more: Partial<EnvelopeOptions> = {}): PaymentsEncryption =>
    envelope({ kms: transit.client(), keys: KEYS, current: 'now', fingerprintKey, ...more });
  const start = async (
    encryption: PaymentsEncryption | readonly PaymentsEncryption[] = keys(),
    more: Partial<PaymentsModuleOptions> = {},
  ): Promise<PaymentsApp> => {
    const webhooks = { scheme, secrets: [secret] };
    const options = { ...sandbox.moduleOptions(), storage, webhooks, encryption, ...more };
    const app = await startPaymentsApp(options);
    running.push(app);
    return app;
  };
  const pay = ({ collections }: PaymentsApp, reference: string): Promise<unknown> =>
    collections.mobileMoney({ ...REQUEST, reference }).catch((error: unknown) => error);
  const receive = async ({ inbox }: PaymentsApp, event: string, data: object = {}): Promise<number> => {
    const body = JSON.stringify(paymentEvent(event, { reference: 'order-1', amount: '1000.00', ...data }));
    return (await inbox.receive(body, signWebhook({ scheme, secret, body }))).status;
  };
  const sent = (): number => sandbox.requests().length;
  const stored = async (): Promise<string> => {
    const scope = { account: 'default', environment: 'sandbox', family: 'collection' } as const;
    return JSON.stringify((await storage.journal.list(scope, [], { limit: 99 })).entries);
  };

  it('calls it once for all payments of a process, and once more in another process', async () => {
    const first = await start();
    for (let at = 0; at < 20; at += 1) expect(await pay(first, `order-${at}`)).toHaveProperty('reference');
    expect(await receive(first, 'payment.success')).toBe(200);
    expect(transit.calls).toEqual({ wrap: 1, unwrap: 0 });
    const second = await start();
    for (let at = 0; at < 20; at += 1) expect(await pay(second, `order-${at}`)).toHaveProperty('reference');
    expect(transit.calls).toEqual({ wrap: 2, unwrap: 1 });
    await pay(second, 'order-of-second');
    expect(await pay(first, 'order-of-second')).toMatchObject({ customer_name: 'Asha Mushi' });
    expect(transit.calls).toEqual({ wrap: 2, unwrap: 2 });
    expect(sent()).toBe(21);
    expect(await stored()).not.toContain('Asha Mushi');
  });

  it.each(['cut-off', 'silent', 'denied'] as const)(
    'sends nothing while it is %s, and damages nothing',
    async (mode) => {
      await pay(await start(), 'order-1');
      const app = await start(keys({ timeoutMs: 3_000 }));
      transit.mode = mode;
      for (const reference of ['order-1', 'order-2']) {
        expect(await pay(app, reference)).toMatchObject({
          name: 'PaymentsStorageError',
          mayHaveBeenProcessed: 'not-by-this-call',
        });
      }
      await expect(app.journal.get('collection', 'order-1')).rejects.toMatchObject({
        name: 'PaymentsStorageError',
        retryable: true,
      });
      for await (const entry of app.journal.unresolved())
        expect(entry.damaged).toContain('cannot be had now');
      expect(await receive(app, 'payment.success')).toBe(503);
      expect(sent()).toBe(1);
      transit.mode = 'up';
      now += LATER_MS;
      await eventually(async () => {
        expect(await receive(app, 'payment.success')).toBe(200);
      });
      expect(app.seen.events).toEqual(['payment.success']);
      expect(await pay(app, 'order-1')).toMatchObject({ customer_name: 'Asha Mushi' });
      expect(await pay(app, 'order-2')).toHaveProperty('reference', 'order-2');
      expect(sent()).toBe(2);
    },
  );

  it('writes down how a call ended once the key service is back', async () => {
    const app = await start(keys({ maxAgeMs: 1, staleIfErrorMs: 0 }));
    const leaves = (): void => {
      transit.mode = 'cut-off';
    };
    subscribe(CALL_ATTEMPT_START_CHANNEL, leaves);
    const paid = await pay(app, 'order-1');
    unsubscribe(CALL_ATTEMPT_START_CHANNEL, leaves);
    expect(paid).toMatchObject({ reference: 'order-1' });
    transit.mode = 'up';
    await eventually(async () => {
      expect(await app.journal.get('collection', 'order-1')).toMatchObject({ state: 'accepted' });
    });
    expect(await pay(app, 'order-1')).toMatchObject({ customer_name: 'Asha Mushi' });
    expect(sent()).toBe(1);
  });

  it('recovers after a crash, with a cache that is empty', async () => {
    const limits = { timeoutMs: 1_500, deadlineMs: 2_000 };
    const first = await start(keys(), limits);
    sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
    await pay(first, 'order-1');
    first.crash();
    now += LATER_MS;
    const second = await start(keys(), limits);
    expect(await second.journal.recover()).toMatchObject({ probed: 1 });
    const [before, after] = sandbox.requests();
    expect([after?.body, after?.headers['idempotency-key']]).toEqual([
      before?.body,
      before?.headers['idempotency-key'],
    ]);
    expect(transit.calls.unwrap).toBe(1);
  });

  it('recovers the payments whose key it has while the key service is away, and reports the others', async () => {
    const limits = { timeoutMs: 1_500, deadlineMs: 2_000 };
    for (const [reference, encryption] of [
      ['order-1', keys()],
      ['order-2', ownKey],
    ] as const) {
      sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
      await pay(await start(encryption, limits), reference);
    }
    now += LATER_MS;
    const app = await start([ownKey, keys()], limits);
    transit.mode = 'cut-off';
    expect(await app.journal.recover()).toMatchObject({ probed: 1, failed: 1 });
    expect(sent()).toBe(3);
    transit.mode = 'up';
    expect(await app.journal.recover()).toMatchObject({ probed: 1 });
    expect(sent()).toBe(4);
  });

  it('calls a payment unreadable whose key is destroyed, and reads it once the key is back', async () => {
    await pay(await start(), 'order-1');
    const bringBack = transit.destroy(KEYS.now);
    const app = await start(keys({ current: 'old' }));
    const refused = await pay(app, 'order-1');
    expect(refused).toMatchObject({ name: 'PaymentOutcomeUnknownError' });
    expect((refused as Error).message).toContain(
      'the key "now", of a key service, which does not open its data key',
    );
    expect((await app.journal.get('collection', 'order-1'))?.damaged).toContain('"now"');
    expect(sent()).toBe(1);
    bringBack();
    expect(await pay(app, 'order-1')).toMatchObject({ customer_name: 'Asha Mushi' });
    expect(sent()).toBe(1);
  });

  it('calls a payment unreadable whose key is destroyed and current, and says which new ones it cannot make', async () => {
    await pay(await start(), 'order-1');
    const bringBack = transit.destroy(KEYS.now);
    const app = await start();
    expect(await pay(app, 'order-1')).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      mayHaveBeenProcessed: true,
      message: expect.stringContaining('the key "now", of a key service') as string,
    });
    expect(await pay(app, 'order-2')).toMatchObject({
      name: 'PaymentsStorageError',
      mayHaveBeenProcessed: 'not-by-this-call',
      hint: expect.stringContaining('once the key service of the option encryption works') as string,
    });
    expect(await app.journal.reseal()).toMatchObject({ resealed: 0, current: 0, unreadable: 1 });
    expect(sent()).toBe(1);
    bringBack();
    expect(await pay(app, 'order-1')).toMatchObject({ customer_name: 'Asha Mushi' });
    expect(await pay(app, 'order-2')).toHaveProperty('reference', 'order-2');
    expect(await app.journal.reseal()).toMatchObject({ resealed: 0, current: 2, unreadable: 0 });
    expect(sent()).toBe(2);
  });

  it('moves from keys of its own to a key service, to its next key, and back', async () => {
    await pay(await start(ownKey), 'order-1');
    await receive(running[0]!, 'payment.success', { amount: '9.00' });
    const resealed = { busy: 0, unreadable: 0, unavailable: 0 };
    const old = keys({ current: 'old' });
    for (const [encryption, name] of [
      [[old, ownKey], 'old~'],
      [keys(), 'now~'],
      [[ownKey, keys()], 'own:'],
    ] as const) {
      const { journal } = await start(encryption);
      expect(await journal.reseal()).toEqual({ ...resealed, resealed: 2, current: 0 });
      expect(await journal.reseal()).toEqual({ ...resealed, resealed: 0, current: 2 });
      expect(new Set((await stored()).match(/sealed:1:\w+[~:]/g))).toEqual(new Set([`sealed:1:${name}`]));
    }
    for (const key of Object.values(KEYS)) transit.destroy(key);
    const app = await start(ownKey);
    expect(await pay(app, 'order-1')).toMatchObject({ customer_name: 'Asha Mushi' });
    const [event] = await app.inbox.conflicts();
    expect(event?.payload).toContain('9.00');
    expect(sent()).toBe(1);
  });

  it('reads what it sealed before the key service made a new version of its key', async () => {
    await pay(await start(), 'order-1');
    transit.rotate(KEYS.now);
    const app = await start();
    expect(await pay(app, 'order-1')).toMatchObject({ customer_name: 'Asha Mushi' });
    await pay(app, 'order-2');
    expect(await pay(await start(), 'order-2')).toMatchObject({ customer_name: 'Asha Mushi' });
  });

  it('reseals nothing that it cannot read for now, and keeps events that it cannot read set aside', async () => {
    const first = await start(keys({ current: 'old' }));
    await pay(first, 'order-1');
    expect(await receive(first, 'payment.success', { amount: '9.00' })).toBe(200);
    const app = await start();
    await pay(app, 'order-2');
    transit.mode = 'cut-off';
    expect(await app.journal.reseal()).toMatchObject({ resealed: 0, current: 1, unavailable: 2 });
    const [event] = await app.inbox.conflicts();
    expect(event?.damaged).toContain('cannot be had now');
    await expect(app.inbox.release(event?.id ?? '')).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      hint: expect.stringContaining('Check the key service') as string,
    });
    transit.mode = 'up';
    expect(await app.journal.reseal()).toMatchObject({ resealed: 2, current: 1, unavailable: 0 });
    await app.inbox.release(event?.id ?? '');
    expect(app.seen.events).toEqual(['payment.success']);
  });
});

it('the document shows the client for Vault that these specs run', () => {
  const [, code = ''] = readFileSync('test/support/vault-transit.ts', 'utf8').split(/^(?=\/\*\* Errors)/m);
  // Prettier breaks the lines of a document elsewhere.
  const unbroken = (text: string): string => text.replace(/\s+/g, '').replace(/,(?=[)}\]])/g, '');
  expect(code).toContain('wrap:');
  expect(unbroken(readFileSync('docs/encryption.md', 'utf8'))).toContain(unbroken(code));
});
