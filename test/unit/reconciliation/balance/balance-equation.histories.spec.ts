import { expect, it } from 'vitest';
import fc from 'fast-check';
import { addMoney, compareMoney } from '../../../../lib/common/money.js';
import { BalanceSums } from '../../../../lib/reconciliation/balance/balance-equation.js';
import { changeOf, type Movement } from '../../../../lib/reconciliation/balance/movement.js';
import {
  type BalanceEquation,
  type BalanceReading,
} from '../../../../lib/reconciliation/close/close-summary.js';

/** What really happened to a payment. Times are in milliseconds with fractions. */
interface Truth {
  readonly direction: Movement['direction'];
  readonly amount: number;
  readonly fee: number;
  /** When the money left or came; undefined if it never moved. */
  readonly movedAt: number | undefined;
  /** When it came back; undefined if it stays. */
  readonly backAt: number | undefined;
}

/** A payment, and what a journal knows of it. */
interface Known {
  readonly truth: Truth;
  readonly movement: Movement;
}

/** A wallet, and both readings of its balance. */
interface Story {
  readonly payments: readonly Known[];
  readonly others: readonly { readonly cents: number; readonly at: number; readonly slack: number }[];
  readonly openingCents: number;
  readonly opening: { readonly at: number; readonly askedAt: number; readonly answeredAt: number };
  readonly closing: { readonly at: number; readonly askedAt: number; readonly answeredAt: number };
}

const moment = (min: number, max: number): fc.Arbitrary<number> =>
  fc.integer({ min: min * 8, max: max * 8 - 1 }).map((eighths) => eighths / 8);
const slack = fc.oneof(fc.constant(0), fc.nat(3), fc.nat(60));
const cents = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 10_000_000 }));

const truths: fc.Arbitrary<Truth> = fc
  .record({
    direction: fc.constantFrom('in', 'out'),
    amount: cents,
    share: fc.nat(100),
    movedAt: fc.option(moment(0, 100), { nil: undefined, freq: 4 }),
    awayMs: fc.option(moment(0, 60), { nil: undefined, freq: 2 }),
  })
  .map(({ direction, amount, share, movedAt, awayMs }) => ({
    direction,
    amount,
    fee: Math.floor((amount * share) / 100),
    movedAt,
    // A collection that came in stays.
    backAt:
      movedAt === undefined || awayMs === undefined || direction === 'in' ? undefined : movedAt + awayMs,
  }));

/** Which states are true of a payment. */
function statesOf({ movedAt, backAt }: Truth): readonly Movement['state'][] {
  if (movedAt === undefined) return ['none', 'returned', 'open'];
  return backAt === undefined ? ['moved', 'open'] : ['returned', 'open'];
}

const payments: fc.Arbitrary<Known> = truths.chain((truth) =>
  fc
    .record({
      state: fc.constantFrom(...statesOf(truth)),
      feeSlack: fc.tuple(fc.oneof(fc.constant(0), cents), fc.oneof(fc.constant(0), cents)),
      slack: fc.tuple(slack, slack),
      anyTime: fc.nat(100),
    })
    .map(({ state, feeSlack: [less, more], slack: [before, after], anyTime }) => {
      const { direction, amount, fee, movedAt = anyTime, backAt = movedAt } = truth;
      const size = direction === 'in' ? amount - fee : amount + fee;
      const bounds = { least: Math.max(0, size - less), most: size + more };
      const from = Math.floor(movedAt) - before;
      const to = state === 'open' ? Infinity : Math.floor(backAt) + after;
      return { truth, movement: { direction, state, from, to, ...bounds } };
    }),
);

const reading = (min: number, max: number): fc.Arbitrary<Story['opening']> =>
  fc.tuple(moment(min, max), fc.nat(5), fc.nat(5)).map(([at, before, after]) => ({
    at,
    askedAt: Math.max(min, Math.floor(at) - before),
    answeredAt: Math.min(max, Math.floor(at) + after),
  }));

const stories: fc.Arbitrary<Story> = fc.record({
  payments: fc.array(payments, { maxLength: 8 }),
  others: fc.array(fc.record({ cents: fc.integer({ min: -5_000, max: 5_000 }), at: moment(0, 100), slack }), {
    maxLength: 3,
  }),
  openingCents: fc.integer({ min: -1_000_000, max: 1_000_000_000 }),
  opening: reading(20, 40),
  closing: reading(40, 80),
});

