import { describe, expect, it } from 'vitest';
import { DayTally, gapOf } from '../../../../lib/reconciliation/close/day-tally.js';
import { type CarriedPayment } from '../../../../lib/reconciliation/close/carried.js';
import { type BalanceReading } from '../../../../lib/reconciliation/close/close-summary.js';
import { type RowMoney } from '../../../../lib/reconciliation/matching/classify-payment.js';
import { type JournalPayment } from '../../../../lib/reconciliation/matching/journal-payment.js';
import { StatementDays } from '../../../../lib/reconciliation/matching/statement-days.js';
import { JournalPayments } from '../../../../lib/reconciliation/matching/journal-payments.js';

const HOUR = 3_600_000;
const FROM = 1_800_000_000_000;
const TO = FROM + 24 * HOUR;

const reading = (at: number, balance: string): BalanceReading => ({
  askedAt: new Date(at + 1),
  answeredAt: new Date(at + 2),
  balance,
  available: balance,
  locked: '0.00',
});
const payout = (reference: string, given: Partial<JournalPayment> = {}): JournalPayment => ({
  family: 'disbursement',
  reference,
  state: 'unknown',
  status: 'unknown',
  cents: 100_000,
  feeCents: 500,
  isRepeatable: false,
  attempt: 1,
  createdAt: FROM + HOUR,
  begunAt: FROM + HOUR,
  changedAt: FROM + HOUR,
  ...given,
});
const row = (given: Partial<RowMoney> = {}): RowMoney => ({
  row: 2,
  kind: 'payout',
  cents: 100_000,
  feeCents: 500,
  at: FROM + 2 * HOUR,
  isFailed: false,
  ...given,
});
const tallyOf = (
  own: readonly JournalPayment[],
  closing: string,
  {
    openedAt = FROM,
    hasStatement = true,
    carried = [] as readonly CarriedPayment[],
    statementsFrom = FROM - 24 * HOUR,
  } = {},
): DayTally => {
  const payments = new JournalPayments();
  for (const payment of own) payments.add(payment);
  // The day before has one, and none before that.
  const statementDays = new StatementDays();
  statementDays.add({ from: statementsFrom, to: hasStatement ? TO : FROM });
  return new DayTally({
    journalDay: { payments, after: [], carried: new Map(carried.entries()) },
    dayLimits: {
      cutOff: TO,
      hasStatement,
      statementLagMs: HOUR,
      outcomeWithinMs: 24 * HOUR,
      payoutsEndWithinMs: Infinity,
    },
    statementDays,
    mostExceptions: 3,
    limits: { largestFeeCents: undefined, payoutsEndWithinMs: Infinity },
    from: FROM,
    opening: reading(openedAt, '100000.00'),
    closing: reading(TO, closing),
  });
};

