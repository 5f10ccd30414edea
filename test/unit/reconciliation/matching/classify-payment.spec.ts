import { describe, expect, it } from 'vitest';
import {
  isBeforeLastAttempt,
  type DayLimits,
  type Classification,
  classifyUnmatched,
  classifyMatched,
  type RowMoney,
} from '../../../../lib/reconciliation/matching/classify-payment.js';
import { type JournalPayment } from '../../../../lib/reconciliation/matching/journal-payment.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const CUT_OFF = 100 * DAY;
const AT: DayLimits = {
  cutOff: CUT_OFF,
  hasStatement: true,
  statementLagMs: HOUR,
  outcomeWithinMs: DAY,
  payoutsEndWithinMs: 10 * DAY,
};

/** A payment that was made two days before the end of the day, and changed an hour later. */
const own = (given: Partial<JournalPayment>): JournalPayment => ({
  family: 'collection',
  reference: 'a',
  state: 'moved',
  status: 'success',
  cents: 1_000,
  feeCents: 10,
  isRepeatable: false,
  attempt: 1,
  createdAt: given.begunAt ?? CUT_OFF - 2 * DAY,
  begunAt: CUT_OFF - 2 * DAY,
  changedAt: CUT_OFF - 2 * DAY + HOUR,
  ...given,
});
const row = (given: Partial<RowMoney>): RowMoney => ({
  row: 7,
  kind: 'collection',
  cents: 1_000,
  feeCents: 10,
  at: CUT_OFF - 2 * DAY + HOUR,
  isFailed: false,
  ...given,
});
const payout = { family: 'disbursement', status: 'accepted' } as const;
const refused = { state: 'none', status: 'rejected' } as const;

describe('a payment without a row', () => {
  it.each<[string, Partial<JournalPayment>, Partial<DayLimits>, Classification]>([
    ['that moved is missing there', {}, {}, { kinds: ['missing-there'], stays: true }],
    ['that moved is fine without a statement', {}, { hasStatement: false }, { kinds: [], stays: false }],
    [
      'that moved less than the lag ago is expected',
      { changedAt: CUT_OFF - HOUR + 1 },
      {},
      { kinds: [], stays: true, isExpected: true },
    ],
    [
      'that moved the lag ago is missing there',
      { changedAt: CUT_OFF - HOUR },
      {},
      { kinds: ['missing-there'], stays: true },
    ],
    [
      'that moved after the end is expected',
      { changedAt: CUT_OFF + 1 },
      {},
      { kinds: [], stays: true, isExpected: true },
    ],
    ['that failed is fine', { state: 'none', status: 'failed' }, {}, { kinds: [], stays: false }],
    ['that nobody knows is unknown', { state: 'unknown' }, {}, { kinds: ['unknown'], stays: true }],
    [
      'that nobody knows is unknown without a statement, too',
      { state: 'unknown' },
      { hasStatement: false },
      { kinds: ['unknown'], stays: true },
    ],
    [
      'that nobody knows and that is young is expected',
      { state: 'unknown', begunAt: CUT_OFF - HOUR + 1 },
      {},
      { kinds: [], stays: true, isExpected: true },
    ],
    [
      'that was accepted is unproven',
      { ...payout, state: 'accepted' },
      {},
      { kinds: ['unproven'], stays: true },
    ],
    [
      'that was accepted within the time of an outcome is expected',
      { ...payout, state: 'accepted', begunAt: CUT_OFF - DAY + 1 },
      {},
      { kinds: [], stays: true, isExpected: true },
    ],
    [
      'that is a payout stays accepted without a statement, as long as it may change the balance',
      { ...payout, state: 'accepted' },
      { hasStatement: false },
      { kinds: [], stays: true },
    ],
    [
      'that is a payout nothing more is heard of without a statement',
      { ...payout, state: 'accepted', begunAt: CUT_OFF - 10 * DAY },
      { hasStatement: false },
      { kinds: [], stays: false },
    ],
    [
      'that was refused may be made again',
      { ...refused, isRepeatable: true },
      {},
      { kinds: [], stays: true },
    ],
    [
      'that was refused a month ago is over',
      { ...refused, isRepeatable: true, begunAt: CUT_OFF - 31 * DAY },
      {},
      { kinds: [], stays: false },
    ],
    [
      'whose second attempt is young is expected, however old it is',
      { state: 'unknown', createdAt: CUT_OFF - 90 * DAY, begunAt: CUT_OFF - 1 },
      {},
      { kinds: [], stays: true, isExpected: true },
    ],
    [
      'that is a pending collection should have ended without a statement, too',
      { state: 'accepted', status: 'accepted' },
      { hasStatement: false },
      { kinds: ['unproven'], stays: true },
    ],
  ])('%s', (_, given, at, classification) => {
    expect(classifyUnmatched(own(given), { ...AT, ...at })).toEqual(classification);
  });

  it('that an earlier statement should have shown waits for the next one', () => {
    const at = { ...AT, hasStatement: false };
    expect(classifyUnmatched(own({}), at, true)).toEqual({ kinds: [], stays: true });
    expect(classifyUnmatched(own({}), AT, true)).toEqual({ kinds: ['missing-there'], stays: true });
  });
});

