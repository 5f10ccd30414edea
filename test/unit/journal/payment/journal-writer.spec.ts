import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { performance } from 'node:perf_hooks';
import { InFlight } from '../../../../lib/common/in-flight.js';
import { type JournalRecord, type JournalStore } from '../../../../lib/storage/journal-store.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { withTimeout } from '../../../../lib/common/timing.js';
import { type CallLimits } from '../../../../lib/gateway/call-options.js';
import { JournalWriter } from '../../../../lib/journal/payment/journal-writer.js';
import { type RequestedPayment } from '../../../../lib/journal/payment/repeated-call.js';
import { fakePerformance } from '../../../support/fake-performance.js';
import { journalRecord, storedBy } from '../../../support/journal-contract.js';

const record = journalRecord('order-1');
const asked = { bodyHash: record.bodyHash, idempotencyKey: undefined, attempt: undefined };
const NO_LIMITS = { minCents: undefined, maxCents: undefined, perDay: undefined };
const limits = { collection: NO_LIMITS, disbursement: NO_LIMITS };
const rules = { limits, probe: {}, recoveryWindowMs: 60_000 } as ConstructorParameters<
  typeof JournalWriter
>[1];
const PROBED = { ...rules, probe: { ...rules.probe, collection: { afterAnswerMs: 0, afterSilenceMs: 0 } } };

