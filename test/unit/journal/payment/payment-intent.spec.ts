import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { performance } from 'node:perf_hooks';
import { type JournalRecord, type JournalStore } from '../../../../lib/storage/journal-store.js';
import { PaymentOutcomeUnknownError, PaymentRejectedError } from '../../../../lib/errors/payments-errors.js';
import { OutcomeRecorder } from '../../../../lib/journal/outcomes/outcome-recorder.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { type CallResult } from '../../../../lib/gateway/call-result.js';
import { toAcknowledged } from '../../../../lib/journal/payment/journal-transitions.js';
import { leaseUntil, PaymentIntent } from '../../../../lib/journal/payment/payment-intent.js';
import { eventually } from '../../../support/eventually.js';
import { SEALED } from '../../../support/stored-record.js';
import { journalRecord, storedBy } from '../../../support/journal-contract.js';

afterEach(() => {
  vi.restoreAllMocks();
});

async function begun(journal: JournalStore, record: JournalRecord): Promise<PaymentIntent> {
  const begin = await PaymentIntent.begin(journal, record, undefined, performance.now() + 1_000);
  if ('intent' in begin) return begin.intent;
  throw new Error('an entry exists');
}

it('leaves a later attempt alone, even if the caller gave both attempts one key', async () => {
  const error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
  const { journal } = memoryStorage();
  const first = journalRecord('order-1', { state: 'in-flight', attempt: 1, idempotencyKey: 'own-key' });
  const intent = await begun(journal, first);
  const existing = await journal.get(first);
  const second = journalRecord('order-1', { state: 'in-flight', attempt: 2, idempotencyKey: 'own-key' });
  await journal.replace(existing!.version, second, 0);

  await intent.end({
    end: 'unknown',
    evidence: 'no-answer',
    error: new PaymentOutcomeUnknownError('no-answer', 'no answer came'),
    openProbe: undefined,
    answered: false,
  });

  expect((await journal.get(first))?.record).toMatchObject({ attempt: 2, state: 'in-flight' });
  expect(error).toHaveBeenCalledWith(expect.stringContaining('earlier attempt'));
});

it.each([
  ['its own payment', {}, 'settled'],
  ['what another call has begun', { intent: 'another-call' }, 'in-flight'],
] as const)('knows %s if another process has sealed it meanwhile', async (_what, change, state) => {
  const error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
  const { journal } = memoryStorage();
  const first = journalRecord('order-1');
  const intent = await begun(journal, first);
  const existing = await journal.get(first);
  const settled = { ...first, ...change, bodyHash: SEALED, state: 'settled', outcome: 'success' } as const;
  await journal.replace(existing!.version, state === 'settled' ? settled : { ...settled, state }, 0);
  await intent.end({
    end: 'success',
    success: { value: {}, envelope: { code: '', message: '', httpStatus: 200 }, warnings: [], text: '{}' },
    attempts: [],
  });
  const isOurs = state === 'settled';
  expect((await journal.get(first))?.record.answer !== undefined).toBe(isOurs);
  expect((await journal.get(first))?.record).toMatchObject({ state, bodyHash: SEALED });
  expect(error).toHaveBeenCalledTimes(isOurs ? 0 : 1);
});

it.each([
  ['the first attempt', undefined],
  ['a later attempt', journalRecord('order-1', { intent: 'the-call-before', state: 'rejected' })],
] as const)('takes %s for its own if a client of the store wrote it twice', async (_what, before) => {
  const { journal } = memoryStorage();
  const existing = before && storedBy(await journal.insert(before, 0));
  const twice: JournalStore = Object.assign(Object.create(journal) as JournalStore, {
    insert: async (...args: Parameters<JournalStore['insert']>) => {
      await journal.insert(...args);
      return journal.insert(...args);
    },
    replace: async (...args: Parameters<JournalStore['replace']>) => {
      await journal.replace(...args);
      return journal.replace(...args);
    },
  });
  const record = journalRecord('order-1', { attempt: 2 });

  const begin = await PaymentIntent.begin(twice, record, existing, performance.now() + 1_000);

  expect(begin).toMatchObject({ intent: { record } });
  const another = journalRecord('order-1', { intent: 'another-call' });
  const stands = await PaymentIntent.begin(twice, another, existing, performance.now() + 1_000);
  expect(stands).toMatchObject({ existing: { record } });
});