describe('a payment with a row', () => {
  it.each<[string, Partial<JournalPayment>, Partial<RowMoney>, Classification]>([
    ['is fine if both say the same', {}, {}, { kinds: [], stays: false }],
    ['is fine if nobody named a fee', { feeCents: undefined }, {}, { kinds: [], stays: false }],
    ['is fine if the row names no fee', {}, { feeCents: undefined }, { kinds: [], stays: false }],
    ['differs by the amount', {}, { cents: 1_001 }, { kinds: ['amount'], stays: false }],
    [
      'differs by the amount alone, if the fee follows it',
      {},
      { cents: 2_000, feeCents: 20 },
      { kinds: ['amount'], stays: false },
    ],
    ['differs by the fee', {}, { feeCents: 11 }, { kinds: ['fee'], stays: false }],
    ['moved late', {}, { at: CUT_OFF - DAY + 1 }, { kinds: ['late'], stays: false }],
    ['moved in time', {}, { at: CUT_OFF - DAY }, { kinds: [], stays: false }],
    [
      'that failed here moved there',
      { state: 'none', status: 'failed' },
      {},
      { kinds: ['status'], stays: false },
    ],
    [
      'that was refused here moved there, and may be settled',
      refused,
      {},
      { kinds: ['status'], proves: 'success', stays: false },
    ],
    [
      'that was refused here and moved there with another amount is not settled by that',
      refused,
      { cents: 999 },
      { kinds: ['status'], stays: false },
    ],
    [
      'that nobody knew is proven',
      { ...payout, state: 'unknown' },
      { kind: 'payout' },
      { kinds: ['proven'], proves: 'paid', stays: false },
    ],
    [
      'that nobody knew is not proven by another amount',
      { ...payout, state: 'unknown' },
      { kind: 'payout', cents: 999 },
      { kinds: ['proven', 'amount'], stays: false },
    ],
    [
      'that was an accepted payout ends as usual',
      { ...payout, state: 'accepted' },
      { kind: 'payout' },
      { kinds: [], proves: 'paid', stays: false },
    ],
    [
      'that was a pending collection missed its webhook',
      { state: 'accepted', status: 'accepted' },
      {},
      { kinds: ['proven'], proves: 'success', stays: false },
    ],
    ['that failed on both sides is fine', { state: 'none' }, { isFailed: true }, { kinds: [], stays: false }],
    ['that moved here failed there', {}, { isFailed: true }, { kinds: ['status'], stays: false }],
    [
      'that nobody knew failed',
      { ...payout, state: 'unknown' },
      { kind: 'payout', isFailed: true },
      { kinds: ['proven'], proves: 'failed', stays: false },
    ],
  ])('%s', (_, given, givenRow, classification) => {
    expect(classifyMatched(own(given), row(givenRow), AT)).toEqual(classification);
  });
});

describe('a row before the last attempt', () => {
  const begunAt = CUT_OFF - DAY;

  it.each<[string, Partial<JournalPayment>, Partial<RowMoney>, boolean]>([
    ['is of an earlier one', { attempt: 2 }, { at: begunAt - 60_000 }, true],
    ['may have a time that was cut to the minute', { attempt: 2 }, { at: begunAt - 59_999 }, false],
    ['is of the only one, which was sent again', { attempt: 1 }, { at: begunAt - HOUR }, false],
    [
      'says nothing of the others if it failed',
      { attempt: 2 },
      { at: begunAt - HOUR, isFailed: true },
      false,
    ],
    ['is none if it is after that', { attempt: 3 }, { at: begunAt + 1 }, false],
  ])('%s', (_, given, givenRow, isBefore) => {
    expect(isBeforeLastAttempt(own({ begunAt, ...given }), row(givenRow))).toBe(isBefore);
  });
});
