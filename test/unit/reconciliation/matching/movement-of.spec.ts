import { describe, expect, it } from 'vitest';
import { type Movement } from '../../../../lib/reconciliation/balance/movement.js';
import { type RowMoney } from '../../../../lib/reconciliation/matching/classify-payment.js';
import {
  type MovementLimits,
  movementOf,
  movementOfReturn,
  movementOfRow,
  movementWithRow,
} from '../../../../lib/reconciliation/matching/movement-of.js';
import { type JournalPayment } from '../../../../lib/reconciliation/matching/journal-payment.js';

const NO_LIMITS: MovementLimits = { largestFeeCents: undefined, payoutsEndWithinMs: Infinity };
const own = (given: Partial<JournalPayment>): JournalPayment => ({
  family: 'collection',
  reference: 'a',
  state: 'moved',
  status: 'success',
  cents: 5_000_000,
  feeCents: 50_000,
  isRepeatable: false,
  attempt: 1,
  createdAt: 100,
  begunAt: 100,
  changedAt: 200,
  ...given,
});
const row = (given: Partial<RowMoney>): RowMoney => ({
  row: 1,
  kind: 'collection',
  cents: 5_000_000,
  feeCents: 50_000,
  at: 150,
  isFailed: false,
  ...given,
});
const payout = { family: 'disbursement', status: 'paid' } as const;

describe('what the journal says of the balance', () => {
  it.each<[string, Partial<JournalPayment>, Partial<MovementLimits>, Partial<Movement>]>([
    [
      'a collection brings its net',
      {},
      {},
      { direction: 'in', state: 'moved', least: 4_950_000, most: 4_950_000, from: 100, to: 200 },
    ],
    [
      'a payout takes its total',
      payout,
      {},
      { direction: 'out', state: 'moved', least: 5_050_000, most: 5_050_000 },
    ],
    ['an unknown fee is at most the amount', { feeCents: undefined }, {}, { least: 0, most: 5_000_000 }],
    [
      'an unknown fee of a payout is at most the amount',
      { ...payout, feeCents: undefined },
      {},
      { least: 5_000_000, most: 10_000_000 },
    ],
    [
      'an unknown fee of a small payout may be 10,000 TZS',
      { ...payout, cents: 100, feeCents: undefined },
      {},
      { least: 100, most: 1_000_100 },
    ],
    [
      'the policy may know the largest fee',
      { ...payout, feeCents: undefined },
      { largestFeeCents: 7 },
      { least: 5_000_000, most: 5_000_007 },
    ],
    ['a failed collection brings nothing', { state: 'none', status: 'failed' }, {}, { state: 'none' }],
    [
      'a failed payout may have been away',
      { ...payout, state: 'none', status: 'failed' },
      {},
      { state: 'returned', from: 100, to: 200 },
    ],
    ['a refused payout never left', { ...payout, state: 'none', status: 'rejected' }, {}, { state: 'none' }],
    ['an unknown payment is open', { state: 'unknown' }, {}, { state: 'open', to: Infinity }],
    ['an accepted payout is open', { ...payout, state: 'accepted' }, {}, { state: 'open', to: Infinity }],
    [
      'an accepted payout is open as long as the policy says',
      { ...payout, state: 'accepted' },
      { payoutsEndWithinMs: 50 },
      { state: 'open', to: 150 },
    ],
    [
      'an accepted collection is open without a limit',
      { state: 'accepted' },
      { payoutsEndWithinMs: 50 },
      { to: Infinity },
    ],
  ])('%s', (_, given, limits, movement) => {
    expect(movementOf(own(given), { ...NO_LIMITS, ...limits })).toMatchObject(movement);
  });

  it('begins with the last attempt, unless that is the first one, which was sent again', () => {
    expect(movementOf(own({ attempt: 2, begunAt: 180 }), NO_LIMITS)).toMatchObject({ from: 180 });
    expect(movementOf(own({ attempt: 1, begunAt: 180 }), NO_LIMITS)).toMatchObject({ from: 100 });
  });

  it('is nothing that can be said of a payment whose amount cannot be read', () => {
    expect(movementOf(own({ cents: undefined }), NO_LIMITS)).toBeUndefined();
  });
});