it.each<[what: string, end: CallResult<unknown>]>([
  [
    'a success answer',
    {
      end: 'success',
      success: {
        value: {},
        envelope: { code: '', message: '', httpStatus: 200 },
        warnings: [],
        text: '{"data":{}}',
      },
      attempts: [],
    },
  ],
  [
    'a refusal as a duplicate',
    {
      end: 'unknown',
      evidence: 'duplicate-request',
      error: new PaymentOutcomeUnknownError('duplicate-request', 'a duplicate'),
      openProbe: undefined,
      answered: true,
    },
  ],
])('is unknown again if an operator called it failed before its answer came: %s', async (_what, end) => {
  const error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
  const { journal } = memoryStorage();
  const intent = await begun(journal, journalRecord('order-1'));
  await new OutcomeRecorder(journal).settle(journalRecord('order-1'), 'failed');
  expect(await intent.end(end)).toMatchObject({ record: { state: 'unknown', evidence: 'conflict' } });
  expect(error).toHaveBeenCalledWith(expect.stringContaining('it is unknown again'));
});

it('is unknown again if an operator called it failed while its call ran, and no clear answer came', async () => {
  const error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
  const { journal } = memoryStorage();
  const intent = await begun(journal, journalRecord('order-1'));
  await new OutcomeRecorder(journal).settle(journalRecord('order-1'), 'failed');
  const ended = await intent.end({
    end: 'unknown',
    evidence: 'no-answer',
    error: new PaymentOutcomeUnknownError('no-answer', 'no answer came'),
    openProbe: 'after-silence',
    answered: true,
  });
  expect(ended?.record).toMatchObject({ state: 'unknown', evidence: 'no-answer' });
  expect(ended?.record).not.toHaveProperty('settledBy');
  expect(error.mock.calls).toEqual([[expect.stringMatching(/^No clear answer came .* it is unknown again/)]]);
});

it('writes its end without reading first', async () => {
  const { journal } = memoryStorage();
  const record = journalRecord('order-1');
  const intent = await begun(journal, record);
  const get = vi.spyOn(journal, 'get');
  const verdict = { end: 'unknown', evidence: 'no-answer' } as const;
  const error = new PaymentOutcomeUnknownError('no-answer', 'no answer came');

  const ended = await intent.end({ ...verdict, error, openProbe: undefined, answered: false });

  expect(ended?.record.state).toBe('unknown');
  expect(get).not.toHaveBeenCalled();
});

it.each(['accepted', 'settled', 'unknown', 'rejected'] as const)(
  'does not take what a client of the store wrote twice for its own once it is %s',
  async (state) => {
    const { journal } = memoryStorage();
    const record = journalRecord('order-1');
    const late: JournalStore = Object.assign(Object.create(journal) as JournalStore, {
      insert: async (...args: Parameters<JournalStore['insert']>) => {
        const { stored } = await journal.insert(...args);
        await journal.replace(stored!.version, { ...record, state }, 0);
        return journal.insert(...args);
      },
    });

    const stands = await PaymentIntent.begin(late, record, undefined, performance.now() + 1_000);

    expect(stands).toMatchObject({ existing: { record: { state } } });
  },
);

it('calls a payment unknown, even if it never had a further try', async () => {
  const { journal } = memoryStorage();
  const { probe: _none, ...record } = journalRecord('order-1');
  const intent = await begun(journal, record);
  // Somebody else has written it meanwhile, so the current record is read.
  const existing = await journal.get(record);
  await journal.replace(existing!.version, record, 60_000);
  await intent.end({
    end: 'unknown',
    evidence: 'server-error',
    error: new PaymentOutcomeUnknownError('server-error', 'it failed'),
    openProbe: undefined,
    answered: true,
  });
  expect((await journal.get(record))?.record).toMatchObject({ state: 'unknown', evidence: 'server-error' });
});

