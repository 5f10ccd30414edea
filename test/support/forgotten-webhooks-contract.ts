import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Injectable } from '@nestjs/common';
import {
  hmac,
  type JournalEntry,
  OnPayment,
  type PaymentEventContext,
  type PaymentsModuleOptions,
  type PaymentsStorage,
} from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { useQueue, type QueuedDelivery, workOn } from './delivery-queue.js';
import { eventually } from './eventually.js';
import { collectionRequest } from './gateway-answers.js';
import { type PaymentsApp, startPaymentsApp } from './payments-app.js';
import { startSandbox } from './sandbox.js';

/** A storage under test, with a clock that the suite can move. */
export interface ForgettingStorage {
  readonly storage: PaymentsStorage;
  pass(ms: number): Promise<void> | void;
}

const LONGER_THAN_RETENTION_MS = 31 * 86_400_000;
/** The gateway signs the time of every delivery, so a late one is as fresh as any. */
const SCHEME = hmac({
  header: 'x-webhook-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  payload: ['timestamp', 'body'],
  timestamp: { header: 'x-webhook-time', unit: 's', toleranceSeconds: 300 },
});

const NAMES = { 'payment.success': 'success', 'payment.failed': 'failed' } as const;
type Name = keyof typeof NAMES;

@Injectable()
class SecondHandler {
  attempts: number[] = [];
  failWith: Error | undefined;
  waitsFor: Promise<void> | undefined;

  @OnPayment('*')
  async outcome(_event: unknown, { attempt }: PaymentEventContext): Promise<void> {
    this.attempts.push(attempt);
    await this.waitsFor;
    if (!this.failWith) return;
    const error = this.failWith;
    this.failWith = undefined;
    throw error;
  }
}

/**
 * What holds for webhooks whose outcome the inbox has forgotten. Call it inside a `describe`.
 *
 * @param options.undoes Whether the handlers run in a transaction.
 */
