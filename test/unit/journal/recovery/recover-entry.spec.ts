import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type JournalEntry } from '../../../../lib/common/journal-entry.js';
import {
  type JournalRecord,
  type JournalStore,
  type StoredJournalRecord,
} from '../../../../lib/storage/journal-store.js';
import { EntryRecovery, type RunNotes } from '../../../../lib/journal/recovery/recover-entry.js';
import { type EntryEnd } from '../../../../lib/journal/recovery/recovery-report.js';
import { type StatusResolver } from '../../../../lib/journal/outcomes/status-resolver.js';
import { FullDays } from '../../../../lib/journal/payment/daily-caps.js';
import { type PaymentFamily } from '../../../../lib/common/vocabulary.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { type CallOptions } from '../../../../lib/gateway/call-options.js';
import { journalRecord, storedBy } from '../../../support/journal-contract.js';
import { storedRecord } from '../../../support/stored-record.js';

const STALE_AFTER_MS = 1_000;
const AGE_MS = 100_000;

describe('a payment without any answer or webhook', () => {
  let now: number;
  let journal: JournalStore;
  let seen: StoredJournalRecord;
  let stale: JournalEntry[];

  const recover = (staleAfterMs: number): Promise<unknown> => {
    const rules = { probe: {}, recoveryWindowMs: AGE_MS * 10, deadlineMs: 60_000, staleAfterMs };
    const status = {
      canAsk: () => true,
      // The answer takes as long as the payment is old: what is looked at afterwards is older than what was seen.
      ask: () => {
        now += AGE_MS;
        return Promise.resolve(seen);
      },
    } as unknown as StatusResolver;
    const client = { probe: () => Promise.resolve(undefined), sendPlanned: () => Promise.resolve(undefined) };
    return new EntryRecovery(
      rules as unknown as ConstructorParameters<typeof EntryRecovery>[0],
      journal,
      client,
      status,
      (entry) => stale.push(entry),
      new AbortController().signal,
    ).recover(seen);
  };

  beforeEach(async () => {
    now = 1_800_000_000_000;
    stale = [];
    ({ journal } = memoryStorage({ now: () => now }));
    const record = journalRecord('order-1', { state: 'accepted' });
    storedBy(await journal.insert(record, 0));
    now += AGE_MS;
    const existing = await journal.get(record);
    if (!existing) throw new Error('no entry exists');
    seen = existing;
  });

  it('is announced once, and marked', async () => {
    await recover(STALE_AFTER_MS);
    expect(stale).toMatchObject([{ reference: 'order-1' }]);
    expect((await journal.get(seen.record))?.record.stale).toBe(true);
    await recover(STALE_AFTER_MS);
    expect(stale).toHaveLength(1);
  });

  it.each<[what: string, change: () => Promise<unknown>]>([
    ['a call holds it by now', () => journal.replace(seen.version, seen.record, AGE_MS * 10)],
    ['it has ended by now', () => journal.replace(seen.version, { ...seen.record, state: 'settled' }, 0)],
    ['it is gone', () => journal.remove(seen.record, seen.version)],
  ])('is not announced if %s', async (_, change) => {
    await change();
    await recover(STALE_AFTER_MS);
    expect(stale).toEqual([]);
    expect((await journal.get(seen.record))?.record.stale).toBeUndefined();
  });

  it('is not announced, nor read again, if it was not stale when the run saw it', async () => {
    const get = vi.spyOn(journal, 'get');
    await recover(AGE_MS + 1);
    expect(stale).toEqual([]);
    expect(get).not.toHaveBeenCalled();
  });
});

describe('what a run has to do', () => {
  const RULES = {
    probe: { collection: { afterAnswerMs: 2_000, afterSilenceMs: 15_000 } },
    recoveryWindowMs: 900_000,
    deadlineMs: 60_000,
    staleAfterMs: 3_600_000,
  } as unknown as ConstructorParameters<typeof EntryRecovery>[0];
  const UNKNOWN = { state: 'unknown', evidence: 'no-answer', acknowledged: true } as const;
  const entries = (canAsk: boolean): EntryRecovery =>
    new EntryRecovery(
      RULES,
      memoryStorage().journal,
      { probe: () => Promise.resolve(undefined), sendPlanned: () => Promise.resolve(undefined) },
      { canAsk: () => canAsk } as unknown as StatusResolver,
      () => {},
      new AbortController().signal,
    );

  it.each<
    [
      what: string,
      ageMs: number,
      change: Partial<JournalRecord>,
      leaseLeftMs: number,
      work: boolean[],
      end: EntryEnd,
    ]
  >([
    ['its call may still run', 90_000, {}, 0, [false, false], {}],
    ['a call holds it', 500_000, {}, 1, [false, false], {}],
    ['it is to be sent once more', 90_001, {}, 0, [true, true], {}],
    ['its call was cut off', 90_001, { acknowledged: true }, 0, [true, true], { known: false }],
    ['it is unknown', 90_001, UNKNOWN, 0, [true, false], { known: false }],
    ['it is unknown, its request not needed', 900_001, UNKNOWN, 0, [true, true], { known: false }],
    ['it is planned', 10_001, { state: 'planned' }, 0, [true, true], {}],
    ['it was planned a moment ago', 10_000, { state: 'planned' }, 0, [false, false], {}],
    ['the gateway took it', 90_001, { state: 'accepted' }, 0, [true, false], {}],
    ['it is stale', 3_600_001, { state: 'accepted' }, 0, [true, true], {}],
  ])('is decided if %s', (_, ageMs, change, leaseLeftMs, work, end) => {
    const existing = storedRecord(change, { ageMs, idleMs: ageMs, leaseLeftMs });
    expect([true, false].map((canAsk) => entries(canAsk).hasWork(existing))).toEqual(work);
    expect(entries(true).hasWork(existing, 'without asking')).toBe(work[1]);
    expect(entries(false).idleEnd(existing)).toEqual(end);
  });
});

