import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { InFlight } from '../../../../lib/common/in-flight.js';
import { type JournalStore } from '../../../../lib/storage/journal-store.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import {
  GatewayUnreachableError,
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  PaymentsAuthenticationError,
} from '../../../../lib/errors/payments-errors.js';
import { type CallResult } from '../../../../lib/gateway/call-result.js';
import { type GatewayClient, type RequestRules } from '../../../../lib/gateway/gateway-client.js';
import { HandlerEnlistments } from '../../../../lib/journal/payment/handler-enlistments.js';
import { createPayments, type Payments } from '../../../../lib/journal/payment/payments.js';
import { writtenRequest } from '../../../../lib/journal/payment/payment-identity.js';
import { recordedCall } from '../../../../lib/journal/payment/recorded-call.js';
import { openMs } from '../../../../lib/journal/recovery/recovery-decision.js';
import { journalRecord, storedBy } from '../../../support/journal-contract.js';

const NO_LIMITS = { minCents: undefined, maxCents: undefined, perDay: undefined };
const plain = journalRecord('order-1', { state: 'planned', body: '{"reference":"order-1"}' });
const call = recordedCall(plain);
const { probe: _probe, sent: _sent, ...record } = { ...plain, bodyHash: writtenRequest(call).bodyHash };
const SUCCESS = {
  end: 'success',
  success: { value: {}, text: '{}', envelope: { code: 'OK', message: '', httpStatus: 200 }, warnings: [] },
  attempts: [],
} as unknown as CallResult<object>;
const failed = (change: object): CallResult<object> =>
  ({ openProbe: undefined, answered: true, ...change }) as unknown as CallResult<object>;
const REJECTED = failed({
  end: 'rejected',
  proven: true,
  error: new PaymentRejectedError('NO', 'it was refused'),
});
const UNPROVEN = failed({ ...REJECTED, proven: false });
const UNKNOWN = failed({
  end: 'unknown',
  evidence: 'no-answer',
  error: new PaymentOutcomeUnknownError('no-answer', 'no answer came'),
});
const TURNED_AWAY = failed({
  end: 'authentication',
  error: new PaymentsAuthenticationError('UNAUTHORIZED', 'turned away'),
});
const UNREACHABLE = failed({
  end: 'unreachable',
  answered: false,
  error: new GatewayUnreachableError('nothing was sent'),
});