describe('the tally of a day', () => {
  it('has a hint if one set of open payments alone explains the balance', () => {
    const tally = tallyOf([payout('a'), payout('b', { cents: 7_000 })], '98995.00');
    tally.finish(undefined);
    expect(tally.withHints(tally.equation()).map(({ hint }) => hint)).toEqual([
      'It fits if exactly these open payments moved: "a".',
      'It fits if exactly these open payments moved: "a".',
    ]);
  });

  it('has a hint that says what came back', () => {
    const accepted = payout('a', { state: 'accepted', status: 'accepted', createdAt: FROM - HOUR });
    const tally = tallyOf([accepted, payout('b', { cents: 7_000 })], '101005.00');
    tally.finish(undefined);
    expect(tally.withHints(tally.equation()).map(({ hint }) => hint)).toEqual([
      'It fits if none of the open payments moved, and the money of exactly these came back: "a".',
    ]);
  });

  it('has no hint if a payout that explains nothing may have moved before the opening balance', () => {
    const accepted = payout('a', { state: 'accepted', status: 'accepted', createdAt: FROM - HOUR });
    for (const closing of ['100000.00', '99925.00']) {
      const tally = tallyOf([accepted, payout('b', { cents: 7_000 })], closing);
      tally.finish(undefined);
      expect(tally.withHints(tally.equation()).map(({ hint }) => hint)).toEqual([undefined]);
    }
  });

  it('has no hint if a row that nobody knows may explain the balance, too', () => {
    const tally = tallyOf([payout('a')], '98995.00');
    tally.doubtful(row());
    tally.finish(undefined);
    expect(tally.equation()).toMatchObject({ least: '-2010.00', most: '0.00', difference: '0.00' });
    expect(tally.withHints(tally.equation()).map(({ hint }) => hint)).toEqual([undefined]);
  });

  it('has no hint if a row may be the fee that a payment has already', () => {
    const tally = tallyOf([payout('a')], '98995.00');
    tally.other({ cents: -500, at: FROM + HOUR, isDoubtful: true });
    tally.finish(undefined);
    expect(tally.equation()).toMatchObject({ least: '-1010.00', most: '0.00', difference: '0.00' });
    expect(tally.withHints(tally.equation()).map(({ hint }) => hint)).toEqual([undefined]);
  });

  it('does not know on which side of the balance other money is whose row was cut to the minute', () => {
    const [minute, second] = [tallyOf([], '100010.00'), tallyOf([], '100010.00')];
    // The opening balance was read in the first second.
    minute.other({ cents: 1_000, at: FROM, isDoubtful: false });
    expect(minute.equation()).toMatchObject({ least: '0.00', most: '10.00', difference: '0.00' });
    second.other({ cents: 1_000, at: FROM + 1_000, isDoubtful: false });
    expect(second.equation()).toMatchObject({ other: '10.00', most: '0.00', difference: '0.00' });
  });

  it('counts the payments that were made on it, and those of other days there', () => {
    const tally = tallyOf([payout('a', { state: 'accepted' })], '100000.00');
    tally.matched(payout('early', { state: 'accepted', begunAt: TO + 1 }), row(), false);
    tally.matched(payout('old', { state: 'accepted', begunAt: FROM - 1 }), row(), false);
    tally.finish(undefined);
    expect(tally.payouts.sum).toEqual({ count: 1, amount: '1000.00', fees: '5.00' });
  });

  it('does not count again what the journal knows to have moved before the opening balance', () => {
    const paid = payout('a', {
      state: 'moved',
      status: 'paid',
      createdAt: FROM - HOUR,
      begunAt: FROM - HOUR,
      changedAt: FROM - 1,
    });
    const tally = tallyOf([paid], '98995.00');
    tally.matched(paid, row({ at: FROM + HOUR }), false);
    expect(tally.equation()).toMatchObject({ least: '0.00', most: '0.00', difference: '-1005.00' });
  });

  it('has no equation if the clock stepped back between the readings', () => {
    const tally = tallyOf([payout('a', { state: 'moved', status: 'paid' })], '98995.00', {
      openedAt: TO + HOUR,
    });
    tally.finish(undefined);
    expect(tally.equation()).toBeUndefined();
  });

  it('has no equation if the journal cannot read an amount, and says so of the payment', () => {
    const tally = tallyOf([payout('a', { cents: undefined, status: 'damaged' })], '100000.00');
    tally.finish(undefined);
    expect(tally.equation()).toBeUndefined();
    expect(tally.findings).toMatchObject([{ kind: 'unknown', reference: 'a' }]);
  });

  it('hands on a payment with its row if it may have moved after the balance was read', () => {
    // The clock of the gateway is late.
    const during = payout('a', { state: 'moved', status: 'paid', createdAt: TO - 1, changedAt: TO + 1 });
    const tally = tallyOf([during], '100000.00');
    tally.matched(during, row({ at: TO - 2 }), false);
    expect(tally.carried).toEqual([{ family: 'disbursement', reference: 'a', proven: row({ at: TO - 2 }) }]);
    expect(tally.equation()).toMatchObject({ least: '-1005.00', most: '0.00', difference: '0.00' });
  });

  it('hands on what was under way while the balance was read', () => {
    const during = payout('a', { state: 'moved', status: 'paid', changedAt: TO + 1 });
    const tally = tallyOf([during, payout('b', { state: 'none', status: 'rejected' })], '100000.00');
    tally.finish(undefined);
    expect(tally.carried).toEqual([{ family: 'disbursement', reference: 'a', awaitsRow: true }]);
    expect(tally.equation()).toMatchObject({ least: '-1005.00', most: '0.00' });
  });

  it('hands on what moved while the balance was read, though there is no statement', () => {
    const moved = { state: 'moved', status: 'paid' } as const;
    const own = [payout('a', { ...moved, changedAt: TO + 1 }), payout('b', { ...moved, changedAt: TO })];
    const tally = tallyOf(own, '100000.00', { hasStatement: false });
    tally.finish(undefined);
    expect(tally.carried).toEqual([{ family: 'disbursement', reference: 'a' }]);
  });
});

