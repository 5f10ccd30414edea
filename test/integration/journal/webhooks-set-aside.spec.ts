import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Injectable, Logger } from '@nestjs/common';
import {
  memoryStorage,
  onPaymentsDiagnostics,
  OnPayment,
  type PaymentEventContext,
  type PaymentsModuleOptions,
  type PaymentsStorage,
  type PaymentWebhookEvent,
  WEBHOOK_END_CHANNEL,
} from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { collectionRequest, mobileRequest } from '../../support/gateway-answers.js';
import { journalRecord } from '../../support/journal-contract.js';
import { startPaymentsApp, type PaymentsApp } from '../../support/payments-app.js';
import { startSandbox } from '../../support/sandbox.js';

const PHONE = '255712345678';

@Injectable()
class Contexts {
  readonly known: [event: string, known: boolean][] = [];

  @OnPayment('*')
  @OnPayment('payment.conflict')
  @OnPayment('payment.mismatch')
  heard({ event }: PaymentWebhookEvent, { known }: PaymentEventContext): void {
    this.known.push([event, known]);
  }
}

@Injectable()
class Curious {
  readonly heard: [event: string, known: boolean][] = [];

  @OnPayment('unrecognized')
  unrecognized({ event }: PaymentWebhookEvent, { known }: PaymentEventContext): void {
    this.heard.push([event, known]);
  }
}