describe('what journal and statement say together', () => {
  it.each<[string, Partial<JournalPayment>, Partial<RowMoney>, Partial<Movement>]>([
    ['the row knows when', {}, {}, { state: 'moved', least: 4_950_000, most: 4_950_000, from: 150, to: 150 }],
    // The close before may have counted it for certain: it must not be possible once more.
    ['the journal knows that it moved before', {}, { at: 201 }, { state: 'moved', from: 100, to: 200 }],
    [
      'the journal knows that the last attempt moved before',
      { attempt: 2, begunAt: 180 },
      { at: 201 },
      { state: 'moved', from: 180, to: 200 },
    ],
    ['the row is older than the payment, which had moved by then', {}, { at: 99 }, { from: 100, to: 200 }],
    [
      'the row is older than the payment, and was cut to the minute',
      { ...payout, state: 'accepted', createdAt: 20_000 },
      { kind: 'payout', at: 0 },
      { state: 'moved', from: 20_000, to: 59_999 },
    ],
    [
      'the row was cut to the minute',
      { ...payout, state: 'accepted' },
      { kind: 'payout', at: 60_000 },
      { state: 'moved', from: 60_000, to: 119_999 },
    ],
    [
      'the row was cut to the minute, and the journal knows more',
      { changedAt: 60_700 },
      { at: 60_000 },
      { state: 'moved', from: 60_000, to: 60_700 },
    ],
    [
      'the row was cut to the second',
      { ...payout, state: 'accepted' },
      { kind: 'payout', at: 61_000 },
      { state: 'moved', from: 61_000, to: 61_999 },
    ],
    [
      'the row was cut to the minute, and has the amount that the journal cannot read',
      { cents: undefined, state: 'unknown' },
      { at: 60_000 },
      { state: 'moved', from: 60_000, to: 119_999 },
    ],
    [
      'nobody knows whether a failed one moved, of which the row was cut to the minute',
      { state: 'none', status: 'failed' },
      { at: 60_000 },
      { state: 'open', from: 100, to: 119_999 },
    ],
    [
      'the row says that an unknown one failed, and was cut to the minute',
      { ...payout, state: 'unknown' },
      { isFailed: true, kind: 'payout', at: 60_000 },
      { state: 'returned', from: 100, to: 119_999 },
    ],
    [
      'the row is of a clock that is late',
      { ...payout, state: 'unknown', createdAt: 120_000 },
      { kind: 'payout', at: 0 },
      { state: 'moved', from: 120_000, to: 120_000 },
    ],
    [
      'nobody knows when one moved that was not made by then, and failed',
      { state: 'none', status: 'failed' },
      { at: 50 },
      { state: 'open', from: 50, to: 100 },
    ],
    ['the row knows the fee', { feeCents: undefined }, {}, { least: 4_950_000, most: 4_950_000 }],
    ['the journal knows the fee', {}, { feeCents: undefined }, { least: 4_950_000, most: 4_950_000 }],
    ['the row proves an unknown payment', { state: 'unknown' }, {}, { state: 'moved', from: 150, to: 150 }],
    [
      'nobody knows which amount is right',
      {},
      { cents: 4_000_000 },
      { state: 'moved', least: 3_950_000, most: 4_950_000 },
    ],
    [
      'nobody knows which fee is right',
      {},
      { feeCents: 40_000 },
      { state: 'moved', least: 4_950_000, most: 4_960_000 },
    ],
    [
      'nobody knows whether a failed one moved',
      { state: 'none', status: 'failed' },
      {},
      { state: 'open', least: 4_950_000, from: 100, to: 150 },
    ],
    [
      'a failed row of another amount says nothing of an open one',
      { state: 'accepted', status: 'accepted' },
      { isFailed: true, cents: 4_000_000 },
      { state: 'open', from: 100, to: Infinity },
    ],
    [
      'nobody knows whether one that failed there moved',
      {},
      { isFailed: true },
      { state: 'open', to: Infinity },
    ],
    ['both say that it failed', { state: 'none', status: 'failed' }, { isFailed: true }, { state: 'none' }],
    [
      'the row says that an unknown one failed',
      { ...payout, state: 'unknown' },
      { isFailed: true, kind: 'payout' },
      { state: 'returned', from: 100, to: 150 },
    ],
    [
      'a row that another one contradicts says nothing of an open one',
      { ...payout, state: 'accepted', status: 'accepted' },
      { kind: 'payout', isContradicted: true },
      { state: 'open', from: 100, to: Infinity },
    ],
    [
      'a failed row that another one contradicts says nothing of one that moved since',
      payout,
      { kind: 'payout', isFailed: true, isContradicted: true },
      { state: 'moved', from: 100, to: 200 },
    ],
    [
      'the row has the amount that the journal cannot read',
      { cents: undefined, state: 'unknown' },
      {},
      { state: 'moved', least: 4_950_000 },
    ],
  ])('%s', (_, given, givenRow, movement) => {
    expect(movementWithRow(own(given), row(givenRow), NO_LIMITS)).toMatchObject(movement);
  });

  it('is open until the end of its minute for a row in doubt that was cut', () => {
    expect(movementOfRow(row({ at: 60_000 }), NO_LIMITS)).toMatchObject({ from: 60_000, to: 119_999 });
    expect(movementOfReturn(row({ at: 60_000 }), NO_LIMITS)).toMatchObject({ from: 60_000, to: 119_999 });
  });

  it('is open for a row in doubt', () => {
    expect(movementOfRow(row({ kind: 'payout' }), NO_LIMITS)).toEqual({
      direction: 'out',
      state: 'open',
      least: 5_050_000,
      most: 5_050_000,
      from: 150,
      to: 150,
    });
  });
});