describe('a payment that is to be sent once more', () => {
  const DUE_MS = 100_000;
  let now: number;
  let journal: JournalStore;
  let stopping: AbortController;
  let asked: CallOptions[];
  const probe = vi.fn((_standing: StoredJournalRecord) => Promise.resolve(undefined));
  const sendPlanned = (): Promise<undefined> => Promise.reject(new Error('nothing is planned'));

  const recover = async (ask?: () => void): Promise<unknown> =>
    recoverListed((await journal.get(journalRecord('order-1')))!, ask);
  const recoverListed = (listed: StoredJournalRecord, ask: () => void = () => {}): Promise<unknown> => {
    const waits = { afterAnswerMs: 1, afterSilenceMs: 1 };
    const status = {
      canAsk: () => true,
      ask: (seen: StoredJournalRecord, options: CallOptions) => {
        asked.push(options);
        ask();
        return Promise.resolve(seen);
      },
    } as unknown as StatusResolver;
    const rules = {
      probe: { collection: waits },
      recoveryWindowMs: DUE_MS * 10,
      deadlineMs: 60_000,
      staleAfterMs: DUE_MS * 100,
    } as unknown as ConstructorParameters<typeof EntryRecovery>[0];
    const entries = new EntryRecovery(
      rules,
      journal,
      { probe, sendPlanned },
      status,
      () => {},
      stopping.signal,
    );
    return entries.recover(listed);
  };

  beforeEach(async () => {
    probe.mockClear();
    asked = [];
    stopping = new AbortController();
    now = 1_800_000_000_000;
    ({ journal } = memoryStorage({ now: () => now }));
    const sent = { state: 'unknown', evidence: 'no-answer', probe: 'after-silence', sent: true } as const;
    storedBy(await journal.insert(journalRecord('order-1', { ...sent, body: '{}' }), 0));
    now += DUE_MS;
  });

  it('is asked about for five seconds at most, and then sent', async () => {
    await recover();
    expect(asked).toEqual([{ timeoutMs: 5_000, deadlineMs: 5_000 }]);
    expect(probe).toHaveBeenCalledTimes(1);
  });

  it('is not sent if the recovery window ended while it waited for its turn', async () => {
    const listed = await journal.get(journalRecord('order-1'));
    now += DUE_MS * 10;
    expect(await recoverListed(listed!)).toEqual({ known: false });
    expect(probe).not.toHaveBeenCalled();
    expect((await journal.get(journalRecord('order-1')))?.record).not.toHaveProperty('body');
  });

  it('is sent as it is when its turn comes', async () => {
    await recover();
    expect(probe).toHaveBeenCalledWith(await journal.get(journalRecord('order-1')));
  });

  it('is not sent, and stays as it is, if the application stops while the gateway is asked', async () => {
    const before = await journal.get(journalRecord('order-1'));
    expect(
      await recover(() => {
        stopping.abort();
      }),
    ).toEqual({});
    expect(probe).not.toHaveBeenCalled();
    expect(await journal.get(journalRecord('order-1'))).toEqual(before);
  });
});

describe('a payment that changes while the gateway is asked about it', () => {
  const AGED = { ageMs: AGE_MS, idleMs: AGE_MS };
  const cutOff = storedRecord({ acknowledged: true }, AGED);
  const recover = (asked: StoredJournalRecord): Promise<EntryEnd> => {
    const rules = { probe: {}, recoveryWindowMs: AGE_MS, deadlineMs: 60_000, staleAfterMs: 3_600_000 };
    return new EntryRecovery(
      rules as unknown as ConstructorParameters<typeof EntryRecovery>[0],
      memoryStorage().journal,
      { probe: () => Promise.resolve(undefined), sendPlanned: () => Promise.resolve(undefined) },
      { canAsk: () => true, ask: () => Promise.resolve(asked) } as unknown as StatusResolver,
      () => {},
      new AbortController().signal,
    ).recover(cutOff);
  };

  it.each<[what: string, asked: StoredJournalRecord, end: EntryEnd]>([
    ['accepted', storedRecord({ state: 'accepted' }, AGED), { known: true }],
    ['settled', storedRecord({ state: 'settled', outcome: 'success' }, AGED), { known: true }],
    ['refused', storedRecord({ state: 'rejected' }, AGED), { known: true }],
    ['unknown', storedRecord({ state: 'unknown', acknowledged: true }, AGED), { known: false }],
    ['contradicted', storedRecord({ state: 'unknown', evidence: 'conflict' }, AGED), { known: false }],
    ['sent once more', storedRecord({ attempt: 2 }, { leaseLeftMs: 1 }), {}],
    ['planned again', storedRecord({ state: 'planned' }), {}],
  ])('is counted as it is then: %s', async (_, asked, end) => {
    expect(await recover(asked)).toEqual(end);
  });
});

