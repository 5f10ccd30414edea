import { describe, expect, it } from 'vitest';
import { readRow, readTombstone } from '../../../../lib/storage/redis/journal-rows.js';
import { journalRecord } from '../../../support/journal-contract.js';

const RECORD = journalRecord('order-1');
const { account, environment, family, reference } = RECORD;
const KEY = { account, environment, family, reference };

describe('a row of the journal in Redis', () => {
  const row = (leaseUntil: number): string =>
    ['3', '1000', '4000', '2000', leaseUntil, '0', '1', 'in-flight', JSON.stringify(RECORD)].join(' ');

  it.each([
    [6_000, 1_000],
    [5_000, 0],
    [4_000, 0],
  ])('is read with its times by the clock of the server: a lease until %d leaves %d', (until, left) => {
    expect(readRow(row(until), 5_000, KEY)).toEqual({
      record: RECORD,
      version: 3,
      createdAt: 1_000,
      updatedAt: 4_000,
      ageMs: 3_000,
      idleMs: 1_000,
      leaseLeftMs: left,
    });
  });

  it('is read with no lease that a clock which was set back would revive', () => {
    expect(readRow(row(4_000), 3_000, KEY)).toMatchObject({ idleMs: -1_000, leaseLeftMs: 0 });
  });

  it('of which nothing can be read counts as a payment that nobody may make again', () => {
    expect(readRow('[]', 5_000, KEY)).toMatchObject({
      record: { ...KEY, state: 'unknown', attempt: 1, acknowledged: true },
      version: 0,
      leaseLeftMs: 0,
      damaged: 'Redis holds something else in its place',
    });
  });

  it('that names another payment is damaged', () => {
    expect(readRow(row(0), 5_000, { ...KEY, reference: 'order-2' })).toMatchObject({
      record: { reference: 'order-2', state: 'in-flight' },
      version: 3,
      damaged: 'its record names another reference',
    });
  });
});

it.each([
  ['2 paid operator', { attempt: 2, end: 'paid', settledBy: 'operator' }],
  ['1 rejected -', { attempt: 1, end: 'rejected' }],
  ['2 unlisted-refusal -', { attempt: 2, end: 'unlisted-refusal' }],
])('the tombstone %j is read', (text, tombstone) => {
  expect(readTombstone(text)).toEqual(tombstone);
});
