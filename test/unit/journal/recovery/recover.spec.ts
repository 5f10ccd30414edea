import { afterEach, beforeEach, describe, expect, it, vi, type MockInstance } from 'vitest';
import { Logger } from '@nestjs/common';
import { performance } from 'node:perf_hooks';
import {
  type JournalRecord,
  type JournalStore,
  type StoredJournalRecord,
} from '../../../../lib/storage/journal-store.js';
import { type EntryEnd } from '../../../../lib/journal/recovery/recovery-report.js';
import { RecoveryRun } from '../../../../lib/journal/recovery/recover.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { fakePerformance } from '../../../support/fake-performance.js';
import { journalRecord } from '../../../support/journal-contract.js';

const SCOPE = { account: 'default', environment: 'sandbox' } as const;
const AT_ONCE = 16;
const PAGE = 500;

/** Deals with a payment when the test says so. */
class HeldWork {
  readonly begun: string[] = [];
  atOnce = 0;
  most = 0;
  private readonly open: (() => void)[] = [];
  private held = true;

  async recover({ record }: StoredJournalRecord): Promise<EntryEnd> {
    this.begun.push(record.reference);
    this.atOnce += 1;
    this.most = Math.max(this.most, this.atOnce);
    if (this.held) await new Promise<void>((resolve) => this.open.push(resolve));
    this.atOnce -= 1;
    return { known: true };
  }

  release(): void {
    this.held = false;
    for (const resolve of this.open.splice(0)) resolve();
  }
}