describe('what the next day needs to tell a row that comes again', () => {
  const LONG = 40 * 24 * HOUR;
  const BEFORE = FROM - 24 * HOUR;

  it.each<[string, Partial<JournalPayment>, Partial<RowMoney>, boolean]>([
    ['was made on a day without a statement', {}, {}, true],
    ['was made on a day with a statement', { begunAt: BEFORE }, {}, false],
    ['had its row nearly a month ago', {}, { at: TO - 31 * 24 * HOUR + 1 }, true],
    ['had its row a month ago', {}, { at: TO - 31 * 24 * HOUR }, false],
    ['has a row that failed', {}, { isFailed: true }, false],
    ['did not move', { state: 'none', status: 'failed' }, {}, false],
    ['is of a later day', { createdAt: TO, begunAt: TO, changedAt: TO }, {}, false],
  ])('is the row of a payment that %s', (_, given, givenRow, isCarried) => {
    const moved = { state: 'moved', status: 'paid', createdAt: FROM - LONG, begunAt: BEFORE - 1 } as const;
    const own = payout('a', { ...moved, changedAt: FROM - HOUR, ...given });
    const tally = tallyOf([own], '100000.00');
    tally.matched(own, row(givenRow), false);
    const carried = { family: 'disbursement', reference: 'a', proven: row(givenRow) };
    expect(tally.carried).toEqual(isCarried ? [carried] : []);
  });

  it.each<[string, Partial<JournalPayment>, boolean]>([
    ['no row of its own day or of this one, which has no statement', {}, true],
    ['no statement of its day, either', { begunAt: BEFORE - 1 }, false],
    ['not moved', { state: 'none', status: 'failed' }, false],
  ])('is a payment that has %s', (_, given, isCarried) => {
    const own = payout('a', {
      state: 'moved',
      status: 'paid',
      createdAt: BEFORE,
      begunAt: BEFORE,
      changedAt: FROM + HOUR,
      ...given,
    });
    const tally = tallyOf([own], '100000.00', { hasStatement: false });
    tally.finish(undefined);
    expect(tally.carried).toEqual(
      isCarried ? [{ family: 'disbursement', reference: 'a', isUnseen: true }] : [],
    );
  });

  it('is that no statement has shown a payment, however long, and no exception', () => {
    for (const begunAt of [FROM - HOUR, FROM - LONG + HOUR]) {
      const own = payout('a', { state: 'moved', status: 'paid', createdAt: begunAt, begunAt });
      const unseen = { family: 'disbursement', reference: 'a', isUnseen: true } as const;
      const tally = tallyOf([own], '100000.00', { carried: [unseen], statementsFrom: FROM - LONG });
      tally.finish(undefined);
      expect(tally.carried).toEqual([unseen]);
      expect(tally.findings).toEqual([]);
    }
  });

  it('is that it is unproven as long as it has not ended', () => {
    const own = payout('a', {
      state: 'accepted',
      status: 'accepted',
      createdAt: BEFORE - LONG,
      begunAt: BEFORE - LONG,
    });
    const unseen = { family: 'disbursement', reference: 'a', isUnseen: true } as const;
    const tally = tallyOf([own], '100000.00', { carried: [unseen], statementsFrom: FROM - 10 * LONG });
    tally.finish(undefined);
    expect(tally.findings).toMatchObject([{ kind: 'unproven' }]);
  });

  it('is nothing of an attempt before the one that began on the day', () => {
    const unseen = { family: 'disbursement', reference: 'a', isUnseen: true } as const;
    const tally = tallyOf([payout('a', { attempt: 2, createdAt: BEFORE })], '100000.00', {
      carried: [unseen],
    });
    tally.finish(undefined);
    expect(tally.findings).toMatchObject([{ kind: 'unknown' }]);
  });
});

it('takes no amount that it cannot read for a day without a gap', () => {
  const equation = { difference: 'twelve' } as Parameters<typeof gapOf>[0];
  expect(() => gapOf(equation)).toThrow(RangeError);
});
