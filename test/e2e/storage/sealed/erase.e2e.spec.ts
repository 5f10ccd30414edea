import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import {
  aesGcm,
  memoryStorage,
  type PaymentFamily,
  type PaymentsModuleOptions,
  type PaymentsStorage,
} from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { CANARIES, canariesIn } from '../../../support/canaries.js';
import { type PaymentsApp, startPaymentsApp } from '../../../support/payments-app.js';
import { startSandbox } from '../../../support/sandbox.js';
import { scheme, secret } from '../../../support/webhook-app.js';

const { name, phone, email } = CANARIES;
const REQUEST = { amount: '1180.50', phone, customer_name: name, customer_email: email };
const KEY = {
  account: 'default',
  environment: 'sandbox',
  family: 'collection',
  reference: 'order-1',
} as const;
const encryption = aesGcm({ keys: { a: randomBytes(32) }, current: 'a' });

describe.each([
  ['without an encryption', {}],
  ['with an encryption', { encryption }],
])('PaymentsJournal.erase() %s', (_how, more: Partial<PaymentsModuleOptions>) => {
  let app: PaymentsApp;
  let sandbox: PaymentsSandbox;
  let storage: PaymentsStorage;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    storage = memoryStorage();
    const webhooks = { scheme, secrets: [secret] };
    app = await startPaymentsApp({ ...sandbox.moduleOptions(), storage, probe: false, webhooks, ...more });
  });
  afterEach(() => app.app.close());

  const pay = (amount = REQUEST.amount): Promise<unknown> =>
    app.collections
      .mobileMoney({ ...REQUEST, amount, reference: 'order-1' })
      .catch((error: unknown) => error);
  const receive = async (event: string, data: object = {}): Promise<void> => {
    const person = { customer_name: name, customer_phone: phone, customer_email: email };
    const body = JSON.stringify(
      paymentEvent(event, { reference: 'order-1', amount: REQUEST.amount, ...person, ...data }),
    );
    expect((await app.inbox.receive(body, signWebhook({ scheme, secret, body }))).status).toBe(200);
  };
  const erase = (): Promise<unknown> =>
    app.journal.erase('collection', 'order-1').catch((error: unknown) => error);
  /** Money would move under a reference whose payment nobody can compare any more. */
  const expectNoFurtherAttempt = async (hint: string): Promise<void> => {
    const sent = sandbox.requests().length;
    expect(await pay()).toMatchObject({
      name: 'ReferenceReusedError',
      mayHaveBeenProcessed: false,
      hint: expect.stringContaining(hint) as unknown,
    });
    expect(sandbox.requests()).toHaveLength(sent);
    expect(canariesIn(await kept())).toEqual([]);
  };
  const kept = async (): Promise<string> =>
    JSON.stringify([await storage.journal.get(KEY), await storage.conflicts.list(KEY, { limit: 99 })]);

  it('takes the person out of a settled payment and of its events, and keeps the facts', async () => {
    await pay();
    await receive('payment.success');
    await receive('payment.odd');
    const before = await app.journal.get('collection', 'order-1');
    const sent = sandbox.requests().length;
    expect(await erase()).toMatchObject({ amount: '1180.50', state: 'settled', outcome: 'success' });
    expect(await app.journal.get('collection', 'order-1')).toEqual({
      ...before,
      updatedAt: expect.any(Date) as Date,
    });
    expect(canariesIn(await kept())).toEqual([]);
    expect(await kept()).not.toMatch(/sealed:1:|"1:[\da-f]{64}"/);
    expect(await app.inbox.conflicts()).toEqual([]);
    expect(await erase()).toMatchObject({ outcome: 'success' });
    // Neither the same payment nor another one is made, and a repeated webhook changes nothing.
    for (const amount of ['1180.50', '99.00']) {
      const refused = await pay(amount);
      expect(refused).toMatchObject({ name: 'ReferenceReusedError', mayHaveBeenProcessed: true });
      expect((refused as Error).message).toContain('was made, and whose personal data was erased');
    }
    await receive('payment.success');
    expect(app.seen.events).toEqual(['payment.success']);
    expect(sandbox.requests()).toHaveLength(sent);
    expect(canariesIn(await kept())).toEqual([]);
  });

  it('refuses a payment that is open, unknown or contradicted, and erases nothing of it', async () => {
    await pay();
    expect(await erase()).toMatchObject({
      code: 'ENTRY_OPEN',
      mayHaveBeenProcessed: true,
      message: expect.stringContaining('accepted') as string,
    });
    await receive('payment.success');
    await receive('payment.failed');
    expect(await erase()).toMatchObject({
      code: 'ENTRY_OPEN',
      message: expect.stringContaining('contradicts') as string,
    });
    expect(await app.inbox.conflicts()).toHaveLength(1);
    const [conflict] = await app.inbox.conflicts();
    await app.inbox.discard(conflict?.id ?? '');
    expect(await erase()).toMatchObject({ outcome: 'success' });
  });

  it('also finds events whose reference has white space around it', async () => {
    await pay();
    await receive('payment.success');
    await receive('payment.success', { reference: 'order-1 ' });
    await receive('payment.odd', { reference: '\torder-1' });
    expect(await erase()).toMatchObject({
      code: 'ENTRY_OPEN',
      message: expect.stringContaining('contradicts it (mismatch)') as string,
    });
    const mismatch = (await app.inbox.conflicts()).find(({ kind }) => kind === 'mismatch');
    await app.inbox.discard(mismatch?.id ?? '');
    expect(await erase()).toMatchObject({ outcome: 'success' });
    expect(await app.inbox.conflicts()).toEqual([]);
    expect(canariesIn(await kept())).toEqual([]);
  });

  it('refuses a payment whose outcome is unknown until it is settled', async () => {
    sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
    expect(await pay()).toMatchObject({ name: 'PaymentOutcomeUnknownError' });
    expect(await erase()).toMatchObject({ code: 'ENTRY_OPEN' });
    await app.journal.settle('collection', 'order-1', 'failed');
    expect(await erase()).toMatchObject({ outcome: 'failed' });
    expect(canariesIn(await kept())).toEqual([]);
    await expectNoFurtherAttempt('only after the gateway confirmed that it made nothing');
  });

  it('takes the person out of a refused payment, whose reference stays used', async () => {
    sandbox.next('POST /payments/mobile-money').status(422, { code: 'INVALID_PHONE' });
    expect(await pay()).toMatchObject({ name: 'PaymentRejectedError' });
    expect(await erase()).toMatchObject({ state: 'rejected', final: true });
    expect(canariesIn(await kept())).toEqual([]);
    await expectNoFurtherAttempt('Use a new reference for every payment.');
  });

  describe('of a payout', () => {
    const payOut = async (): Promise<void> => {
      sandbox.next('POST /disbursements/mobile-money').status(422, { code: 'INVALID_PHONE' });
      const recipient = { recipient_phone: phone, recipient_name: name, network: 'NET_ONE', remarks: 'x' };
      const payout = { reference: 'order-1', amount: '50.00', ...recipient };
      await app.disbursements.mobileMoney(payout).catch((error: unknown) => error);
    };
    /** An event of it says that the gateway has it, whatever it answered. */
    const settle = (): Promise<unknown> => app.journal.settle('disbursement', 'order-1', 'failed');
    const eraseOf = (family: PaymentFamily): Promise<unknown> =>
      app.journal.erase(family, 'order-1').catch((error: unknown) => error);
    const setAside = async (): Promise<readonly string[]> =>
      (await app.inbox.conflicts()).map(({ event }) => event);

    it('discards the events that are about it', async () => {
      await payOut();
      await receive('payout.odd');
      expect(await setAside()).toEqual(['payout.odd']);
      await settle();
      expect(await eraseOf('disbursement')).toMatchObject({ outcome: 'failed' });
      expect(await setAside()).toEqual([]);
    });

    it('leaves alone the events of a collection with the same reference', async () => {
      await pay();
      await receive('payment.success');
      await receive('payment.failed');
      await payOut();
      expect(await eraseOf('disbursement')).toMatchObject({ state: 'rejected' });
      expect(await setAside()).toEqual(['payment.failed']);
    });

    it('is refused while an event may be about the one or the other', async () => {
      await pay();
      await receive('payment.success');
      await payOut();
      await receive('payment.refunded');
      await settle();
      for (const [family, other] of [
        ['disbursement', 'collection'],
        ['collection', 'disbursement'],
      ] as const) {
        expect(await eraseOf(family)).toMatchObject({
          code: 'ENTRY_OPEN',
          message: expect.stringContaining(`may be about the ${other} of the same reference`) as string,
        });
      }
      const [event] = await app.inbox.conflicts();
      expect(event?.event).toBe('payment.refunded');
      await app.inbox.discard(event?.id ?? '');
      expect(await eraseOf('disbursement')).toMatchObject({ outcome: 'failed' });
      expect(await erase()).toMatchObject({ outcome: 'success' });
    });
  });

  it('says that there is no such payment', async () => {
    expect(await erase()).toMatchObject({ code: 'ENTRY_NOT_FOUND' });
  });
});