describe('a run of recover()', () => {
  let journal: JournalStore;
  let work: HeldWork;
  let stopping: AbortController;
  let error: MockInstance<Logger['error']>;

  const write = async (count: number, first = 1): Promise<void> => {
    for (let number = first; number < first + count; number += 1)
      await journal.insert(journalRecord(`order-${number}`, { state: 'unknown', evidence: 'no-answer' }), 0);
  };
  const runWith = (
    entries: Partial<ConstructorParameters<typeof RecoveryRun>[4]> = {},
    runMs = 60_000,
    canAsk = true,
  ): RecoveryRun =>
    new RecoveryRun(
      SCOPE,
      runMs,
      journal,
      { canAsk: () => canAsk },
      {
        hasWork: () => true,
        isProbe: () => false,
        idleEnd: () => ({ known: false }),
        recover: (existing) => work.recover(existing),
        ...entries,
      },
      stopping.signal,
    );
  /** Resolves when as many payments are being dealt with. */
  const dealingWith = async (count: number): Promise<void> => {
    while (work.begun.length < count) await new Promise((resolve) => setImmediate(resolve));
  };

  beforeEach(() => {
    ({ journal } = memoryStorage({ maxEntries: 100_000 }));
    work = new HeldWork();
    stopping = new AbortController();
    error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('deals with sixteen payments at once, and no more', async () => {
    await write(40);
    const report = runWith().recover();
    await dealingWith(AT_ONCE);
    for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(work.begun).toHaveLength(AT_ONCE);
    work.release();
    expect(await report).toEqual({ probed: 0, settled: 40, stillUnknown: 0 });
    expect(work.most).toBe(AT_ONCE);
  });

  it.each([
    ['nobody can be asked', false, ['c-accepted', 'c-in-flight', 'c-unknown', 'd-in-flight', 'd-unknown']],
    [
      'the gateway can be asked',
      true,
      ['c-accepted', 'c-in-flight', 'c-unknown', 'd-accepted', 'd-in-flight', 'd-unknown'],
    ],
  ])('handles what is open if %s', async (_, canAsk, open) => {
    for (const family of ['collection', 'disbursement'] as const)
      for (const state of ['accepted', 'in-flight', 'rejected', 'settled', 'unknown'] as const)
        await journal.insert(journalRecord(`${family[0]}-${state}`, { family, state }), 0);
    work.release();
    const run = runWith({}, 60_000, canAsk);
    await run.recover();
    expect(work.begun).toEqual(open);
    const listed: string[] = [];
    for (const family of ['collection', 'disbursement'] as const)
      for await (const page of run.unresolved(family))
        listed.push(...page.map(({ record }) => record.reference));
    expect(listed).toEqual(open);
  });

  it.each([
    ['collection', false],
    ['disbursement', true],
  ] as const)('knows whether payouts can be asked about: a status path of a %s: %s', (family, canAsk) => {
    const status = { canAsk: (asked: string) => asked === family };
    const run = new RecoveryRun(SCOPE, 1_000, journal, status, {} as never, stopping.signal);
    expect(run.canAskAboutPayouts()).toBe(canAsk);
  });

  it.each(['collection', 'disbursement'] as const)('finds the oldest one, here a %s', async (family) => {
    let now = 1_800_000_000_000;
    ({ journal } = memoryStorage({ now: () => now }));
    expect(await runWith().oldest()).toBeUndefined();
    await journal.insert(journalRecord('settled', { family, state: 'settled' }), 0);
    now += 1_000;
    await journal.insert(journalRecord('oldest', { family, state: 'unknown' }), 0);
    now += 1_000;
    for (const other of ['collection', 'disbursement'] as const)
      await journal.insert(journalRecord('later', { family: other, state: 'unknown' }), 0);
    now += 1_000;
    expect(await runWith().oldest()).toMatchObject({ record: { reference: 'oldest', family }, ageMs: 2_000 });
  });

  it('is the only one: who asks meanwhile gets its report, who asks later another run', async () => {
    await write(2);
    const run = runWith();
    const first = run.recover();
    const joined = run.recover();
    await dealingWith(2);
    work.release();
    expect(await joined).toBe(await first);
    expect(work.begun).toEqual(['order-1', 'order-2']);
    expect(await run.recover()).toEqual({ probed: 0, settled: 2, stillUnknown: 0 });
    expect(work.begun).toHaveLength(4);
  });

  it('can be asked for again after it failed', async () => {
    await write(1);
    work.release();
    const run = runWith();
    const list = vi.spyOn(journal, 'list').mockRejectedValue(new Error('away'));
    await expect(run.recover()).rejects.toThrow('away');
    list.mockRestore();
    expect(await run.recover()).toMatchObject({ settled: 1 });
  });

  it('recovers what the storage lists if it fails in between, and says which family it did not list', async () => {
    await write(PAGE + 1);
    await journal.insert({ ...journalRecord('payout-1', { state: 'unknown' }), family: 'disbursement' }, 0);
    work.release();
    const run = runWith();
    const list = journal.list.bind(journal);
    vi.spyOn(journal, 'list').mockImplementation(async (scope, except, page) => {
      if (page.after !== undefined) throw new Error('away');
      return list(scope, except, page);
    });
    expect(await run.recover()).toEqual({
      probed: 0,
      settled: PAGE + 1,
      stillUnknown: 0,
      unlisted: ['collection'],
    });
    expect(work.begun).toContain('payout-1');
    expect(error.mock.calls.join()).toContain('could not list every collection (Error)');
    vi.restoreAllMocks();
    expect(await run.recover()).toEqual({ probed: 0, settled: PAGE + 2, stillUnknown: 0 });
  });

  it('counts a payment whose key service does not answer as failed, and works on the others', async () => {
    await write(2);
    work.release();
    const list = journal.list.bind(journal);
    vi.spyOn(journal, 'list').mockImplementation(async (...asked) => {
      const { entries } = await list(...asked);
      const [first, ...rest] = entries;
      const silent = { damaged: 'its key service is silent', unavailable: true } as const;
      return { entries: first ? [{ ...first, ...silent }, ...rest] : [] };
    });
    expect(await runWith().recover()).toEqual({ probed: 0, settled: 1, stillUnknown: 0, failed: 1 });
    expect(error.mock.calls.join()).toContain(
      'recover() failed for collection "order-1" (its key service is silent): the next run tries them again',
    );
  });

  it.each([
    ['first', [1], 0],
    ['second', [2], 1],
    ['first and the second', [1, 2], 0],
  ])(
    'counts a planned payment once whose key service does not answer the %s list of it',
    async (_, silentLists, settled) => {
      await journal.insert(journalRecord('order-1', { state: 'planned', body: '{}' }), 0);
      work.release();
      let lists = 0;
      const list = journal.list.bind(journal);
      vi.spyOn(journal, 'list').mockImplementation(async (...asked) => {
        const page = await list(...asked);
        if (page.entries.length === 0) return page;
        lists += 1;
        const silent = { damaged: 'its key service is silent', unavailable: true } as const;
        const isSilent = silentLists.includes(lists);
        return {
          ...page,
          entries: page.entries.map((entry) => (isSilent ? { ...entry, ...silent } : entry)),
        };
      });
      const lanes = { hasWork: () => true, isProbe: () => false };
      const report = await runWith(lanes).recover();
      expect(lists).toBe(2);
      expect(report).toEqual({ probed: 0, settled, stillUnknown: 0, ...(settled === 0 && { failed: 1 }) });
    },
  );

  it('continues with the payments to probe where an earlier run was over', async () => {
    await write(40);
    const run = runWith({ isProbe: () => true }, 1_000);
    vi.useFakeTimers({ toFake: ['performance'] });
    fakePerformance();
    try {
      const first = run.recover();
      await dealingWith(AT_ONCE);
      vi.advanceTimersByTime(2_000);
      work.release();
      expect(await first).toMatchObject({ unfinished: true });
      const before = new Set(work.begun);
      await run.recover();
      expect(work.begun.filter((reference) => before.has(reference))).toHaveLength(before.size);
      expect(new Set(work.begun).size).toBe(40);
    } finally {
      vi.useRealTimers();
    }
  });

  it('continues if the storage fails for some payments, and names them', async () => {
    await write(30);
    work.release();
    const report = await runWith({
      recover: (existing) =>
        Number(existing.record.reference.slice(6)) % 2 === 0
          ? Promise.reject(new TypeError('redis://user:secret@10.0.0.1'))
          : work.recover(existing),
    }).recover();
    expect(report).toEqual({ probed: 0, settled: 15, stillUnknown: 0, failed: 15 });
    const said = String(error.mock.calls[0]?.[0]);
    expect(error).toHaveBeenCalledTimes(1);
    expect(said).toMatch(/failed for collection "order-2" \(TypeError\).*"order-20" \(.*\) and 5 more/);
    expect(said).not.toContain('secret');
  });

  it('sends nothing for a payment that its storage calls damaged, whatever its record looks like', async () => {
    await write(2);
    const { list } = journal;
    vi.spyOn(journal, 'list').mockImplementation(async (...args) => {
      const page = await list.apply(journal, args);
      const [first, ...others] = page.entries;
      return { ...page, entries: first ? [{ ...first, damaged: 'its checksum is wrong' }, ...others] : [] };
    });
    work.release();
    expect(await runWith({ isProbe: () => true }).recover()).toMatchObject({ settled: 1, stillUnknown: 1 });
    expect(work.begun).toEqual(['order-2']);
    expect(error).toHaveBeenCalledWith(expect.stringContaining('"order-1" (its checksum is wrong)'));
  });

  it('deals first with what is to be sent once more, however much is older, and with nothing twice', async () => {
    await write(PAGE + 20);
    work.release();
    const isLast = ({ record }: StoredJournalRecord): boolean => record.reference === `order-${PAGE + 20}`;
    const report = await runWith({ isProbe: isLast }).recover();
    expect(work.begun[0]).toBe(`order-${PAGE + 20}`);
    expect(new Set(work.begun).size).toBe(work.begun.length);
    expect(report).toMatchObject({ settled: PAGE + 20 });
  });

  it('reads the planned payments, those to probe and all open ones once each, with no entry that its lane cannot use', async () => {
    const list = vi.spyOn(journal, 'list');
    work.release();
    for (let number = 1; number <= 2 * PAGE; number += 1)
      await journal.insert(journalRecord(`order-${number}`, { state: 'accepted' }), 0);
    expect(await runWith().recover()).toEqual({ probed: 0, settled: 2 * PAGE, stillUnknown: 0 });
    // Two pages of accepted collections, and one empty page of each other list.
    expect(list).toHaveBeenCalledTimes(2 + 1 + 2 + 2);
  });

  it('counts each payment once, whatever there is to do on its page', async () => {
    await write(4 * PAGE);
    work.release();
    const numberOf = ({ record }: StoredJournalRecord): number => Number(record.reference.slice(6));
    const report = await runWith({
      hasWork: (existing) => numberOf(existing) % PAGE === 7,
      isProbe: (existing) => numberOf(existing) % PAGE === 9,
    }).recover();
    expect(report).toEqual({ probed: 0, settled: 8, stillUnknown: 4 * PAGE - 8 });
    expect(new Set(work.begun).size).toBe(8);
    expect(work.begun).toHaveLength(8);
  });

  it('begins with nothing further once the application stops, and ends with what it had begun', async () => {
    await write(40);
    const run = runWith();
    const report = run.recover();
    await dealingWith(AT_ONCE);
    stopping.abort();
    const idle = run.idle();
    work.release();
    await idle;
    expect(work.begun).toHaveLength(AT_ONCE);
    expect(await report).toEqual({ probed: 0, settled: AT_ONCE, stillUnknown: 0, unfinished: true });
  });

  it('begins nothing, and reads nothing, if the application has stopped', async () => {
    await write(1);
    const list = vi.spyOn(journal, 'list');
    const run = runWith();
    stopping.abort();
    expect(await run.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 0, unfinished: true });
    expect(list).not.toHaveBeenCalled();
    await run.idle();
  });

  it('holds the end of the application up by no failure', async () => {
    await write(1);
    const run = runWith();
    vi.spyOn(journal, 'list').mockRejectedValue(new Error('away'));
    const report = run.recover().catch((failure: unknown) => failure);
    await expect(run.idle()).resolves.toBeUndefined();
    expect(await report).toMatchObject({ message: 'away' });
  });

  /** What a run has time for: each payment takes a second of the clock. */
  const taking = (
    seconds: number,
    work: (existing: StoredJournalRecord) => Promise<EntryEnd>,
  ): RecoveryRun => {
    let clock = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => clock);
    const recover = (existing: StoredJournalRecord): Promise<EntryEnd> => {
      clock += 1_000;
      return work(existing);
    };
    return runWith({ isProbe, recover }, seconds * 1_000 - 1);
  };
  const isProbe = ({ record }: StoredJournalRecord): boolean => record.reference.startsWith('probe');
  const writeOf = async (name: string, count: number, change: Partial<JournalRecord>): Promise<void> => {
    for (let number = 1; number <= count; number += 1)
      await journal.insert(journalRecord(`${name}-${number}`, change), 0);
  };

  it('ends when its time is up, and the next one continues with the next payment', async () => {
    await writeOf('order', PAGE + 30, { state: 'accepted' });
    work.release();
    const run = taking(PAGE - 10, (existing) => work.recover(existing));
    expect(await run.recover()).toEqual({ probed: 0, settled: PAGE - 10, stillUnknown: 0, unfinished: true });
    expect(await run.recover()).toEqual({ probed: 0, settled: 40, stillUnknown: 0 });
    expect(new Set(work.begun).size).toBe(PAGE + 30);
    expect(await run.recover()).toMatchObject({ settled: PAGE - 10, unfinished: true });
    expect(work.begun.slice(PAGE + 30)[0]).toBe('order-1');
  });

  it.each(['probe', 'payout', 'order'])(
    'begins nothing after its time limit, and the others have their turn, if %s takes up the time',
    async (slow) => {
      const counts = { probe: 5, payout: 5, order: 5, [slow]: 2 * PAGE };
      await writeOf('probe', counts.probe, { state: 'unknown' });
      await writeOf('payout', counts.payout, { state: 'planned', family: 'disbursement', body: '{}' });
      await writeOf('order', counts.order, { state: 'accepted' });
      work.release();
      const run = taking(60, (existing) => work.recover(existing));
      expect(await run.recover()).toMatchObject({ settled: 60, unfinished: true });
      for (const [name, count] of Object.entries(counts)) {
        const begun = work.begun.filter((reference) => reference.startsWith(name));
        expect(begun).toHaveLength(name === slow ? 50 : count);
      }
    },
  );

  it('begins the next run with the planned payments that the last one had no time for', async () => {
    await writeOf('payout', 100, { state: 'planned', family: 'disbursement', body: '{}' });
    work.release();
    const run = taking(60, (existing) => work.recover(existing));
    await run.recover();
    await run.recover();
    expect(new Set(work.begun).size).toBe(100);
  });

  describe('once the gateway limits the status queries', () => {
    const PER_RUN = 20;
    let answered: string[];
    let warn: MockInstance<Logger['warn']>;
    /** Answers some queries of a run, and then none. */
    const limited = (stale: readonly string[] = []): RecoveryRun => {
      let left = PER_RUN;
      return runWith({
        isProbe,
        hasWork: ({ record }, how) => how === undefined || stale.includes(record.reference),
        idleEnd: () => ({}),
        recover: async (existing, notes) => {
          const { record } = existing;
          if (record.state === 'planned' || isProbe(existing)) return work.recover(existing);
          if (notes!.isHeldBack) {
            work.begun.push(record.reference);
            return { unasked: true };
          }
          if (left === 0) {
            left = PER_RUN;
            notes!.isHeldBack = true;
            return { unasked: true };
          }
          left -= 1;
          answered.push(record.reference);
          return {};
        },
      });
    };

    beforeEach(() => {
      answered = [];
      warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
      work.release();
    });

    it('asks about no further payment, says so once, and continues in the next run with the first one that is left', async () => {
      await writeOf('order', PAGE + 1, { state: 'accepted' });
      const run = limited();
      const runs = Math.floor((PAGE + 1) / PER_RUN);
      for (let number = 1; number <= runs; number += 1) {
        expect(await run.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 0, unfinished: true });
        expect(answered).toHaveLength(number * PER_RUN);
        expect(warn).toHaveBeenCalledTimes(number);
      }
      expect(warn).toHaveBeenCalledWith(
        'recover() asks for the status of no further payment, because the gateway limits the queries (HTTP 429): the next run continues there.',
      );
      expect(await run.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 0 });
      expect(answered).toEqual(Array.from({ length: PAGE + 1 }, (_, index) => `order-${index + 1}`));
      await run.recover();
      expect(answered.at(PAGE + 1)).toBe('order-1');
    });

    it('still sends, probes, and does what needs no answer', async () => {
      await writeOf('order', 2 * PAGE, { state: 'accepted' });
      await writeOf('probe', 1, { state: 'unknown' });
      await writeOf('payout', 1, { state: 'planned', family: 'disbursement', body: '{}' });
      const last = `order-${2 * PAGE}`;
      expect(await limited([last]).recover()).toMatchObject({ settled: 2, unfinished: true });
      expect(work.begun).toEqual(['payout-1', 'probe-1', last]);
    });
  });

  it('asks the storage only for pages if nothing is left to do, and lets other work run', async () => {
    await write(40_000);
    const get = vi.spyOn(journal, 'get');
    const list = vi.spyOn(journal, 'list');
    let turns = 0;
    let most = 0;
    let seen = 0;
    let isOver = false;
    const takeTurns = (): void => {
      turns += 1;
      most = Math.max(most, seen);
      seen = 0;
      if (!isOver) setImmediate(takeTurns);
    };
    setImmediate(takeTurns);
    const run = runWith({
      hasWork: () => {
        seen += 1;
        return false;
      },
    });
    expect(await run.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 40_000 });
    isOver = true;
    expect(get).not.toHaveBeenCalled();
    // 80 pages, and the empty page of the payouts, for those to probe and for all; and nothing is planned.
    expect(list).toHaveBeenCalledTimes(2 * 81 + 2);
    expect(most).toBeLessThanOrEqual(2 * PAGE);
    expect(turns).toBeGreaterThanOrEqual(80);
  });
});