describe('a payment that could not be written, as far as the store says', () => {
  const ours = journalRecord('order-1', { intent: 'our-call' });
  const refused = journalRecord('order-1', { intent: 'the-call-before', state: 'rejected' });

  it.each<
    [what: string, stands: JournalRecord, before: JournalRecord | undefined, after: object | undefined]
  >([
    ['was the first attempt', ours, undefined, undefined],
    ['was a later attempt', ours, refused, refused],
    [
      'has become unknown',
      { ...ours, state: 'unknown', evidence: 'interrupted' },
      undefined,
      { state: 'unknown' },
    ],
    [
      'an operator has settled',
      { ...ours, state: 'settled', outcome: 'success' },
      refused,
      { state: 'settled' },
    ],
    ['is now that of another call', { ...ours, intent: 'their-call' }, refused, { intent: 'their-call' }],
    [
      'is one that the gateway has, by a webhook that was set aside',
      { ...ours, acknowledged: true },
      refused,
      { state: 'in-flight', acknowledged: true },
    ],
  ])('is taken back, but for what others wrote since: it %s', async (_, stands, before, after) => {
    const { journal } = memoryStorage();
    await journal.insert(stands, 60_000);
    expect(await PaymentIntent.rollback(journal, ours, before)).toBe(true);
    const left = (await journal.get(ours))?.record;
    if (after) expect(left).toMatchObject(after);
    else expect(left).toBeUndefined();
  });

  it.each([
    ['nothing', undefined],
    ['the attempt before', refused],
  ])('may be written even now if the journal holds %s', async (_, before) => {
    const { journal } = memoryStorage();
    if (before) await journal.insert(before, 0);
    expect(await PaymentIntent.rollback(journal, ours, before)).toBe(false);
    expect((await journal.get(ours))?.record).toEqual(before);
  });
});

describe('a payment whose note that it left has no clear answer', () => {
  const NO_ANSWER = {
    end: 'unknown',
    evidence: 'server-error',
    error: new PaymentOutcomeUnknownError('server-error', 'it failed'),
    openProbe: 'after-answer',
    answered: true,
  } as const satisfies CallResult<unknown>;
  const REFUSED = {
    end: 'rejected',
    proven: true,
    error: new PaymentRejectedError('INVALID_PHONE', 'it was refused'),
    openProbe: undefined,
    answered: true,
  } as const satisfies CallResult<unknown>;
  const { probe: _probe, sent: _sent, ...record } = journalRecord('order-1', { state: 'in-flight' });

  /** The note is written, and its answer is lost, or the client of the store writes it twice. */
  async function noted(journal: JournalStore, answer: 'lost' | 'twice'): Promise<PaymentIntent> {
    const { replace } = journal;
    vi.spyOn(journal, 'replace').mockImplementationOnce(async (...args) => {
      await replace.apply(journal, args);
      if (answer === 'lost') throw new Error('lost');
      return replace.apply(journal, args);
    });
    const intent = await begun(journal, record);
    intent.markSent();
    await eventually(async () => {
      expect((await journal.get(record))?.record.sent).toBe(true);
    });
    return intent;
  }

  it.each<[answer: 'lost' | 'twice', end: CallResult<unknown>, state: object]>([
    ['lost', REFUSED, { state: 'in-flight', acknowledged: true }],
    ['twice', REFUSED, { state: 'in-flight', acknowledged: true }],
    ['lost', NO_ANSWER, { state: 'unknown', acknowledged: true }],
    ['twice', NO_ANSWER, { state: 'unknown', acknowledged: true }],
  ])('keeps that the gateway has it, which a webhook told meanwhile (%s, %o)', async (answer, end, state) => {
    const { journal } = memoryStorage();
    const intent = await noted(journal, answer);
    const existing = await journal.get(record);
    await journal.replace(existing!.version, toAcknowledged(existing!.record), 60_000);
    const ended = await intent.end(end);
    expect(ended?.record).toMatchObject(state);
    expect((await journal.get(record))?.record).toMatchObject(state);
  });

  it.each(['lost', 'twice'] as const)('is refused if nobody else has acted on it (%s)', async (answer) => {
    const { journal } = memoryStorage();
    const intent = await noted(journal, answer);
    expect((await intent.end(REFUSED))?.record.state).toBe('rejected');
  });
});