describe('a webhook that nobody can place', () => {
  let sandbox: PaymentsSandbox;
  let storage: PaymentsStorage;
  let payments: PaymentsApp;
  let now: number;

  async function start(
    unknownReferences?: NonNullable<PaymentsModuleOptions['webhooks']>['unknownReferences'],
    ...providers: object[]
  ): Promise<void> {
    const { webhooks, ...options } = sandbox.moduleOptions();
    payments = await startPaymentsApp(
      { ...options, webhooks: { ...webhooks!, ...(unknownReferences && { unknownReferences }) }, storage },
      [Contexts, ...providers],
    );
  }
  const restart = async (...args: Parameters<typeof start>): Promise<void> => {
    await payments.app.close();
    await start(...args);
  };
  const contexts = (): unknown => payments.app.get(Contexts).known;
  const outcomeOf = async (reference: string): Promise<unknown> =>
    (await payments.journal.get('collection', reference))?.outcome;

  async function deliver(name: string, data: object = {}): Promise<number> {
    const event = paymentEvent(name, { reference: 'order-1', amount: '1180.50', ...data });
    const body = JSON.stringify(event);
    const { scheme } = sandbox.moduleOptions().webhooks!;
    const signature = signWebhook({ scheme, secret: sandbox.webhookSecret, body });
    const headers = { 'content-type': 'application/json', ...signature };
    return (await fetch(payments.webhookUrl, { method: 'POST', headers, body })).status;
  }

  beforeEach(async () => {
    now = 1_800_000_000_000;
    storage = memoryStorage({ now: () => now });
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    await start();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await payments.app.close();
  });

  describe('proves that the gateway has its payment', () => {
    const KEY = {
      account: 'default',
      environment: 'sandbox',
      family: 'collection',
      reference: 'order-1',
    } as const;
    const unresolved = async (): Promise<unknown[]> => {
      const found: unknown[] = [];
      for await (const entry of payments.journal.unresolved()) found.push(entry);
      return found;
    };
    /** A payment that the gateway made, and whose answer got lost. */
    const loseAnswer = async (): Promise<void> => {
      const placeholder = await storage.journal.get(KEY);
      await storage.journal.remove(KEY, placeholder?.version ?? 0);
      await payments.collections.mobileMoney(collectionRequest);
      const { record, version } = (await storage.journal.get(KEY))!;
      const { answer: _answer, ...rest } = record;
      await storage.journal.replace(version, { ...rest, state: 'unknown', evidence: 'no-answer' }, 0);
    };
    const refused = (): Promise<unknown> =>
      payments.collections.mobileMoney(collectionRequest).catch((error: unknown) => error);
    const webhooks: [what: string, event: string, data: object][] = [
      ['another amount', 'payment.success', { amount: '1.00' }],
      ['another amount of a failure', 'payment.failed', { amount: '1.00' }],
      ['another currency', 'payment.success', { currency: 'KES' }],
      ['a status that its name does not say', 'payment.success', { status: 'failed' }],
      ['a reference with white space around it', 'payment.success', { reference: ' order-1' }],
      ['a name that nobody knows', 'payment.refunded', {}],
      ['such a name of something else that failed', 'payment.refund_failed', { status: 'failed' }],
      ['such a name and white space', 'payment.refunded', { reference: 'order-1 ' }],
    ];

    beforeEach(async () => {
      const lost = journalRecord('order-1', { state: 'unknown', evidence: 'no-answer' });
      await storage.journal.insert(lost, 0);
    });

    it.each(webhooks)("so an operator's failed does not free its reference: %s", async (_, event, data) => {
      expect(await deliver(event, data)).toBe(200);
      expect((await storage.journal.get(KEY))?.record).toMatchObject({
        state: 'unknown',
        acknowledged: true,
      });
      await payments.journal.settle('collection', 'order-1', 'failed');
      expect(await refused()).toMatchObject({ name: 'ReferenceReusedError' });
      expect(sandbox.requests()).toEqual([]);
    });

    it.each(webhooks.filter(([, event]) => event !== 'payment.failed'))(
      'also after the operator, whom it contradicts: %s',
      async (_, event, data) => {
        await loseAnswer();
        await payments.journal.settle('collection', 'order-1', 'failed');
        expect(await deliver(event, data)).toBe(200);
        expect(await refused()).toMatchObject({
          name: 'PaymentOutcomeUnknownError',
          evidence: 'conflict',
          mayHaveBeenProcessed: true,
          hint: expect.stringContaining('PaymentsJournal.settle()') as unknown,
        });
        expect(await unresolved()).toMatchObject([
          { reference: 'order-1', state: 'unknown', evidence: 'conflict' },
        ]);
        expect(await payments.journal.oldestUnresolved()).toMatchObject({ entry: { reference: 'order-1' } });
        now += 1_000;
        expect(await payments.journal.purge({ olderThanMs: 1 })).toBe(0);

        await payments.journal.settle('collection', 'order-1', 'failed');
        expect(await refused()).toMatchObject({ name: 'ReferenceReusedError', mayHaveBeenProcessed: false });
        expect(await outcomeOf('order-1')).toBe('failed');
        expect(sandbox.requests()).toHaveLength(1);
      },
    );

    it.each(webhooks.filter(([, event]) => event !== 'payment.failed'))(
      'also after the gateway refused it: %s',
      async (_, event, data) => {
        const placeholder = await storage.journal.get(KEY);
        await storage.journal.remove(KEY, placeholder?.version ?? 0);
        sandbox.next('POST /payments/mobile-money').status(422, { code: 'INVALID_PHONE' });
        expect(await refused()).toMatchObject({ name: 'PaymentRejectedError' });
        expect(await deliver(event, data)).toBe(200);
        expect(await refused()).toMatchObject({ name: 'PaymentOutcomeUnknownError', evidence: 'conflict' });
        expect(await unresolved()).toMatchObject([{ reference: 'order-1', evidence: 'conflict' }]);
        expect(sandbox.requests()).toHaveLength(1);
      },
    );

    it('also after the operator, with whom a failure of another amount agrees', async () => {
      await payments.journal.settle('collection', 'order-1', 'failed');
      expect(await deliver('payment.failed', { amount: '1.00' })).toBe(200);
      expect(await refused()).toMatchObject({ name: 'ReferenceReusedError' });
      expect(await outcomeOf('order-1')).toBe('failed');
      expect(sandbox.requests()).toEqual([]);
    });

    it('also after the operator, whom a failure contradicts whose status says otherwise', async () => {
      await payments.journal.settle('collection', 'order-1', 'failed');
      expect(await deliver('payment.failed', { status: 'success' })).toBe(200);
      expect(await unresolved()).toMatchObject([{ reference: 'order-1', evidence: 'conflict' }]);
      // Another payment under this reference.
      expect(await refused()).toMatchObject({
        name: 'ReferenceReusedError',
        mayHaveBeenProcessed: true,
        hint: expect.stringContaining('Wait for the outcome') as unknown,
      });
    });

    it('and so does one that a handler takes', async () => {
      await restart(undefined, Curious);
      expect(await deliver('payment.refunded')).toBe(200);
      expect(payments.app.get(Curious).heard).toEqual([['payment.refunded', true]]);
      expect((await storage.journal.get(KEY))?.record).toMatchObject({ acknowledged: true });
    });

    it('but only its own payment, and a payout only if the name of the event is unknown', async () => {
      const payout = { ...KEY, family: 'disbursement' } as const;
      const other = { ...KEY, reference: 'order-2' } as const;
      await storage.journal.insert(journalRecord('order-1', { state: 'unknown', ...payout }), 0);
      await storage.journal.insert(journalRecord('order-2', { state: 'unknown' }), 0);
      await deliver('payment.success', { amount: '1.00' });
      expect((await storage.journal.get(payout))?.record).not.toHaveProperty('acknowledged');
      await deliver('payout.paid', {});
      expect((await storage.journal.get(payout))?.record).toHaveProperty('acknowledged');
      expect((await storage.journal.get(other))?.record).not.toHaveProperty('acknowledged');
    });

    it('and is not answered 200 if that cannot be written', async () => {
      vi.spyOn(storage.journal, 'replace').mockRejectedValueOnce(new Error('away'));
      expect(await deliver('payment.success', { amount: '1.00' })).toBe(503);
      expect(await deliver('payment.success', { amount: '1.00' })).toBe(200);
      expect((await storage.journal.get(KEY))?.record).toHaveProperty('acknowledged');
    });
  });

  describe('of an attempt before the current one', () => {
    const call = (): Promise<unknown> =>
      payments.collections.mobileMoney(collectionRequest).catch((error: unknown) => error);
    const unresolved = async (): Promise<unknown[]> => {
      const found: unknown[] = [];
      for await (const { reference, state, attempt } of payments.journal.unresolved())
        found.push([reference, state, attempt]);
      return found;
    };
    const failures = ['payment.failed', 'payment.cancelled', 'payment.expired'];

    beforeEach(async () => {
      // Attempt 1 had no answer, and an operator said that it failed; attempt 2 is accepted.
      const lost = journalRecord('order-1', { state: 'unknown', evidence: 'no-answer' });
      await storage.journal.insert(lost, 0);
      await payments.journal.settle('collection', 'order-1', 'failed');
      expect(await call()).toMatchObject({ reference: 'order-1', status: 'pending' });
      expect(await unresolved()).toEqual([['order-1', 'accepted', 2]]);
    });

    it.each(failures)('does not end that one, and is set aside: %s', async (name) => {
      expect(await deliver(name, { provider_reference: 'of-attempt-1' })).toBe(200);
      expect(await deliver(name, { provider_reference: null })).toBe(200);
      expect(payments.seen.events).toEqual(['conflict']);
      expect(await outcomeOf('order-1')).toBeUndefined();
      expect(await unresolved()).toEqual([['order-1', 'accepted', 2]]);
      expect(await payments.inbox.conflicts()).toMatchObject([
        { kind: 'conflict', event: name, reference: 'order-1', seen: 2 },
      ]);
      // The payment is still there: no error asks for a new reference.
      expect(await call()).toMatchObject({ reference: 'order-1', status: 'pending' });
      expect(await deliver('payment.success', { provider_reference: 'of-attempt-2' })).toBe(200);
      expect(await outcomeOf('order-1')).toBe('success');
    });

    it.each(failures)(
      'is told apart from one of the current attempt by its transaction: %s',
      async (name) => {
        const { provider_reference } = sandbox.payments()[0]!;
        expect(await deliver(name, { provider_reference })).toBe(200);
        expect(await outcomeOf('order-1')).toBe(name.slice('payment.'.length));
        expect(contexts()).toEqual([[name, true]]);
        expect(await payments.inbox.conflicts()).toEqual([]);
      },
    );

    it('does not free the reference of a payment whose outcome is unknown', async () => {
      const { record, version } = (await storage.journal.get(journalRecord('order-1')))!;
      const { answer: _answer, ...rest } = record;
      await storage.journal.replace(version, { ...rest, state: 'unknown', evidence: 'no-answer' }, 0);
      expect(await deliver('payment.failed')).toBe(200);
      expect(await call()).toMatchObject({ name: 'PaymentOutcomeUnknownError', mayHaveBeenProcessed: true });
      expect(await unresolved()).toEqual([['order-1', 'unknown', 2]]);
    });

    it('ends the payment once an operator has looked at it and releases it', async () => {
      await deliver('payment.failed', { provider_reference: null });
      const [{ id } = { id: '' }] = await payments.inbox.conflicts();
      await payments.inbox.release(id);
      expect(await outcomeOf('order-1')).toBe('failed');
    });

    it('ends the payment if money moved', async () => {
      expect(await deliver('payment.success', { provider_reference: 'of-attempt-1' })).toBe(200);
      expect(await outcomeOf('order-1')).toBe('success');
      expect(await payments.inbox.conflicts()).toEqual([]);
    });
  });

  describe('of a refused attempt before one that was refused without a code, and may have been made', () => {
    const pay = (): Promise<unknown> =>
      payments.collections.mobileMoney(collectionRequest).catch((error: unknown) => error);

    beforeEach(async () => {
      sandbox.next('POST /payments/mobile-money').status(422, { code: 'INSUFFICIENT_BALANCE' });
      expect(await pay()).toMatchObject({ name: 'PaymentRejectedError' });
      sandbox.next('POST /payments/mobile-money').status(422, { afterProcessing: true });
      expect(await pay()).toMatchObject({ name: 'PaymentRejectedError' });
      expect(sandbox.payments()).toHaveLength(1);
    });

    it.each([
      ['still in the journal', 0],
      ['forgotten', 1],
    ])('uses no reference up for which money may move: %s', async (_, age) => {
      now += age;
      if (age > 0) await payments.journal.purge({ olderThanMs: 1, rejectedOlderThanMs: 1 });
      expect(await deliver('payment.failed')).toBe(200);
      expect(payments.seen.events).toEqual(['conflict']);
      expect(await pay()).toMatchObject({ mayHaveBeenProcessed: true });
      expect(sandbox.payments()).toHaveLength(1);
      expect(await deliver('payment.success')).toBe(200);
      expect(payments.seen.events).toContain('payment.success');
    });
  });

  describe.each([
    ['429', 429, {}],
    ['401', 401, { code: 'UNAUTHORIZED' }],
    ['403', 403, { code: 'INSUFFICIENT_PERMISSIONS' }],
  ])('of the only attempt, after answers that turned it away with %s', (_, status, fields) => {
    const pay = (): Promise<unknown> =>
      payments.collections
        .mobileMoney(collectionRequest, { deadlineMs: 10_000 })
        .catch((error: unknown) => error);
    const turnAway = (): void => {
      sandbox
        .next('POST /payments/mobile-money')
        .status(status, { retryAfter: 0, ...fields })
        .times(3);
    };
    const failures = ['payment.failed', 'payment.cancelled', 'payment.expired'];

    beforeEach(async () => {
      turnAway();
      expect(await pay()).toMatchObject({ mayHaveBeenProcessed: false });
      await sandbox.reset();
    });

    it.each(failures)('ends it, although its answer got lost: %s', async (name) => {
      sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
      expect(await pay()).toMatchObject({ name: 'PaymentOutcomeUnknownError' });
      expect(await deliver(name)).toBe(200);
      expect(await outcomeOf('order-1')).toBe(name.slice('payment.'.length));
      expect(await payments.inbox.conflicts()).toEqual([]);
    });

    it('is set aside once a refusal without a listed code kept the key, too', async () => {
      sandbox.next('POST /payments/mobile-money').status(422);
      expect(await pay()).toMatchObject({ name: 'PaymentRejectedError' });
      turnAway();
      await pay();
      await sandbox.reset();
      sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
      expect(await pay()).toMatchObject({ name: 'PaymentOutcomeUnknownError' });
      expect(await deliver('payment.failed')).toBe(200);
      expect(await outcomeOf('order-1')).toBeUndefined();
      expect(await payments.inbox.conflicts()).toHaveLength(1);
    });
  });

  it.each([
    [403, 'PAYMENT_DECLINED'],
    [401, 'PIN_WRONG'],
    [429, 'INSUFFICIENT_BALANCE'],
  ])('of the only attempt is set aside, if %i with %s may have refused it', async (status, code) => {
    const pay = (): Promise<unknown> =>
      payments.collections
        .mobileMoney(collectionRequest, { deadlineMs: 10_000 })
        .catch((error: unknown) => error);
    sandbox.next('POST /payments/mobile-money').status(status, { code, retryAfter: 0 }).times(3);
    expect(await pay()).toMatchObject({ name: expect.stringContaining('Error') as string });
    await sandbox.reset();
    sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
    expect(await pay()).toMatchObject({ name: 'PaymentOutcomeUnknownError' });
    expect(await deliver('payment.failed')).toBe(200);
    expect(await outcomeOf('order-1')).toBeUndefined();
    expect(await payments.inbox.conflicts()).toHaveLength(1);
    expect(await deliver('payment.success')).toBe(200);
    expect(await outcomeOf('order-1')).toBe('success');
  });

  describe('by its name', () => {
    it.each(['payment.succeeded', 'PAYMENT.SUCCESS', 'payment_success', 'payment.refunded'])(
      'is never taken for another one, and is set aside whole: %s',
      async (name) => {
        await payments.collections.mobileMoney(collectionRequest);
        expect(await deliver(name, { status: 'success', extra: { kept: ['é'] } })).toBe(200);
        expect(await deliver(name, { status: 'success', extra: { kept: ['é', 'another body'] } })).toBe(200);
        expect(contexts()).toEqual([]);
        expect(await outcomeOf('order-1')).toBeUndefined();
        const conflicts = await payments.inbox.conflicts();
        expect(conflicts).toMatchObject([
          { kind: 'unrecognized', event: name, reference: 'order-1', seen: 1 },
          { kind: 'unrecognized', event: name, reference: 'order-1', seen: 1 },
        ]);
        expect(JSON.parse(conflicts[0]?.payload ?? '')).toMatchObject({
          event: name,
          data: { status: 'success', amount: '1180.50', customer_name: 'Asha Mushi', extra: { kept: ['é'] } },
        });
      },
    );

    it('is never told as handled: nothing is claimed for what nobody knows', async () => {
      await restart('set-aside');
      await payments.collections.mobileMoney(collectionRequest);
      const claim = vi.spyOn(storage.inbox, 'claim');
      expect(await deliver('payment.refunded')).toBe(200);
      expect(await deliver('payment.success', { reference: 'from-elsewhere' })).toBe(200);
      expect(await payments.inbox.conflicts()).toMatchObject([
        { kind: 'unrecognized', reference: 'order-1' },
        { kind: 'unknown-reference', reference: 'from-elsewhere' },
      ]);
      // Somebody may have released it before, and only the inbox knows that.
      expect(await Promise.all(claim.mock.results.map(({ value }) => value as unknown))).toEqual([
        { result: 'missing' },
      ]);
    });

    it('cannot be released before somebody knows it, and stays', async () => {
      await deliver('payment.refunded');
      const [{ id } = { id: '' }] = await payments.inbox.conflicts();
      await expect(payments.inbox.release(id)).rejects.toMatchObject({
        code: 'EVENT_UNRECOGNIZED',
        reference: 'order-1',
        message: expect.stringContaining("@OnPayment('unrecognized')") as unknown,
      });
      expect(await payments.inbox.conflicts()).toMatchObject([{ id, seen: 1 }]);
      await payments.inbox.discard(id);
      expect(await payments.inbox.conflicts()).toEqual([]);
    });

    it('is released to a handler that came with a new version of the application, once', async () => {
      const event = paymentEvent('payment.refunded', { reference: 'order-1' });
      await deliver('payment.refunded', event.data);
      await restart(undefined, Curious);
      const curious = payments.app.get(Curious);
      const [{ id } = { id: '' }] = await payments.inbox.conflicts();
      await payments.inbox.release(id);
      expect(curious.heard).toEqual([['payment.refunded', false]]);
      expect(await payments.inbox.conflicts()).toEqual([]);
    });

    it.each([
      ['payment.success', [['payment.success', true]], 'success', []],
      ['payment.failed', [['payment.failed', true]], 'failed', []],
    ] as const)('is released as %s once a new version knows it', async (name, heard, outcome, left) => {
      await payments.collections.mobileMoney(collectionRequest);
      await setAsideByAnOlderVersion(name);
      const [{ id } = { id: '' }] = await payments.inbox.conflicts();
      await payments.inbox.release(id);
      expect(contexts()).toEqual(heard);
      expect(await outcomeOf('order-1')).toBe(outcome);
      expect(await payments.inbox.conflicts()).toEqual(left);
    });

    it('reverses nothing when it is released: what contradicts is set aside as that', async () => {
      await payments.collections.mobileMoney(collectionRequest);
      await setAsideByAnOlderVersion('payment.failed');
      expect(await deliver('payment.success')).toBe(200);
      const [{ id } = { id: '' }] = await payments.inbox.conflicts();
      await payments.inbox.release(id);
      expect(contexts()).toEqual([
        ['payment.success', true],
        ['payment.failed', true],
      ]);
      expect(payments.seen.events).toEqual(['payment.success', 'conflict']);
      expect(await outcomeOf('order-1')).toBe('success');
      expect(await payments.inbox.conflicts()).toMatchObject([{ kind: 'conflict', event: 'payment.failed' }]);
    });

    it('is kept by purge() unless an age says otherwise', async () => {
      await deliver('payment.refunded');
      now += 1_000;
      expect(await payments.inbox.purge()).toBe(0);
      expect(
        await payments.inbox.purge({ unrecognizedOlderThanMs: 1_000, unknownReferencesOlderThanMs: 1 }),
      ).toBe(0);
      expect(await payments.inbox.purge({ unrecognizedOlderThanMs: 999 })).toBe(1);
      expect(await payments.inbox.conflicts()).toEqual([]);
      await expect(payments.inbox.purge({ unrecognizedOlderThanMs: 0 })).rejects.toMatchObject({
        errors: { unrecognizedOlderThanMs: [expect.stringContaining('from 1 to 36,500 days')] },
      });
    });

    const setAsideByAnOlderVersion = (name: string): Promise<void> => {
      const event = paymentEvent(name, { reference: 'order-1', amount: '1180.50' });
      const scope = { account: 'default', environment: 'sandbox' } as const;
      const payload = JSON.stringify(event);
      const rest = { event: name, reference: 'order-1', fingerprint: 'b1', payload } as const;
      return storage.conflicts.setAside({ ...scope, ...rest, kind: 'unrecognized' });
    };
  });

  describe('by its reference', () => {
    it('is told apart from our own, even if it comes before the answer of the call', async () => {
      sandbox.next('POST /payments/mobile-money').delay('1s');
      sandbox.deliverTo(payments.webhookUrl);
      const made = new Promise<void>((resolve) => {
        sandbox.on('payment', () => {
          resolve();
        });
      });
      const call = payments.collections.mobileMoney(collectionRequest);
      await made;
      await sandbox.customer(PHONE).approve('order-1');
      expect(contexts()).toEqual([['payment.success', true]]);
      await sandbox.clock.advance('1s');
      await call;
      expect(await deliver('payment.success', { reference: 'from-elsewhere' })).toBe(200);
      expect(contexts()).toEqual([
        ['payment.success', true],
        ['payment.success', false],
      ]);
    });

    it('is set aside if the options say so, whatever it says, and is released to its handlers', async () => {
      await restart('set-aside');
      await payments.collections.mobileMoney(collectionRequest);
      expect(await deliver('payment.success')).toBe(200);
      expect(await deliver('payment.success', { reference: 'from-elsewhere' })).toBe(200);
      expect(await deliver('payment.success', { reference: 'from-elsewhere' })).toBe(200);
      expect(await deliver('payment.refunded', { reference: 'from-elsewhere' })).toBe(200);
      expect(contexts()).toEqual([['payment.success', true]]);
      const conflicts = await payments.inbox.conflicts();
      expect(conflicts).toMatchObject([
        { kind: 'unknown-reference', event: 'payment.success', reference: 'from-elsewhere', seen: 2 },
        { kind: 'unknown-reference', event: 'payment.refunded', reference: 'from-elsewhere', seen: 1 },
      ]);
      await payments.inbox.release(conflicts[0]?.id ?? '');
      expect(contexts()).toEqual([
        ['payment.success', true],
        ['payment.success', false],
      ]);
      await expect(payments.inbox.release(conflicts[1]?.id ?? '')).rejects.toMatchObject({
        code: 'EVENT_UNRECOGNIZED',
      });
      now += 2;
      expect(await payments.inbox.purge({ unknownReferencesOlderThanMs: 1 })).toBe(1);
    });

    it('is acknowledged and dropped if the options say so, and is reported in the diagnostics', async () => {
      await restart('acknowledge', Curious);
      const results: unknown[] = [];
      const stop = onPaymentsDiagnostics(WEBHOOK_END_CHANNEL, ({ kind, result, status }) => {
        results.push([kind, result, status]);
      });
      await payments.disbursements.mobileMoney(mobileRequest);
      expect(await deliver('payment.success', { reference: 'from-elsewhere' })).toBe(200);
      expect(await deliver('payment.success', { reference: 'from-elsewhere', status: 'failed' })).toBe(200);
      expect(await deliver('payout.late', { reference: 'from-elsewhere' })).toBe(200);
      expect(contexts()).toEqual([]);
      expect(await payments.inbox.conflicts()).toEqual([]);
      const ignored = ['unknown-reference', 'ignored', 200];
      expect(results).toEqual([ignored, ignored, ignored]);
      // An event of a name that nobody knows may be about a payout of ours.
      expect(await deliver('payout.paid', { reference: mobileRequest.reference })).toBe(200);
      expect(payments.app.get(Curious).heard).toEqual([['payout.paid', true]]);
      stop();
    });

    it.each([' order-1', 'order-1 ', '\torder-1\n', '\u00a0order-1', 'order-1\u200b', '\ufefforder-1'])(
      'is a mismatch, not unknown, if only white space distinguishes it from ours: %j',
      async (reference) => {
        await restart('acknowledge');
        await payments.collections.mobileMoney(collectionRequest);
        expect(await deliver('payment.success', { reference, amount: '1.00' })).toBe(200);
        expect(payments.seen.events).toEqual(['mismatch']);
        expect(await payments.inbox.conflicts()).toMatchObject([{ kind: 'mismatch', reference }]);
        expect(await outcomeOf('order-1')).toBeUndefined();
        expect(await deliver('payment.success')).toBe(200);
        expect(await outcomeOf('order-1')).toBe('success');
      },
    );

    it('is not released if white space surrounds its reference, and its amount is another one', async () => {
      await restart('acknowledge');
      await payments.collections.mobileMoney(collectionRequest);
      await deliver('payment.success', { reference: ' order-1 ', amount: '1.00' });
      const [conflict] = await payments.inbox.conflicts();
      await expect(payments.inbox.release(conflict!.id)).rejects.toThrow();
      expect(await outcomeOf('order-1')).toBeUndefined();
      expect(await payments.inbox.conflicts()).toHaveLength(1);
      expect(payments.seen.events).toEqual(['mismatch']);
    });

    it('is handled once if it is released, however often it comes', async () => {
      await restart('set-aside');
      await deliver('payment.success', { reference: 'from-elsewhere' });
      const [conflict] = await payments.inbox.conflicts();
      await payments.inbox.release(conflict!.id);
      expect(await deliver('payment.success', { reference: 'from-elsewhere' })).toBe(200);
      expect(payments.seen.events).toEqual(['payment.success']);
      expect(await payments.inbox.conflicts()).toEqual([]);
      expect(await deliver('payment.failed', { reference: 'from-elsewhere' })).toBe(200);
      expect(payments.seen.events).toEqual(['payment.success']);
      expect(await payments.inbox.conflicts()).toMatchObject([{ event: 'payment.failed' }]);
    });

    it.each([
      ['was handled', undefined],
      ['was not finished', new Error('no')],
    ])(
      'is a mismatch, and no outcome, if it %s before we made a payment of another amount',
      async (_how, failWith) => {
        payments.seen.failWith = failWith;
        const before = failWith ? [] : ['payment.success'];
        await deliver('payment.success', { amount: '1.00' });
        await payments.collections.mobileMoney(collectionRequest);
        expect(await deliver('payment.success', { amount: '1.00' })).toBe(200);
        expect(payments.seen.events).toEqual([...before, 'mismatch']);
        expect(await payments.inbox.conflicts()).toMatchObject([{ kind: 'mismatch' }]);
        expect(await outcomeOf('order-1')).toBeUndefined();
      },
    );

    it('becomes the outcome of our payment if it is released although white space surrounds its reference', async () => {
      await restart('acknowledge');
      await payments.collections.mobileMoney(collectionRequest);
      await deliver('payment.success', { reference: ' order-1 ', provider_reference: 'p1' });
      const [conflict] = await payments.inbox.conflicts();
      await payments.inbox.release(conflict!.id);
      expect(await outcomeOf('order-1')).toBe('success');
      expect(payments.seen.events).toEqual(['mismatch', 'payment.success']);
      expect(await deliver('payment.success', { provider_reference: 'p1' })).toBe(200);
      expect(payments.seen.events).toEqual(['mismatch', 'payment.success']);
    });
  });
});