describe('planned payments', () => {
  let journal: JournalStore;
  let end: CallResult<object>;
  let sent: object[];
  let places: InFlight;
  let pausedMs: number;
  let answer: Promise<void>;
  let errors: string[];
  const emit = vi.fn();
  let payments: Payments;

  beforeAll(() => {
    HandlerEnlistments.expect();
  });

  beforeEach(() => {
    journal = { ...bound(memoryStorage().journal) };
    // A transaction that is committed at once.
    Object.assign(journal, { within: () => Promise.resolve(journal) });
    end = SUCCESS;
    sent = [];
    errors = [];
    answer = Promise.resolve();
    places = new InFlight(1);
    pausedMs = 0;
    emit.mockClear();
    vi.spyOn(Logger.prototype, 'error').mockImplementation((line: string) => errors.push(line));
    vi.spyOn(Logger.prototype, 'warn').mockImplementation((line: string) => errors.push(line));
    const send: GatewayClient['send'] = async <T extends object>(
      _call: unknown,
      { idempotencyKey, body }: Parameters<GatewayClient['send']>[1],
    ) => {
      sent.push({ idempotencyKey, body });
      await answer;
      return end as CallResult<T>;
    };
    payments = createPayments(
      {
        account: 'default',
        environment: 'sandbox',
        baseUrl: 'https://gateway.example/api/v1',
        probe: { collection: undefined, disbursement: undefined },
        limits: { collection: NO_LIMITS, disbursement: NO_LIMITS },
        recoveryWindowMs: 900_000,
        timeoutMs: 1_000,
        deadlineMs: 60_000,
        retry: { maxAttempts: 1, baseDelayMs: 1, maxDelayMs: 1 },
      },
      journal,
      { emit },
      {
        rules: {} as RequestRules,
        read: vi.fn(),
        send,
        rateLimiter: { pausedMs: () => pausedMs },
      },
      places,
    );
  });

  it('stay planned while the account is paused after a 429', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const existing = storedBy(await journal.insert(record, 0));
    pausedMs = 1_000;
    const sending = payments.sendPlanned(existing);
    await vi.advanceTimersByTimeAsync(999);
    expect((await journal.get(record))?.version).toBe(existing.version);
    pausedMs = 0;
    await vi.advanceTimersByTimeAsync(1);
    expect((await sending)?.existing?.state).toBe('accepted');
  });

  it('are sent with the key and the bytes of the journal, by one of two that try', async () => {
    const existing = storedBy(await journal.insert(record, 0));
    const both = await Promise.all([payments.sendPlanned(existing), payments.sendPlanned(existing)]);
    expect(both.map((result) => result?.existing?.state)).toEqual(['accepted', undefined]);
    expect(sent).toEqual([{ idempotencyKey: record.idempotencyKey, body: record.body }]);
    expect(await payments.sendPlanned(existing)).toBeUndefined();
    expect(sent).toHaveLength(1);
  });

  it('are not sent beside a call of this process, and a call waits for who sends them', async () => {
    const existing = storedBy(await journal.insert(record, 0));
    let release = (): void => {};
    answer = new Promise((resolve) => (release = resolve));
    const sending = payments.sendPlanned(existing);
    const calling = payments.make(call, { idempotencyKey: record.idempotencyKey });
    release();
    await sending;
    await calling;
    expect(sent).toHaveLength(1);
  });

  it('make a call that waits for them end at its own deadline or signal, without a second payment', async () => {
    const existing = storedBy(await journal.insert(record, 0));
    let release = (): void => {};
    answer = new Promise((resolve) => (release = resolve));
    const sending = payments.sendPlanned(existing);
    await expect(payments.make(call, { deadlineMs: 5 })).rejects.toMatchObject({ evidence: 'in-flight' });
    const abort = new AbortController();
    const aborted = payments.make(call, { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(aborted).rejects.toMatchObject({ evidence: 'aborted' });
    release();
    await sending;
    expect(sent).toHaveLength(1);
  });

  it.each<[what: string, came: CallResult<object>, state: string, told: string, why: object]>([
    ['refused', REJECTED, 'rejected', 'payment.rejected', { code: 'NO', final: true }],
    ['refused, and unproven', UNPROVEN, 'rejected', 'payment.rejected', { code: 'NO', final: false }],
    ['unknown', UNKNOWN, 'unknown', 'payment.unknown', { evidence: 'no-answer' }],
  ])('that end %s without a caller are logged and announced', async (_, came, state, told, why) => {
    end = came;
    const existing = storedBy(await journal.insert(record, 0));
    expect((await payments.sendPlanned(existing))?.existing?.state).toBe(state);
    expect(errors.join()).toContain('"order-1"');
    const { idempotencyKey, operation, reference } = record;
    const payment = { account: 'default', family: 'collection', idempotencyKey, operation, reference };
    expect(emit.mock.calls).toEqual([[told, { ...payment, ...why }]]);
  });

  it.each([1, 2])('grow older by each vain try (attempt %i)', async (attempt) => {
    end = UNREACHABLE;
    const plannedAt = Date.now();
    await journal.insert({ ...record, attempt }, 0);
    for (const hours of [1, 2]) {
      vi.spyOn(Date, 'now').mockReturnValue(plannedAt + hours * 3_600_000);
      await payments.sendPlanned((await journal.get(record))!);
      const existing = (await journal.get(record))!;
      expect(existing).toMatchObject({ record: { state: 'planned', attempt }, ageMs: 0 });
      expect(openMs(existing)).toBeGreaterThanOrEqual(hours * 3_600_000 - 1_000);
    }
    vi.mocked(Date.now).mockRestore();
    expect(sent).toHaveLength(2);
  });

  it('are not said to be refused for good if the gateway turned an earlier try away', async () => {
    end = TURNED_AWAY;
    await payments.sendPlanned(storedBy(await journal.insert(record, 0)));
    end = REJECTED;
    await payments.sendPlanned((await journal.get(record))!);
    expect(emit.mock.calls).toMatchObject([['payment.rejected', { code: 'NO', final: false }]]);
  });

  it('stay planned, with their key, if the gateway turns them away, and say so', async () => {
    end = TURNED_AWAY;
    const enlisted = await payments.enlist({}, call);
    await expect(enlisted.send()).rejects.toMatchObject({ mayHaveBeenProcessed: 'not-by-this-call' });
    expect((await journal.get(record))?.record).toMatchObject({ state: 'planned', keepsKey: true });
    end = REJECTED;
    await expect(enlisted.send()).rejects.toMatchObject({ code: 'NO' });
    expect(emit).not.toHaveBeenCalled();
    expect((await journal.get(record))?.record).toMatchObject({ state: 'rejected', keepsKey: true });
  });

  it.each([{ deadlineMs: NaN }, { timeoutMs: 0 }, { attempt: 1 }, 'soon'])(
    'stay planned if send() gets the options %j, and say so',
    async (options) => {
      const enlisted = await payments.enlist({}, call);
      await expect(enlisted.send(options as object)).rejects.toMatchObject({
        name: 'PaymentsValidationError',
        mayHaveBeenProcessed: 'not-by-this-call',
        hint: expect.stringContaining('recover() sends it') as string,
      });
      expect(sent).toEqual([]);
      expect((await journal.get(record))?.record.state).toBe('planned');
    },
  );

  it('are left to recover() if there is no place for them, after the handlers and by send()', async () => {
    let end = (): void => {};
    const full = places.hold(new Promise<void>((resolve) => (end = resolve)));
    const handlers = new HandlerEnlistments();
    const enlisted = await handlers.run(() => payments.enlist({}, call));
    handlers.send();
    await payments.idle();
    expect(errors.join()).toContain('so the next recover() sends it: too many are in flight');
    await expect(enlisted.send()).rejects.toMatchObject({
      code: 'OVERLOADED',
      mayHaveBeenProcessed: 'not-by-this-call',
    });
    expect(sent).toEqual([]);
    expect((await journal.get(record))?.record.state).toBe('planned');
    // recover() limits itself.
    expect((await payments.sendPlanned((await journal.get(record))!))?.existing?.state).toBe('accepted');
    end();
    await full;
    await enlisted.send();
    expect(sent).toHaveLength(1);
  });

  it('have a place while they are sent after the handlers', async () => {
    let release = (): void => {};
    answer = new Promise((resolve) => (release = resolve));
    const handlers = new HandlerEnlistments();
    await handlers.run(() => payments.enlist({}, call));
    handlers.send();
    await expect.poll(() => sent).toHaveLength(1);
    expect(places.begin(() => Promise.resolve())).toBeUndefined();
    release();
    await payments.idle();
    expect(places.begin(() => Promise.resolve())).toBeDefined();
  });

  it('are not enlisted while a direct call runs that may send nothing, and are planned when it has ended', async () => {
    end = UNREACHABLE;
    let release = (): void => {};
    answer = new Promise((resolve) => (release = resolve));
    const calling = payments.make(call).catch((error: unknown) => error);
    await expect.poll(() => sent).toHaveLength(1);
    await expect(payments.enlist({}, call)).rejects.toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      evidence: 'in-flight',
      mayHaveBeenProcessed: true,
      hint: expect.stringContaining('run it again') as unknown,
    });
    release();
    await calling;
    expect(await journal.get(record)).toBeUndefined();
    expect(await payments.enlist({}, call)).toMatchObject({ state: 'planned', attempt: 1 });
  });

  it('are the same payments if they are enlisted while they are sent, and stay planned if nothing is sent', async () => {
    end = UNREACHABLE;
    const first = await payments.enlist({}, call);
    let release = (): void => {};
    answer = new Promise((resolve) => (release = resolve));
    const sending = first.send().catch((error: unknown) => error);
    await expect.poll(() => sent).toHaveLength(1);
    const { idempotencyKey } = first;
    expect(await payments.enlist({}, call)).toMatchObject({ state: 'in-flight', idempotencyKey });
    release();
    await sending;
    expect((await journal.get(record))?.record).toMatchObject({ state: 'planned', idempotencyKey });
  });

  it('that were never committed are not sent, and neither is one that was forgotten', async () => {
    const enlisted = await payments.enlist({}, call);
    const { version } = (await journal.get(record))!;
    await journal.remove(record, version);
    await expect(enlisted.send()).rejects.toMatchObject({ code: 'ENTRY_NOT_FOUND' });
    const tombstone = { attempt: 1, end: 'success' } as const;
    Object.assign(journal, { tombstone: () => Promise.resolve(tombstone) });
    await expect(enlisted.send()).rejects.toMatchObject({ name: 'ReferenceReusedError' });
    expect(sent).toEqual([]);
  });

  describe('that handlers enlist', () => {
    const handled = async (): Promise<HandlerEnlistments> => {
      const enlistments = new HandlerEnlistments();
      await enlistments.run(() => payments.enlist({}, call));
      return enlistments;
    };

    it('are sent when the delivery is committed, once', async () => {
      const enlistments = await handled();
      expect(sent).toEqual([]);
      enlistments.send();
      enlistments.send();
      await payments.idle();
      expect(sent).toHaveLength(1);
    });

    it('stay planned if the application stops', async () => {
      const enlistments = await handled();
      payments.stop();
      enlistments.send();
      await payments.idle();
      expect(sent).toEqual([]);
      expect((await journal.get(record))?.record.state).toBe('planned');
    });

    it('stay planned if the journal hangs, and hold no shutdown', async () => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const enlistments = await handled();
      Object.assign(journal, { get: () => new Promise(() => undefined) });
      enlistments.send();
      const idle = payments.idle();
      await vi.advanceTimersByTimeAsync(5_000);
      await idle;
      expect([sent, errors.length]).toEqual([[], 1]);
      expect(places.begin(() => Promise.resolve())).toBeUndefined();
    });

    it('stay planned if the journal fails, which is logged', async () => {
      const enlistments = await handled();
      Object.assign(journal, { get: () => Promise.reject(new Error('away')) });
      enlistments.send();
      await payments.idle();
      expect([sent, errors.length]).toEqual([[], 1]);
    });
  });
});

/** Methods that may be replaced one by one. */
function bound(journal: JournalStore): JournalStore {
  const names = ['insert', 'get', 'replace', 'remove', 'list', 'tombstone', 'endTombstone', 'purge'] as const;
  return Object.fromEntries(
    names.map((name) => [name, journal[name].bind(journal)]),
  ) as unknown as JournalStore;
}