describe('a planned payment', () => {
  const planned = storedRecord({ state: 'planned' }, { ageMs: 11_000, idleMs: 11_000 });
  const stopping = new AbortController();
  const recover = (
    after: JournalRecord | 'somebody else was faster',
    existing = planned,
    signal = stopping.signal,
  ): Promise<EntryEnd> => {
    const rules = { probe: {}, recoveryWindowMs: 1, deadlineMs: 60_000, staleAfterMs: 3_600_000 };
    const sendPlanned = (): Promise<{ existing: JournalRecord } | undefined> =>
      Promise.resolve(typeof after === 'string' ? undefined : { existing: after });
    return new EntryRecovery(
      rules as unknown as ConstructorParameters<typeof EntryRecovery>[0],
      memoryStorage().journal,
      { probe: () => Promise.reject(new Error('nobody probes it')), sendPlanned },
      { ask: () => Promise.reject(new Error('nobody asks about it')) } as unknown as StatusResolver,
      () => {},
      signal,
    ).recover(existing);
  };

  it.each<[what: string, after: Parameters<typeof recover>[0], end: EntryEnd]>([
    ['accepted', journalRecord('order-1', { state: 'accepted' }), { sent: true, known: true }],
    ['rejected', journalRecord('order-1', { state: 'rejected' }), { sent: true, known: true }],
    ['unknown', journalRecord('order-1', { state: 'unknown' }), { sent: true, known: false }],
    ['still planned', journalRecord('order-1', { state: 'planned' }), {}],
    ['sent by another process', 'somebody else was faster', {}],
  ])('is sent, without a question and without a probe, and is %s afterwards', async (_, after, end) => {
    expect(await recover(after)).toEqual(end);
  });

  it('is not sent if somebody who committed it may be about to send it, or if the application stops', async () => {
    const accepted = journalRecord('order-1', { state: 'accepted' });
    expect(await recover(accepted, { ...planned, idleMs: 10_000 })).toEqual({});
    expect(await recover(accepted, planned, AbortSignal.abort())).toEqual({});
  });
});

describe('a payment whose status query the gateway limits', () => {
  const RULES = {
    probe: { collection: { afterAnswerMs: 1, afterSilenceMs: 1 } },
    recoveryWindowMs: 1_000_000,
    deadlineMs: 60_000,
    staleAfterMs: 3_600_000,
  } as unknown as ConstructorParameters<typeof EntryRecovery>[0];
  const ask = vi.fn((seen: StoredJournalRecord, _: CallOptions, onRateLimit: () => void) => {
    onRateLimit();
    return Promise.resolve(seen);
  });
  const probe = vi.fn(() => Promise.resolve({ existing: journalRecord('order-1', { state: 'accepted' }) }));
  const AGED = { ageMs: AGE_MS, idleMs: AGE_MS };
  const recover = async (change: Partial<JournalRecord>, notes: RunNotes): Promise<EntryEnd> => {
    const { journal } = memoryStorage();
    const existing = storedRecord(change, AGED);
    vi.spyOn(journal, 'get').mockResolvedValue(existing);
    const canAsk = (family: PaymentFamily): boolean => family === 'collection';
    const status = { canAsk, ask } as unknown as StatusResolver;
    const client = { probe, sendPlanned: () => Promise.resolve(undefined) };
    return new EntryRecovery(RULES, journal, client, status, () => {}, new AbortController().signal).recover(
      existing,
      notes,
    );
  };

  beforeEach(() => {
    ask.mockClear();
    probe.mockClear();
  });

  it('is counted as unasked, and nobody asks about the next one', async () => {
    const notes: RunNotes = { fullDays: new FullDays(), isHeldBack: false };
    expect(await recover({ state: 'accepted' }, notes)).toEqual({ unasked: true });
    expect(notes.isHeldBack).toBe(true);
    expect(await recover({ state: 'accepted' }, notes)).toEqual({ unasked: true });
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it('is probed all the same', async () => {
    const notes: RunNotes = { fullDays: new FullDays(), isHeldBack: true };
    const sent = { state: 'unknown', evidence: 'no-answer', probe: 'after-silence', sent: true } as const;
    expect(await recover({ ...sent, body: '{}' }, notes)).toEqual({
      probed: true,
      known: true,
      unasked: true,
    });
    expect(ask).not.toHaveBeenCalled();
  });

  it('is one of a family for which there is a path', async () => {
    const notes: RunNotes = { fullDays: new FullDays(), isHeldBack: true };
    expect(await recover({ state: 'accepted', family: 'disbursement' }, notes)).toEqual({});
  });
});