it('holds a payment for half a minute beyond its deadline, even if that has passed', async () => {
  const { journal } = memoryStorage();
  const lease = (wanted: number): { between: (ms: number | undefined) => void } => {
    const from = performance.now();
    return {
      between: (ms) => {
        expect(ms).toBeLessThanOrEqual(wanted);
        expect(ms).toBeGreaterThanOrEqual(wanted - (performance.now() - from));
      },
    };
  };
  const expected = lease(40_000);
  expected.between(leaseUntil(performance.now() + 10_000));
  expect(leaseUntil(performance.now() - 5_000)).toBe(30_000);

  const insert = vi.spyOn(journal, 'insert');
  const replace = vi.spyOn(journal, 'replace');
  const whole = lease(40_000);
  const record = journalRecord('order-1', { state: 'in-flight' });
  await PaymentIntent.begin(journal, record, undefined, performance.now() + 10_000);
  whole.between(insert.mock.lastCall?.[1]);
  const existing = await journal.get(record);
  await PaymentIntent.begin(journal, record, existing, performance.now() + 10_000);
  whole.between(replace.mock.lastCall?.[2]);
  const again = await journal.get(record);
  await PaymentIntent.beginProbe(journal, again!, performance.now() + 10_000);
  whole.between(replace.mock.lastCall?.[2]);
});

describe('a payment that the journal lost while its call ran, and of which nothing was sent', () => {
  const first = journalRecord('order-1', { state: 'in-flight' });
  const unsent: CallResult<unknown> = { end: 'aborted', reason: 'enough', answered: false };

  async function lose(journal: JournalStore): Promise<void> {
    const existing = await journal.get(first);
    await journal.remove(existing!.record, existing!.version);
  }

  it('stays away', async () => {
    const error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    const { journal } = memoryStorage();
    const intent = await begun(journal, first);
    await lose(journal);
    expect(await intent.end(unsent)).toBeUndefined();
    expect(await journal.get(first)).toBeUndefined();
    expect(error).not.toHaveBeenCalled();
  });

  it('is put back as it was before the attempt', async () => {
    const error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    const { journal } = memoryStorage();
    const { stored } = await journal.insert({ ...first, state: 'rejected' }, 0);
    const second = { ...first, attempt: 2, intent: 'second-call' };
    const begin = await PaymentIntent.begin(journal, second, stored, performance.now() + 1_000);
    if (!('intent' in begin)) throw new Error('the attempt did not begin');
    await lose(journal);
    expect(await begin.intent.end(unsent)).toMatchObject({ record: { state: 'rejected', attempt: 1 } });
    expect(error).toHaveBeenCalledTimes(1);
  });
});