export function forgottenWebhooksContract(
  open: () => Promise<ForgettingStorage> | ForgettingStorage,
  { undoes = false }: { readonly undoes?: boolean } = {},
): void {
  let sandbox: PaymentsSandbox;
  let subject: ForgettingStorage;
  let payments: PaymentsApp;
  let second: SecondHandler;

  async function start(
    webhooks: Partial<NonNullable<PaymentsModuleOptions['webhooks']>> = {},
  ): Promise<void> {
    const secrets = [sandbox.webhookSecret];
    const options = { ...sandbox.moduleOptions(), webhooks: { scheme: SCHEME, secrets, ...webhooks } };
    payments = await startPaymentsApp({ ...options, storage: subject.storage }, [SecondHandler]);
    second = payments.app.get(SecondHandler);
  }

  const storedEntry = (): Promise<JournalEntry | undefined> => payments.journal.get('collection', 'order-1');

  async function deliver(name: Name, data: object = {}): Promise<number> {
    const event = paymentEvent(name, {
      reference: 'order-1',
      amount: '1180.50',
      provider_reference: 'p1',
      ...data,
    });
    const body = JSON.stringify(event);
    const signature = signWebhook({ scheme: SCHEME, secret: sandbox.webhookSecret, body });
    const headers = { 'content-type': 'application/json', ...signature };
    return (await fetch(payments.webhookUrl, { method: 'POST', headers, body })).status;
  }

  /** Makes it a payment that the gateway has refused. */
  async function refuse(): Promise<void> {
    const { journal } = subject.storage;
    const key = {
      account: 'default',
      environment: 'sandbox',
      family: 'collection',
      reference: 'order-1',
    } as const;
    const { version, record } = (await journal.get(key))!;
    await journal.replace(version, { ...record, state: 'rejected' }, 0);
  }

  async function forget(): Promise<void> {
    await subject.pass(LONGER_THAN_RETENTION_MS);
    expect(await payments.inbox.purge()).toBeGreaterThan(0);
  }

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    subject = await open();
    await start();
    await payments.collections.mobileMoney(collectionRequest);
  });
  afterEach(() => payments.app.close());

  it('does not run again what was handled before the purge', async () => {
    expect(await deliver('payment.success')).toBe(200);
    await forget();
    expect(await deliver('payment.success')).toBe(200);
    expect(await deliver('payment.success', { provider_reference: null })).toBe(200);
    expect(second.attempts).toEqual([1]);
    expect(await payments.inbox.conflicts()).toEqual([]);
    expect(await storedEntry()).toMatchObject({ state: 'settled', outcome: 'success' });
  });

  it('is believed by the worker of a queue too, even if it comes out of the queue after the purge', async () => {
    const queue: QueuedDelivery[] = [];
    useQueue(payments.app, (delivery) => {
      queue.push(delivery);
      return Promise.resolve();
    });
    const work = async (): Promise<unknown> =>
      Promise.all(queue.splice(0).map((delivery) => workOn(payments.app, delivery)));
    await deliver('payment.success');
    const [late] = queue;
    expect(await work()).toEqual([{ status: 200 }]);
    await forget();
    queue.push(late!);
    await deliver('payment.success');
    await deliver('payment.failed');
    expect(await work()).toEqual([{ status: 200 }, { status: 200 }, { status: 200 }]);
    expect(second.attempts).toEqual([1]);
    expect(await payments.inbox.conflicts()).toMatchObject([{ kind: 'conflict', event: 'payment.failed' }]);
    expect(await storedEntry()).toMatchObject({ state: 'settled', outcome: 'success' });
  });

  it('is believed also after the journal has forgotten the payment, which leaves a tombstone', async () => {
    expect(await deliver('payment.success')).toBe(200);
    await forget();
    expect(await payments.journal.purge({ olderThanMs: 1 })).toBe(1);
    expect(await storedEntry()).toBeUndefined();
    expect(await deliver('payment.success')).toBe(200);
    expect(await deliver('payment.failed')).toBe(200);
    expect(payments.seen.events).toEqual(['payment.success', 'conflict']);
    expect(second.attempts).toEqual([1]);
  });

  it.each(['a refusal', "an operator's failed"])(
    'is believed, even if the journal had forgotten the payment before, with %s, and brings its tombstone up to date',
    async (how) => {
      if (how === 'a refusal') await refuse();
      else await payments.journal.settle('collection', 'order-1', 'failed');
      await subject.pass(1_000);
      expect(await payments.journal.purge({ olderThanMs: 1, rejectedOlderThanMs: 1 })).toBe(1);
      expect(await deliver('payment.success')).toBe(200);
      expect(second.attempts).toEqual([1]);
      const [{ id, event } = { id: '' }] = await payments.inbox.conflicts();
      expect(event).toBe('payment.success');
      await payments.inbox.discard(id);
      expect(await deliver('payment.success')).toBe(200);
      expect(await payments.inbox.conflicts()).toEqual([]);
      await forget();
      expect(await deliver('payment.success')).toBe(200);
      expect(await deliver('payment.failed')).toBe(200);
      expect(second.attempts).toEqual([1]);
      expect(payments.seen.events).toEqual(['conflict', 'payment.success', 'conflict']);
      expect(await payments.inbox.conflicts()).toMatchObject([{ event: 'payment.failed', seen: 1 }]);
    },
  );

  it.each([
    ['payment.success', 'payment.failed'],
    ['payment.failed', 'payment.success'],
  ] as const)('does not turn %s into %s after the purge, and sets that aside', async (first, other) => {
    expect(await deliver(first)).toBe(200);
    await forget();
    expect(await deliver(other)).toBe(200);
    expect(await deliver(other)).toBe(200);
    expect(payments.seen.events).toEqual([first, 'conflict']);
    expect(second.attempts).toEqual([1]);
    expect(await storedEntry()).toMatchObject({ state: 'settled', outcome: NAMES[first] });
    expect(await payments.inbox.conflicts()).toMatchObject([{ kind: 'conflict', event: other, seen: 2 }]);
  });

  it('lets an operator turn it around after the purge, and believes that from then on', async () => {
    await deliver('payment.failed');
    await forget();
    await deliver('payment.success');
    const [{ id } = { id: '' }] = await payments.inbox.conflicts();
    await payments.inbox.release(id);
    expect(payments.seen.events).toEqual(['payment.failed', 'conflict', 'payment.success']);
    expect(await storedEntry()).toMatchObject({ outcome: 'success' });
    await forget();
    expect(await deliver('payment.success')).toBe(200);
    expect(await deliver('payment.failed')).toBe(200);
    expect(payments.seen.events).toEqual(['payment.failed', 'conflict', 'payment.success', 'conflict']);
    expect(await storedEntry()).toMatchObject({ outcome: 'success' });
  });

  const MISMATCHES: [what: string, data: object, contradictsItself: boolean][] = [
    ['another amount', { amount: '1.00' }, false],
    ['another currency', { currency: 'KES' }, true],
    ['a status that its name does not say', { status: 'failed' }, true],
  ];
  /** Sets a mismatch aside. */
  async function mismatch(data: object): Promise<string> {
    expect(await deliver('payment.success', data)).toBe(200);
    const [{ id } = { id: '' }] = await payments.inbox.conflicts();
    return id;
  }

  it.each(MISMATCHES)('recognizes a mismatch that an operator released: %s', async (_what, data) => {
    await payments.inbox.release(await mismatch(data));
    expect(await deliver('payment.success', data)).toBe(200);
    expect(await deliver('payment.success', data)).toBe(200);
    expect(payments.seen.events).toEqual(['mismatch', 'payment.success']);
    expect(second.attempts).toEqual([1]);
    expect(await payments.inbox.conflicts()).toEqual([]);
    expect(await storedEntry()).toMatchObject({ state: 'settled', outcome: 'success' });
    // The journal keeps the amount of the payment: only the inbox knows what was released.
    await forget();
    expect(await deliver('payment.success', data)).toBe(200);
    expect(second.attempts).toEqual([1]);
    expect(await payments.inbox.conflicts()).toMatchObject([{ kind: 'mismatch' }]);
  });

  it('is set aside again if it has white space around its reference: it may be another charge', async () => {
    const spaced = { reference: ' order-1 ' };
    await payments.inbox.release(await mismatch(spaced));
    expect(await deliver('payment.success', spaced)).toBe(200);
    expect(payments.seen.events).toEqual(['mismatch', 'payment.success']);
    expect(await payments.inbox.conflicts()).toMatchObject([{ kind: 'mismatch' }]);
  });

  it.each(MISMATCHES)('is kept while the handlers of its reference run: %s', async (_what, data) => {
    await payments.app.close();
    await start({ inFlightWaitMs: 10 });
    let end = (): void => {};
    second.waitsFor = new Promise((resolve) => {
      end = resolve;
    });
    const running = deliver('payment.success');
    await eventually(() => {
      expect(second.attempts).toEqual([1]);
    });
    const answer = await deliver('payment.success', data);
    end();
    expect([answer, await running]).toEqual([200, 200]);
    expect(await payments.inbox.conflicts()).toMatchObject([{ kind: 'mismatch' }]);
  });

  it.each(MISMATCHES)('runs what a release has not finished: %s', async (_what, data, contradictsItself) => {
    const id = await mismatch(data);
    second.failWith = new Error('not yet');
    await expect(payments.inbox.release(id)).rejects.toMatchObject({ code: 'HANDLER_FAILED' });
    expect(await deliver('payment.success', data)).toBe(200);
    // A transaction undoes what a release that fails wrote. An event that contradicts itself proves one without that.
    if (undoes && !contradictsItself) {
      expect(second.attempts).toEqual([1]);
      expect(await payments.inbox.conflicts()).toMatchObject([{ seen: 2 }]);
    } else {
      expect(second.attempts).toEqual([1, 2]);
    }
    await payments.inbox.release(id);
    expect(second.attempts).toHaveLength(2);
    expect(await payments.inbox.conflicts()).toEqual([]);
    expect(await deliver('payment.success', data)).toBe(200);
    expect(second.attempts).toHaveLength(2);
    expect(await payments.inbox.conflicts()).toEqual([]);
  });

  it('lets `supersede` replace after the purge what it may, and nothing else', async () => {
    await payments.app.close();
    await start({ supersede: [['payment.failed', 'payment.success']] });
    await deliver('payment.failed');
    await forget();
    expect(await deliver('payment.success')).toBe(200);
    expect(await storedEntry()).toMatchObject({ outcome: 'success' });
    await forget();
    expect(await deliver('payment.failed')).toBe(200);
    expect(payments.seen.events).toEqual(['payment.failed', 'payment.success', 'conflict']);
    expect(await storedEntry()).toMatchObject({ outcome: 'success' });
  });

  it('runs what had not finished, however old it is: nothing of that is purged', async () => {
    second.failWith = new Error('not yet');
    expect(await deliver('payment.success')).toBe(500);
    await subject.pass(LONGER_THAN_RETENTION_MS);
    expect(await payments.inbox.purge()).toBe(0);
    expect(await deliver('payment.success')).toBe(200);
    expect(second.attempts).toEqual([1, 2]);
    await forget();
    expect(await deliver('payment.success')).toBe(200);
    expect(second.attempts).toEqual([1, 2]);
  });

  it.each(['success', 'failed'] as const)(
    "runs the handlers once for the webhook that comes after an operator's %s",
    async (word) => {
      await payments.journal.settle('collection', 'order-1', word);
      expect(await deliver('payment.success', { provider_reference: null })).toBe(200);
      await forget();
      expect(await deliver('payment.success', { provider_reference: null })).toBe(200);
      expect(second.attempts).toEqual([1]);
      expect(await storedEntry()).toMatchObject({ outcome: 'success' });
    },
  );

  describe('a process that is stopped between its look at the journal and its claim', () => {
    let beforeClaim: (() => Promise<void>) | undefined;

    beforeEach(async () => {
      const { inbox } = subject.storage;
      const slow = Object.assign(Object.create(inbox) as typeof inbox, {
        claim: async (...args: Parameters<typeof inbox.claim>) => {
          const happens = beforeClaim;
          beforeClaim = undefined;
          await happens?.();
          return inbox.claim(...args);
        },
      });
      subject = { ...subject, storage: { ...subject.storage, inbox: slow } };
      await payments.app.close();
      await start();
    });

    it.each([
      ['payment.success', 'payment.success'],
      ['payment.success', 'payment.failed'],
      ['payment.failed', 'payment.success'],
    ] as const)(
      'believes %s that another one handled and forgot, when it continues with %s',
      async (first, late) => {
        beforeClaim = async () => {
          expect(await deliver(first)).toBe(200);
          await forget();
        };
        expect(await deliver(late)).toBe(503);
        expect(await deliver(late)).toBe(200);
        expect(await deliver(first)).toBe(200);
        // In a transaction the handlers run before the journal is asked, and are undone.
        const undone = undoes ? [late] : [];
        const conflict = late === first ? [] : ['conflict'];
        expect(payments.seen.events).toEqual([first, ...undone, ...conflict]);
        expect(await storedEntry()).toMatchObject({ state: 'settled', outcome: NAMES[first] });
        expect(await payments.inbox.conflicts()).toHaveLength(conflict.length);
      },
    );

    it('takes its claim back if the payment was made meanwhile, with another amount', async () => {
      const later = { ...collectionRequest, reference: 'order-2' };
      beforeClaim = async () => {
        await payments.collections.mobileMoney(later);
      };
      expect(await deliver('payment.success', { reference: 'order-2', amount: '1.00' })).toBe(503);
      expect(await deliver('payment.success', { reference: 'order-2', amount: '1.00' })).toBe(200);
      expect(await deliver('payment.success', { reference: 'order-2' })).toBe(200);
      const undone = undoes ? ['payment.success'] : [];
      expect(payments.seen.events).toEqual([...undone, 'mismatch', 'payment.success']);
      expect(await payments.journal.get('collection', 'order-2')).toMatchObject({ outcome: 'success' });
    });

    it('continues with what another one settled and has not finished', async () => {
      second.failWith = new Error('not yet');
      beforeClaim = async () => {
        expect(await deliver('payment.success')).toBe(500);
      };
      expect(await deliver('payment.success')).toBe(200);
      expect(second.attempts).toEqual([1, 2]);
      expect(await storedEntry()).toMatchObject({ state: 'settled', outcome: 'success' });
    });
  });

  it('sets a second charge aside, before the purge and after it', async () => {
    await deliver('payment.success', { provider_reference: null });
    expect(await deliver('payment.success')).toBe(200);
    expect(payments.seen.events).toEqual(['payment.success']);
    expect(await deliver('payment.success', { provider_reference: 'p2' })).toBe(200);
    await forget();
    expect(await deliver('payment.success')).toBe(200);
    expect(await deliver('payment.success', { provider_reference: 'p3' })).toBe(200);
    expect(await deliver('payment.success', { provider_reference: null })).toBe(200);
    expect(payments.seen.events).toEqual(['payment.success', 'conflict', 'conflict']);
    const conflicts = await payments.inbox.conflicts();
    const charges = conflicts.map(({ payload }) => (JSON.parse(payload) as { data: object }).data);
    expect(charges).toMatchObject([{ provider_reference: 'p2' }, { provider_reference: 'p3' }]);
  });
}
