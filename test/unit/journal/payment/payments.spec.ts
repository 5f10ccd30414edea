import { beforeEach, describe, expect, it, vi, type Mock, onTestFinished } from 'vitest';
import { InFlight } from '../../../../lib/common/in-flight.js';
import { type JournalStore } from '../../../../lib/storage/journal-store.js';
import {
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  type PaymentsError,
} from '../../../../lib/errors/payments-errors.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { type FailureVerdict } from '../../../../lib/gateway/call-error.js';
import { type CallResult, type CallFailure } from '../../../../lib/gateway/call-result.js';
import { type GatewayClient, type RequestRules } from '../../../../lib/gateway/gateway-client.js';
import { createPayments, type Payments } from '../../../../lib/journal/payment/payments.js';
import { recordedCall } from '../../../../lib/journal/payment/recorded-call.js';
import { journalRecord, storedBy } from '../../../support/journal-contract.js';
import { remoteJournal } from '../../../support/remote-journal.js';

const NO_LIMITS = { minCents: undefined, maxCents: undefined, perDay: undefined };
const record = journalRecord('order-1', {
  body: '{"reference":"order-1"}',
  state: 'unknown',
  evidence: 'no-answer',
});
const failed = (verdict: FailureVerdict, error: PaymentsError): CallFailure => ({
  ...verdict,
  error,
  openProbe: undefined,
  answered: false,
});
const UNKNOWN = failed(
  { end: 'unknown', evidence: 'no-answer' },
  new PaymentOutcomeUnknownError('no-answer', 'no answer came'),
);
const REJECTED = failed({ end: 'rejected', proven: true }, new PaymentRejectedError('REFUSED', 'refused'));
const SUCCESS = {
  end: 'success',
  success: {
    value: {},
    text: '{}',
    envelope: { code: 'OK', message: '', httpStatus: 200 },
    warnings: [],
  },
  attempts: [],
} as unknown as CallResult<object>;

const OPTIONS: Parameters<typeof createPayments>[0] = {
  account: 'default',
  environment: 'sandbox',
  baseUrl: 'https://gateway.example/api/v1',
  probe: { collection: { afterAnswerMs: 0, afterSilenceMs: 0 }, disbursement: undefined },
  limits: { collection: NO_LIMITS, disbursement: NO_LIMITS },
  recoveryWindowMs: 900_000,
  timeoutMs: 1_000,
  deadlineMs: 60_000,
  retry: { maxAttempts: 1, baseDelayMs: 1, maxDelayMs: 1 },
};