describe('a ledger whose journal hangs', () => {
  let memory: JournalStore;
  let ledger: JournalWriter;
  let hangsIn: keyof JournalStore | undefined;
  let hanging: (() => void)[];
  const wake = (): void => {
    for (const goOn of hanging.splice(0)) goOn();
  };
  let givesUpAfterMs: number;
  let places: InFlight;
  let limits: CallLimits;
  const late = { name: 'PaymentsStorageError' };
  const begin = (): ReturnType<JournalWriter['begin']> =>
    ledger.begin(asked, { ...record, body: '{}' }, limits);

  beforeEach(() => {
    vi.useFakeTimers();
    fakePerformance();
    vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    memory = memoryStorage().journal;
    hangsIn = undefined;
    hanging = [];
    givesUpAfterMs = 60_000;
    places = new InFlight(2);
    const journal = new Proxy(memory, {
      get: (target, name) => {
        const method = target[name as keyof JournalStore] as (...args: unknown[]) => unknown;
        return async (...args: unknown[]) => {
          const work = async (): Promise<unknown> => {
            if (name === hangsIn) await new Promise<void>((resolve) => hanging.push(resolve));
            return method.apply(target, args);
          };
          const usedUp = (): Error => new Error('the pool is used up');
          return withTimeout(work(), performance.now() + givesUpAfterMs, usedUp);
        };
      },
    });
    ledger = new JournalWriter(journal, rules, places);
    const deadline = performance.now() + 60_000;
    limits = {
      signal: undefined,
      timeoutMs: 60_000,
      deadline,
      sendBy: deadline - 1_000,
      once: false,
    } as CallLimits;
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it.each([
    ['insert', undefined],
    ['replace', journalRecord('order-1', { intent: 'the-call-before', state: 'rejected' })],
  ] as const)(
    'in %s sends nothing after five seconds, and takes back what comes late',
    async (what, before) => {
      if (before) await memory.insert(before, 0);
      hangsIn = what;
      const end = expect(begin()).rejects.toMatchObject(late);
      await vi.advanceTimersByTimeAsync(5_000);
      await end;
      hangsIn = undefined;
      wake();
      await vi.advanceTimersByTimeAsync(0);
      expect((await memory.get(record))?.record).toEqual(before);
    },
  );

  it('takes back what comes late, again and again while the store fails', async () => {
    vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    hangsIn = 'insert';
    const end = expect(begin()).rejects.toMatchObject(late);
    await vi.advanceTimersByTimeAsync(5_000);
    await end;
    const remove = vi.spyOn(memory, 'remove');
    for (let failure = 0; failure < 3; failure += 1) remove.mockRejectedValueOnce(new Error('away'));
    hangsIn = undefined;
    wake();
    await vi.advanceTimersByTimeAsync(26_000);
    expect(remove).toHaveBeenCalledTimes(4);
    expect(await memory.get(record)).toBeUndefined();
  });

  it.each([
    ['sending', 'beginPlanned', journalRecord('order-1', { state: 'planned', body: '{}' })],
    ['probe', 'beginProbe', journalRecord('order-1', { state: 'unknown', evidence: 'no-answer' })],
  ] as const)(
    'puts a payment back whose %s is written late, again and again while the store fails',
    async (_, begin, before) => {
      const existing = storedBy(await memory.insert(before, 0));
      const { replace } = memory;
      let calls = 0;
      vi.spyOn(memory, 'replace').mockImplementation((...args) => {
        calls += 1;
        return calls > 1 && calls < 5 ? Promise.reject(new Error('away')) : replace.apply(memory, args);
      });
      hangsIn = 'replace';
      const end = expect(ledger[begin](existing, limits)).rejects.toMatchObject(late);
      await vi.advanceTimersByTimeAsync(5_000);
      await end;
      hangsIn = undefined;
      wake();
      await vi.advanceTimersByTimeAsync(26_000);
      expect(calls).toBe(5);
      expect((await memory.get(before))?.record).toMatchObject(before);
    },
  );

  it.each([
    ['the first attempt', undefined],
    ['a later attempt', journalRecord('order-1', { intent: 'the-call-before', state: 'rejected' })],
  ])('takes back %s that is written long after it was said to have failed', async (_what, before) => {
    if (before) await memory.insert(before, 0);
    const slowly = (write: () => unknown): Promise<never> => {
      setTimeout(() => void write(), 10_000);
      return Promise.reject(new Error('no answer'));
    };
    const { insert, replace } = memory;
    if (!before) {
      vi.spyOn(memory, 'insert').mockImplementationOnce((...write) =>
        slowly(() => insert.apply(memory, write)),
      );
    }
    vi.spyOn(memory, 'replace').mockImplementationOnce((...write) =>
      slowly(() => replace.apply(memory, write)),
    );
    const error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    const end = expect(begin()).rejects.toMatchObject(late);
    await vi.advanceTimersByTimeAsync(10_000);
    await end;
    expect(error).toHaveBeenCalledTimes(1);
    expect((await memory.get(record))?.record.state).toBe('in-flight');
    await vi.advanceTimersByTimeAsync(16_000);
    expect((await memory.get(record))?.record).toEqual(before);
  });

  it('after the answer keeps the answer after five seconds, and writes it down late', async () => {
    const begun = await begin();
    if (!('intent' in begun)) throw new Error('no entry exists');
    hangsIn = 'replace';
    const success = { value: {}, envelope: { code: 'OK', message: '', httpStatus: 200 }, warnings: [] };
    const end = { end: 'success', success, attempts: [] } as unknown as Parameters<JournalWriter['end']>[1];
    const ended = ledger.end(begun.intent, end, limits);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await ended).toEqual({ written: false, mayBeSentAgain: false });
    hangsIn = undefined;
    wake();
    await vi.advanceTimersByTimeAsync(0);
    expect((await memory.get(record))?.record.state).toBe('accepted');
  });

  it.each([
    ['insert', 'by the writer', 60_000, 1],
    ['insert', 'by the storage', 4_000, 1],
    ['replace', 'by the writer', 60_000, 1],
    ['replace', 'twice by the storage', 2_000, 2],
  ] as const)(
    'keeps a place for each %s that was given up %s, until it has ended',
    async (what, _, afterMs, late) => {
      vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
      const free = (): number =>
        [1, 2].filter(() => places.begin(() => Promise.resolve()) !== undefined).length;
      let before: Awaited<ReturnType<typeof begin>> | undefined;
      if (what === 'replace') before = await begin();
      hangsIn = what;
      givesUpAfterMs = afterMs;
      const end = { end: 'rejected', proven: true } as unknown as Parameters<JournalWriter['end']>[1];
      const ending =
        before && 'intent' in before
          ? ledger.end(before.intent, end, limits)
          : begin().catch(() => undefined);
      expect(free()).toBe(2);
      await vi.advanceTimersByTimeAsync(5_000);
      await ending;
      expect(free()).toBe(2 - late);
      hangsIn = undefined;
      wake();
      await vi.advanceTimersByTimeAsync(0);
      expect(free()).toBe(2);
    },
  );

  it('writes again at once after the answer if the store has just lost its connection', async () => {
    const begun = await begin();
    if (!('intent' in begun)) throw new Error('no entry exists');
    vi.spyOn(memory, 'replace').mockRejectedValueOnce(new Error('lost'));
    const end = { end: 'rejected', proven: true } as unknown as Parameters<JournalWriter['end']>[1];
    expect(await ledger.end(begun.intent, end, limits)).toMatchObject({ written: true });
    expect((await memory.get(record))?.record.state).toBe('rejected');
  });

  it('has a moment to write after the answer, even if the time of the call is up', async () => {
    const begun = await begin();
    if (!('intent' in begun)) throw new Error('no entry exists');
    hangsIn = 'replace';
    const end = { end: 'rejected', proven: true } as unknown as Parameters<JournalWriter['end']>[1];
    const ended = ledger.end(begun.intent, end, { ...limits, deadline: performance.now() - 1_000 });
    await vi.advanceTimersByTimeAsync(20);
    wake();
    expect(await ended).toMatchObject({ written: true });
  });

  it('makes no further try of a payment after five seconds, and leaves it to the next one', async () => {
    const stored = storedBy(
      await memory.insert(journalRecord('order-1', { state: 'unknown', evidence: 'no-answer' }), 0),
    );
    hangsIn = 'replace';
    const end = expect(ledger.beginProbe(stored, limits)).rejects.toMatchObject(late);
    await vi.advanceTimersByTimeAsync(5_000);
    await end;
    hangsIn = undefined;
    wake();
    await vi.advanceTimersByTimeAsync(0);
    expect(await memory.get(record)).toMatchObject({ record: stored.record, leaseLeftMs: 0 });
  });

  describe('before the process ends', () => {
    /** How the last writes end that hang until now, and that the end of the process waits for. */
    const expectFlushed = async (): Promise<void> => {
      let ended = false;
      const last = ledger.flush().finally(() => (ended = true));
      await vi.advanceTimersByTimeAsync(1_000);
      expect(ended).toBe(false);
      hangsIn = undefined;
      wake();
      await last;
    };

    it('waits for an answer that is still being written down', async () => {
      const begun = await begin();
      if (!('intent' in begun)) throw new Error('no entry exists');
      hangsIn = 'replace';
      const end = { end: 'rejected', proven: true } as unknown as Parameters<JournalWriter['end']>[1];
      const ending = ledger.end(begun.intent, end, limits);
      await vi.advanceTimersByTimeAsync(5_000);
      await ending;
      await expectFlushed();
      expect((await memory.get(record))?.record.state).toBe('rejected');
    });

    it('waits until it has taken back a payment that came too late', async () => {
      hangsIn = 'insert';
      const end = expect(begin()).rejects.toMatchObject(late);
      await vi.advanceTimersByTimeAsync(5_000);
      await end;
      await expectFlushed();
      expect(await memory.get(record)).toBeUndefined();
    });

    it('waits until it has taken back a payment whose writing was said to have failed', async () => {
      vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
      const { insert } = memory;
      vi.spyOn(memory, 'insert').mockImplementationOnce(async (...write) => {
        await insert.apply(memory, write);
        throw new Error('no answer');
      });
      hangsIn = 'get';
      await expect(begin()).rejects.toMatchObject(late);
      await expectFlushed();
      expect(await memory.get(record)).toBeUndefined();
    });
  });

  it('keeps no process from ending', async () => {
    const begun = await begin();
    if (!('intent' in begun)) throw new Error('no entry exists');
    const broken = vi.spyOn(memory, 'replace').mockRejectedValue(new Error('down'));
    const end = { end: 'rejected', proven: true } as unknown as Parameters<JournalWriter['end']>[1];
    expect(await ledger.end(begun.intent, end, limits)).toEqual({ written: false, mayBeSentAgain: false });
    broken.mockRestore();
    hangsIn = 'replace';
    let ended = false;
    const last = ledger.flush().finally(() => (ended = true));
    await vi.advanceTimersByTimeAsync(4_000);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    await last;
  });
});

describe('a call whose payment is written down', () => {
  const REFUSED: Partial<JournalRecord> = { intent: 'the-call-before', state: 'rejected' };
  const limits = { signal: undefined, deadline: Infinity, sendBy: Infinity } as unknown as CallLimits;
  let journal: JournalStore;
  const begin = (change: Partial<RequestedPayment> = {}): ReturnType<JournalWriter['begin']> =>
    new JournalWriter(journal, PROBED, new InFlight(10)).begin(
      { ...asked, ...change },
      { ...record, body: '{}' },
      limits,
    );

  beforeEach(() => {
    journal = memoryStorage().journal;
  });

  it.each<[what: string, before: Partial<JournalRecord> | undefined, Partial<RequestedPayment>, object]>([
    ['is the first attempt', undefined, {}, { intent: { record: { attempt: 1 } } }],
    ["trusts its caller's attempt", undefined, { attempt: 3 }, { intent: { record: { attempt: 3 } } }],
    [
      "has its caller's key",
      undefined,
      { idempotencyKey: 'mine' },
      { intent: { record: { attempt: 1, idempotencyKey: 'mine' } } },
    ],
    ['is the next attempt after a refusal', REFUSED, {}, { intent: { record: { attempt: 2 } } }],
    [
      'is the same attempt after a refusal that proves nothing',
      { ...REFUSED, keepsKey: true, idempotencyKey: 'key-1' },
      {},
      { intent: { record: { attempt: 1, idempotencyKey: 'key-1', keepsKey: true } } },
    ],
    [
      'is a probe if one is due',
      { state: 'unknown', evidence: 'no-answer', probe: 'after-silence', body: '{}' },
      {},
      { intent: { earlier: { evidence: 'no-answer', probe: 'after-silence' } } },
    ],
    [
      'is refused by the record of another end',
      { state: 'settled', outcome: 'failed', settledBy: 'webhook' },
      {},
      { existing: { outcome: 'failed' }, refusal: { act: 'refuse', because: 'ended' } },
    ],
  ])('%s', async (_what, before, change, begun) => {
    if (before) await journal.insert(journalRecord('order-1', before), 0);
    expect(await begin(change)).toMatchObject(begun);
  });

  it.each<[what: string, before: Partial<JournalRecord>]>([
    ['a next attempt', REFUSED],
    ['a probe', { state: 'unknown', evidence: 'no-answer', probe: 'after-silence', body: '{}' }],
  ])('is refused by what another process wrote before %s', async (_what, before) => {
    const stored = storedBy(await journal.insert(journalRecord('order-1', before), 0));
    const accepted = journalRecord('order-1', { ...before, state: 'accepted', answer: '{}' });
    const { replace } = journal;
    vi.spyOn(journal, 'replace').mockImplementationOnce(async (...write) => {
      await replace.call(journal, stored.version, accepted, 0);
      return replace.apply(journal, write);
    });
    expect(await begin()).toMatchObject({
      existing: { state: 'accepted' },
      refusal: { act: 'repeat-answer' },
    });
  });

  it('is the first attempt again if its reference was freed meanwhile', async () => {
    const stored = storedBy(await journal.insert(journalRecord('order-1', REFUSED), 0));
    const { replace } = journal;
    vi.spyOn(journal, 'replace').mockImplementationOnce(async (...write) => {
      await journal.remove(stored.record, stored.version);
      return replace.apply(journal, write);
    });
    expect(await begin()).toMatchObject({ intent: { record: { attempt: 1 } } });
  });
});
