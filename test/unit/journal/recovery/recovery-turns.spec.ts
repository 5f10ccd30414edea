import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { memoryStorage, type PaymentsStorage, type StoredJournalRecord } from 'nestjs-payments';
import { RecoveryTally } from '../../../../lib/journal/recovery/recovery-report.js';
import { RecoveryTurns } from '../../../../lib/journal/recovery/recovery-turns.js';
import { type RunNotes } from '../../../../lib/journal/recovery/recover-entry.js';
import { isUnfinished, nextRun, type WalkPlaces } from '../../../../lib/journal/recovery/recovery-walk.js';
import { journalRecord } from '../../../support/journal-contract.js';

let storage: PaymentsStorage;
let recovered: string[];
/** How many status queries the gateway answers. */
let queries: number;
let turnedAway: number;
let running: number;
let mostAtOnce: number;
let stopping: AbortController;
let tally: RecoveryTally;
let onRecover: (reference: string) => void;

const { account, environment } = journalRecord('any');

beforeEach(() => {
  storage = memoryStorage();
  recovered = [];
  queries = Infinity;
  turnedAway = 0;
  running = 0;
  mostAtOnce = 0;
  stopping = new AbortController();
  tally = new RecoveryTally();
  onRecover = () => undefined;
});

afterEach(() => {
  vi.restoreAllMocks();
});

const isProbe = ({ record }: StoredJournalRecord): boolean => record.reference.startsWith('probe');

function turns(): RecoveryTurns {
  const entries = {
    hasWork: ({ record }: StoredJournalRecord, how?: 'without asking') =>
      how === undefined || record.stale === true,
    isProbe,
    idleEnd: () => ({}),
    recover: async ({ record }: StoredJournalRecord, notes?: RunNotes) => {
      if (record.state === 'accepted') {
        if (notes!.isHeldBack) return { unasked: true as const };
        if (queries === 0) {
          turnedAway += 1;
          notes!.isHeldBack = true;
          return { unasked: true as const };
        }
        queries -= 1;
      }
      recovered.push(record.reference);
      onRecover(record.reference);
      running += 1;
      mostAtOnce = Math.max(mostAtOnce, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return { known: true };
    },
  };
  return new RecoveryTurns(
    { account, environment },
    storage.journal,
    { canAsk: () => true },
    entries,
    stopping.signal,
  );
}

async function write(count: number, change: Parameters<typeof journalRecord>[1] = {}): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await storage.journal.insert(journalRecord(`order-${index}`, change), 0);
  }
}

it('recovers all of a small journal in one turn, those to probe first', async () => {
  await write(3);
  await storage.journal.insert(journalRecord('probe-1'), 0);
  await write(2, { family: 'disbursement', operation: 'disbursement.bank' });
  expect(await turns().turn(undefined, tally, Infinity)).toBeUndefined();
  expect(recovered).toEqual(['probe-1', 'order-0', 'order-1', 'order-2', 'order-0', 'order-1']);
  expect(tally.report()).toMatchObject({ settled: 6 });
});

it('works on a hundred payments in a turn, four at once, and continues in the next one', async () => {
  await write(250);
  const all = turns();
  const sizes: number[] = [];
  let place: WalkPlaces | undefined;
  do {
    const before = recovered.length;
    place = await all.turn(place, tally, Infinity);
    sizes.push(recovered.length - before);
  } while (place);
  expect(sizes).toEqual([100, 100, 50]);
  expect(new Set(recovered).size).toBe(250);
  expect(mostAtOnce).toBe(4);
});

it('probes payments before their own turn comes, a thousand further than it has come', async () => {
  await write(1_500);
  await storage.journal.insert(journalRecord('probe-1'), 0);
  const all = turns();
  let place = await all.turn(undefined, tally, Infinity);
  place = await all.turn(place, tally, Infinity);
  await all.turn(place, tally, Infinity);
  expect(recovered.indexOf('probe-1')).toBe(100);
});

it('begins no further payment when the time is up, or the application stops, and comes back to the same place', async () => {
  await write(20);
  const all = turns();
  const late = await all.turn(undefined, tally, -Infinity);
  expect(late?.others).toMatchObject({ family: 'collection' });
  expect(recovered).toEqual([]);
  onRecover = (reference) => {
    if (reference === 'order-9') stopping.abort();
  };
  const stopped = await all.turn(late, tally, Infinity);
  expect(stopped?.others).toMatchObject({ family: 'collection' });
  expect(recovered).toHaveLength(10);
  stopping = new AbortController();
  onRecover = () => undefined;
  expect(await turns().turn(stopped, tally, Infinity)).toBeUndefined();
  expect(recovered).toHaveLength(20);
  expect(new Set(recovered).size).toBe(20);
  await all.idle();
  expect(running).toBe(0);
});

it('asks about no further payment of the account in a run in which the gateway limits the queries, and continues in the next one', async () => {
  vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  await write(150, { state: 'accepted', stale: true });
  await storage.journal.insert(
    journalRecord('payout', { family: 'disbursement', state: 'planned', body: '{}' }),
    0,
  );
  await storage.journal.insert(journalRecord('probe-1'), 0);
  const all = turns();
  let place: WalkPlaces | undefined;
  /** Makes the turns of a run. */
  const run = async (): Promise<void> => {
    queries = 20;
    do place = await all.turn(place, tally, Infinity);
    while (place && isUnfinished(place));
    place &&= nextRun(place);
  };
  await run();
  expect(recovered).toHaveLength(22);
  expect(turnedAway).toBe(1);
  expect(recovered.slice(0, 2)).toEqual(['payout', 'probe-1']);
  expect(tally.report()).toMatchObject({ unfinished: true });
  const asked = new Set<string>();
  for (let number = 2; number <= 8; number += 1) await run();
  for (const reference of recovered) if (reference.startsWith('order')) asked.add(reference);
  expect(asked.size).toBe(150);
  expect(place).toBeUndefined();
});

it('sends up to a hundred planned payments in a turn, however many others have no work', async () => {
  await write(300, { state: 'unknown', operation: 'of a newer version' } as never);
  for (let index = 0; index < 50; index += 1)
    await storage.journal.insert(journalRecord(`payout-${index}`, { state: 'planned', body: '{}' }), 0);
  await turns().turn(undefined, tally, Infinity);
  expect(recovered).toHaveLength(50);
});

it('recovers the payments of the other family if one cannot be listed, and then fails', async () => {
  await write(2);
  await write(2, { family: 'disbursement', operation: 'disbursement.bank' });
  const list = storage.journal.list.bind(storage.journal);
  vi.spyOn(storage.journal, 'list').mockImplementation(async (scope, except, page) => {
    if (scope.family === 'collection') throw new Error('away');
    return list(scope, except, page);
  });
  await expect(turns().turn(undefined, tally, Infinity)).rejects.toThrow('away');
  expect(recovered).toEqual(['order-0', 'order-1']);
});