/** What a payment has changed by a time, in cents. */
function effectAt(
  { direction, amount, fee, movedAt = Infinity, backAt = Infinity }: Truth,
  time: number,
): number {
  if (time < movedAt || time >= backAt) return 0;
  return direction === 'in' ? amount - fee : -(amount + fee);
}

function money(cents: number): string {
  return addMoney((cents / 100).toFixed(2));
}

function readingOf(balance: number, { askedAt, answeredAt }: Story['opening']): BalanceReading {
  const text = money(balance);
  const times = { askedAt: new Date(askedAt), answeredAt: new Date(answeredAt) };
  return { ...times, balance: text, available: text, locked: '0.00' };
}

/** The balance that the closing reading shows in truth. */
function closingCents({ payments, others, openingCents, opening, closing }: Story): number {
  const changes = payments.map(({ truth }) => effectAt(truth, closing.at) - effectAt(truth, opening.at));
  const otherChanges = others.map(({ cents, at }) => (at > opening.at && at <= closing.at ? cents : 0));
  return [...changes, ...otherChanges].reduce((sum, change) => sum + change, openingCents);
}

function equationOf(story: Story, gap = 0): BalanceEquation {
  const sums = new BalanceSums(
    readingOf(story.openingCents, story.opening),
    readingOf(closingCents(story) + gap, story.closing),
  );
  for (const { movement, truth } of story.payments) sums.add(movement, truth.amount);
  for (const { cents, at, slack } of story.others) {
    sums.addOther(cents, { from: Math.floor(at) - slack, to: Math.floor(at) + slack });
  }
  return sums.equation();
}

it('the interval holds the truth, whatever happened to the payments', () => {
  fc.assert(
    fc.property(stories, (story) => {
      const { difference, least, most, underWay } = equationOf(story);
      expect(difference).toBe('0.00');
      expect([compareMoney(least, underWay), compareMoney(underWay, most)]).not.toContain(1);
    }),
    { numRuns: 1_500 },
  );
});

it('the interval of each payment holds its own change', () => {
  fc.assert(
    fc.property(payments, reading(20, 40), reading(40, 80), ({ truth, movement }, opening, closing) => {
      const { least, most } = changeOf(movement, opening, closing);
      const change = effectAt(truth, closing.at) - effectAt(truth, opening.at);
      expect(least).toBeLessThanOrEqual(change);
      expect(change).toBeLessThanOrEqual(most);
    }),
    { numRuns: 3_000 },
  );
});

it('the interval is a point if all payments moved between the readings and their fees are known', () => {
  const certain = truths.chain((truth) =>
    fc.tuple(moment(41, 60), slack).map(([movedAt, after]) => {
      const size = truth.direction === 'in' ? truth.amount - truth.fee : truth.amount + truth.fee;
      const bounds = { from: 41, to: Math.min(59, Math.floor(movedAt) + after), least: size, most: size };
      const moved: Truth = { ...truth, movedAt, backAt: undefined };
      return { truth: moved, movement: { direction: truth.direction, state: 'moved', ...bounds } as const };
    }),
  );
  const between = fc.record({
    payments: fc.array(certain, { maxLength: 8 }),
    others: fc.constant([]),
    openingCents: fc.integer({ min: 0, max: 1_000_000 }),
    opening: reading(20, 40),
    closing: reading(60, 80),
  });
  fc.assert(
    fc.property(between, (story) => {
      const { least, most, underWay, difference, ...equation } = equationOf(story);
      expect([least, most, underWay, difference]).toEqual(['0.00', '0.00', '0.00', '0.00']);
      const fees = story.payments.reduce((sum, { truth }) => sum + truth.fee, 0);
      expect(equation.fees).toBe(money(fees));
    }),
  );
});

it('the equation is exact, and its difference is what is outside the interval', () => {
  fc.assert(
    fc.property(stories, fc.integer({ min: -30_000_000, max: 30_000_000 }), (story, gap) => {
      const equation = equationOf(story, gap);
      const { opening, closing, out, fees, other, least, most, underWay, difference } = equation;
      expect(addMoney(opening.balance, equation.in, other, underWay, difference)).toBe(
        addMoney(closing.balance, out, fees),
      );
      expect([compareMoney(least, underWay), compareMoney(underWay, most)]).not.toContain(1);
      if (compareMoney(difference, 0) > 0) expect(underWay).toBe(most);
      if (compareMoney(difference, 0) < 0) expect(underWay).toBe(least);
    }),
    { numRuns: 600 },
  );
});