describe('the note that the request left', () => {
  const { sent: _sent, ...record } = journalRecord('order-1');
  const refused = {
    end: 'rejected',
    proven: true,
  } as unknown as CallResult<unknown>;
  const unreachable = { end: 'unreachable' } as unknown as CallResult<unknown>;
  let journal: JournalStore;
  let intent: PaymentIntent;

  beforeEach(async () => {
    journal = memoryStorage().journal;
    intent = await begun(journal, record);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const storedEntry = async (): Promise<JournalRecord | undefined> => (await journal.get(record))?.record;

  it('is written once, and keeps the lease of the call', async () => {
    const replace = vi.spyOn(journal, 'replace');
    expect(intent.mayBeSentAgain).toBe(false);
    intent.markSent();
    intent.markSent();
    expect(replace).toHaveBeenCalledTimes(1);
    expect(intent.mayBeSentAgain).toBe(true);
    const stored = await journal.get(record);
    expect(stored?.record).toEqual({ ...record, sent: true });
    expect(stored?.leaseLeftMs).toBeGreaterThan(30_000);
  });

  it('is followed by the end of the call, which reads nothing', async () => {
    const get = vi.spyOn(journal, 'get');
    intent.markSent();
    expect((await intent.end(refused))?.record.state).toBe('rejected');
    expect(get).not.toHaveBeenCalled();
  });

  it.each([
    ['a refusal', refused, 'rejected'],
    ['nothing', unreachable, undefined],
  ])(
    'does not hide the end from the call if the answer to its write was lost: %s',
    async (_what, end, state) => {
      const { replace } = journal;
      vi.spyOn(journal, 'replace').mockImplementationOnce(async (...args) => {
        await replace.apply(journal, args);
        throw new Error('lost');
      });
      intent.markSent();
      expect((await intent.end(end))?.record.state).toBe(state);
      expect((await storedEntry())?.state).toBe(state);
    },
  );

  it('does not change what another writer has written if the answer to its write was lost', async () => {
    const settled = { ...record, state: 'settled', outcome: 'success', settledBy: 'webhook' } as const;
    vi.spyOn(journal, 'replace').mockRejectedValueOnce(new Error('lost'));
    intent.markSent();
    const { version = 0 } = (await journal.get(record)) ?? {};
    await journal.replace(version, settled, 0);
    expect((await intent.end(refused))?.record).toEqual(settled);
  });

  it('is waited for a second, and then lands nowhere', async () => {
    vi.useFakeTimers();
    const { replace } = journal;
    let land: (() => Promise<unknown>) | undefined;
    vi.spyOn(journal, 'replace').mockImplementationOnce(
      (...args) =>
        new Promise((resolve, reject) => {
          land = () => replace.apply(journal, args).then(resolve, reject);
        }),
    );
    intent.markSent();
    let ended = false;
    const end = intent.end(refused).finally(() => (ended = true));
    await vi.advanceTimersByTimeAsync(990);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(20);
    expect((await end)?.record.state).toBe('rejected');
    await land?.();
    expect((await storedEntry())?.state).toBe('rejected');
  });

  it('does not take a later version back if its own answer comes last', async () => {
    vi.useFakeTimers();
    const { replace } = journal;
    let answer = (): void => {};
    vi.spyOn(journal, 'replace').mockImplementationOnce(async (...args) => {
      const stored = await replace.apply(journal, args);
      await new Promise<void>((resolve) => (answer = resolve));
      return stored;
    });
    intent.markSent();
    const limits = { sendBy: performance.now() + 60_000, signal: undefined };
    const probing = intent.probeWithin('no-answer', limits);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await probing).toBe(true);
    answer();
    await vi.advanceTimersByTimeAsync(0);
    const get = vi.spyOn(journal, 'get');
    await intent.end({
      ...refused,
      end: 'unknown',
      evidence: 'no-answer',
    } as CallResult<unknown>);
    expect(get).not.toHaveBeenCalled();
  });

  it('opens no probe again that somebody else is making, and leaves its lease', async () => {
    const verdict = { end: 'unknown', evidence: 'no-answer' } as const;
    const end = { ...refused, ...verdict, openProbe: 'after-silence' } as CallResult<unknown>;
    const { version = 0 } = (await intent.end(end)) ?? {};
    const { probe: _probe, ...probing } = { ...record, state: 'unknown', evidence: 'no-answer' } as const;
    await journal.replace(version, probing, 60_000);

    await intent.end(end);

    const stored = await journal.get(record);
    expect(stored?.record).toEqual(probing);
    expect(stored?.leaseLeftMs).toBeGreaterThan(30_000);
    await intent.end({ ...end, evidence: 'duplicate-reference' } as typeof end);
    expect(await storedEntry()).toEqual({ ...probing, acknowledged: true });
  });

  it('is noted as sent if its outcome stays unknown and it may be tried once more', async () => {
    const verdict = { end: 'unknown', evidence: 'no-answer' } as const;
    await intent.end({ ...refused, ...verdict, openProbe: 'after-silence' } as CallResult<unknown>);
    expect(await storedEntry()).toMatchObject({ state: 'unknown', probe: 'after-silence', sent: true });
  });
});