describe('the calls that move money', () => {
  let journal: JournalStore;
  let end: CallResult<object>;
  /** What the first calls end in, before `end`. */
  let earlier: CallResult<object>[];
  let sent: number;
  let setup: Parameters<GatewayClient['send']>[1] | undefined;
  let emit: Mock;
  let payments: Payments;
  const send: GatewayClient['send'] = <T extends object>(
    _call: unknown,
    given: Parameters<GatewayClient['send']>[1],
  ) => {
    sent += 1;
    setup = given;
    return Promise.resolve((earlier.shift() ?? end) as CallResult<T>);
  };

  beforeEach(() => {
    ({ journal } = memoryStorage());
    end = UNKNOWN;
    earlier = [];
    sent = 0;
    setup = undefined;
    emit = vi.fn();
    const gateway = {
      rules: {} as RequestRules,
      read: vi.fn(),
      send,
      rateLimiter: { pausedMs: () => 0 },
    };
    payments = createPayments(OPTIONS, journal, { emit }, gateway, new InFlight(10));
  });

  it.each<[what: string, came: CallResult<object>, announced: boolean]>([
    ['its outcome is unknown', UNKNOWN, true],
    ['it was refused', REJECTED, false],
    ['it was accepted', SUCCESS, false],
  ])('announce a payment as unknown, or not: %s', async (_, came, announced) => {
    end = came;
    await payments.make(recordedCall(record)).catch(() => {});
    expect(sent).toBe(1);
    expect(emit.mock.calls).toEqual(
      announced
        ? [
            [
              'payment.unknown',
              expect.objectContaining({ account: 'default', reference: 'order-1', evidence: 'no-answer' }),
            ],
          ]
        : [],
    );
  });

  it.each([
    ['refused', REJECTED],
    ['unknown', UNKNOWN],
  ])('give who joins the end of the call that was under way: %s', async (_, came) => {
    end = came;
    const both = [1, 2].map(() => payments.make(recordedCall(record)));
    const [first, second] = await Promise.allSettled(both);
    expect(first).toEqual({ status: 'rejected', reason: came.error });
    expect(second).toEqual(first);
    expect(sent).toBe(1);
  });

  it('are made by who joined a call whose caller gave up before anything was sent', async () => {
    earlier = [{ end: 'aborted', reason: new Error('enough'), answered: false }];
    end = SUCCESS;
    const both = [1, 2].map(() => payments.make(recordedCall(record)));
    const [first, second] = await Promise.allSettled(both);
    expect(first).toMatchObject({ status: 'rejected', reason: { message: 'enough' } });
    expect(second).toMatchObject({ status: 'fulfilled' });
    expect(sent).toBe(2);
  });

  it.each([
    ['behind a network, if a payment may be sent once more', true, OPTIONS.probe, true],
    [
      'behind a network, if a payment is never sent once more',
      true,
      { ...OPTIONS.probe, collection: undefined },
      false,
    ],
    ['that ends with this process', false, OPTIONS.probe, false],
  ])('note that they begin to send in a journal %s', async (_, isRemote, probe, notes) => {
    const store = isRemote ? remoteJournal(journal) : journal;
    const gateway = {
      rules: {} as RequestRules,
      read: vi.fn(),
      send,
      rateLimiter: { pausedMs: () => 0 },
    };
    const calls = createPayments({ ...OPTIONS, probe }, store, { emit }, gateway, new InFlight(10));
    await calls.make(recordedCall(record)).catch(() => {});
    expect(setup?.onSending !== undefined).toBe(notes);
  });

  it('leave the one further try to the process that took it first', async () => {
    const seen = storedBy(await journal.insert(record, 0));
    await journal.replace(seen.version, seen.record, 60_000);
    expect(await payments.probe(seen)).toBeUndefined();
    expect(sent).toBe(0);
  });

  it('make the one further try if no other process did', async () => {
    const seen = storedBy(await journal.insert(record, 0));
    end = SUCCESS;
    expect(await payments.probe(seen)).toMatchObject({ existing: { state: 'accepted' } });
    expect(sent).toBe(1);
  });

  describe('while the account is paused after a 429', () => {
    let pausedMs: number;

    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      end = SUCCESS;
      pausedMs = 1_000;
      const gateway = {
        rules: {} as RequestRules,
        read: vi.fn(),
        send,
        rateLimiter: { pausedMs: () => pausedMs },
      };
      payments = createPayments(OPTIONS, journal, { emit }, gateway, new InFlight(10));
    });

    it('are not written down: nobody would know of a killed process that they were never sent', async () => {
      const making = payments.make(recordedCall(record));
      await vi.advanceTimersByTimeAsync(999);
      expect(await journal.get(record)).toBeUndefined();
      pausedMs = 500;
      await vi.advanceTimersByTimeAsync(500);
      expect(await journal.get(record)).toBeUndefined();
      pausedMs = 0;
      await vi.advanceTimersByTimeAsync(1);
      await making;
      expect((await journal.get(record))?.record.state).toBe('accepted');
      expect([sent, setup?.waitedMs]).toEqual([1, 1_500]);
    });

    it('end at once if their caller gives up, and leave nothing', async () => {
      const caller = new AbortController();
      const making = payments.make(recordedCall(record), { signal: caller.signal });
      await vi.advanceTimersByTimeAsync(500);
      caller.abort(new Error('enough'));
      await expect(making).rejects.toThrow('enough');
      expect(await journal.get(record)).toBeUndefined();
      expect(sent).toBe(0);
    });

    it('leave the one further try as it is until the pause is over', async () => {
      const seen = storedBy(await journal.insert(record, 0));
      const probing = payments.probe(seen);
      await vi.advanceTimersByTimeAsync(999);
      expect((await journal.get(record))?.version).toBe(seen.version);
      pausedMs = 0;
      await vi.advanceTimersByTimeAsync(1);
      expect(await probing).toMatchObject({ existing: { state: 'accepted' } });
      expect([sent, setup?.waitedMs]).toEqual([1, 1_000]);
    });

    it('are answered at once if the journal forbids them', async () => {
      await journal.insert({ ...record, state: 'unknown' }, 60_000);
      await expect(payments.make(recordedCall(record))).rejects.toMatchObject({
        name: 'ReferenceReusedError',
      });
      expect(sent).toBe(0);
    });

    it('wait for no journal longer than they may', async () => {
      const hung = { ...remoteJournal(journal), get: () => new Promise<undefined>(() => {}) };
      const gateway = {
        rules: {} as RequestRules,
        read: vi.fn(),
        send,
        rateLimiter: { pausedMs: () => pausedMs },
      };
      payments = createPayments(OPTIONS, hung, { emit }, gateway, new InFlight(10));
      const caller = new AbortController();
      const making = payments.make(recordedCall(record), { signal: caller.signal });
      await vi.advanceTimersByTimeAsync(10);
      caller.abort(new Error('enough'));
      await expect(making).rejects.toThrow('enough');
      expect(sent).toBe(0);
    });
  });

  it('make a payment by themselves that send() does not find, because its transaction was rolled back', async () => {
    const call = recordedCall(record);
    end = SUCCESS;
    // What is written here is never committed.
    Object.assign(journal, { within: () => Promise.resolve(memoryStorage().journal) });
    const enlisted = await payments.enlist({}, call);
    const [first, direct] = await Promise.allSettled([enlisted.send(), payments.make(call)]);
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'ENTRY_NOT_FOUND' } });
    expect(direct).toMatchObject({ status: 'fulfilled' });
    expect(sent).toBe(1);
  });
});
