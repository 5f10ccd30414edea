import { describe, expect, it } from 'vitest';
import { firstReading, type ReadingPlace } from '../../../../lib/reconciliation/balance/readings.js';
import { type BalanceReading } from '../../../../lib/reconciliation/close/close-summary.js';
import { type StoredReconciliationEntry } from '../../../../lib/storage/reconciliation-store.js';

const scope: ReadingPlace['scope'] = { account: 'default', environment: 'sandbox' };

/** When it was asked for, and when it was answered. */
type Times = readonly [number, number];

function placeOf(readings: readonly Times[]): ReadingPlace {
  const entries = readings.map(([createdAt, updatedAt]): StoredReconciliationEntry => {
    const details = JSON.stringify({ balance: '1.00', available: '1.00', locked: '0.00' });
    const entry = { ...scope, kind: 'balance', id: String(createdAt), state: 'read', details } as const;
    return { entry, version: 2, createdAt, updatedAt, now: 0 };
  });
  const store = { list: () => Promise.resolve(entries) };
  return { scope, store: store as unknown as ReadingPlace['store'] };
}

const timesOf = (found: BalanceReading | undefined): readonly number[] | undefined =>
  found && [found.askedAt.getTime(), found.answeredAt.getTime()];

describe('the reading that closes a day', () => {
  const opening: BalanceReading = {
    askedAt: new Date(10),
    answeredAt: new Date(20),
    balance: '1.00',
    available: '1.00',
    locked: '0.00',
  };

  it.each<[string, readonly Times[], readonly number[] | undefined]>([
    [
      'is the first one after its end',
      [
        [4, 5],
        [6, 7],
        [8, 9],
      ],
      [6, 7],
    ],
    ['is none if all are older', [[4, 5]], undefined],
    ['was answered when it was asked for, if the clock stepped back', [[7, 3]], [7, 7]],
  ])('%s', async (_, readings, times) => {
    expect(timesOf(await firstReading(placeOf(readings), 6))).toEqual(times);
  });

  it.each<[string, readonly Times[], readonly number[] | undefined]>([
    [
      'is not the one that was asked for before the opening one, and answered later',
      [
        [6, 30],
        [40, 41],
      ],
      [40, 41],
    ],
    ['is not the one that was asked for while the opening one was read', [[15, 16]], undefined],
    [
      'is the opening one if none was read between the days',
      [
        [6, 30],
        [10, 20],
        [40, 41],
      ],
      [10, 20],
    ],
    ['may be asked for in the millisecond of the answer', [[20, 21]], [20, 21]],
  ])('%s', async (_, readings, times) => {
    expect(timesOf(await firstReading(placeOf(readings), 6, opening))).toEqual(times);
  });
});
