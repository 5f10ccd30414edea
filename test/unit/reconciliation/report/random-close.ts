import fc from 'fast-check';
import { type CloseSummary } from '../../../../lib/reconciliation/close/close-summary.js';
import { type CloseToReport } from '../../../../lib/reconciliation/report/close-to-report.js';
import { EXAMPLE_CLOSE } from './example-close.js';

/** A thousand million million shillings: more than there are. */
const MOST_CENTS = 10n ** 14n;

const UNSIGNED = fc.bigInt({ min: 0n, max: MOST_CENTS });
const SIGNED = fc.bigInt({ min: -MOST_CENTS, max: MOST_CENTS });
const COUNT = fc.nat({ max: 10_000_000 });

const money = (cents: bigint): string => {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};
const UNSIGNED_MONEY = UNSIGNED.map(money);
const SUM = fc.record({ count: COUNT, amount: UNSIGNED_MONEY, fees: UNSIGNED_MONEY });

const { summary, exceptions } = EXAMPLE_CLOSE;

/** A balance that changed as its parts say; `sums` are those of the day, which may be the same ones. */
function balanceOf(
  sums: Pick<CloseSummary, 'collections' | 'payouts'>,
): fc.Arbitrary<CloseSummary['balance']> {
  const cents = (text: string): bigint => BigInt(text.replace('.', ''));
  const ofDay = fc.constant([
    cents(sums.collections.amount),
    cents(sums.payouts.amount),
    cents(sums.collections.fees) + cents(sums.payouts.fees),
  ] as const);
  const parts = fc.oneof(ofDay, fc.tuple(UNSIGNED, UNSIGNED, UNSIGNED));
  return fc
    .record({ parts, opening: SIGNED, other: SIGNED, underWay: SIGNED, difference: SIGNED })
    .map(({ parts: [received, out, fees], opening, other, underWay, difference }) => {
      const reading = (balance: bigint) => ({
        askedAt: summary.from,
        answeredAt: summary.from,
        balance: money(balance),
        available: money(balance),
        locked: '0.00',
      });
      return {
        opening: reading(opening),
        closing: reading(opening + received - out - fees + other + underWay + difference),
        in: money(received),
        out: money(out),
        fees: money(fees),
        other: money(other),
        least: money(underWay),
        most: money(underWay),
        underWay: money(underWay),
        difference: money(difference),
      };
    });
}

/** Closes whose sums are right, with and without a balance and a statement. */
export const RANDOM_CLOSE: fc.Arbitrary<CloseToReport> = fc
  .record({ collections: SUM, payouts: SUM, open: SUM, expected: COUNT, hasOpening: fc.boolean() })
  .chain((sums) =>
    fc
      .record({
        balance: fc.option(balanceOf(sums), { nil: undefined }),
        statement: fc.option(
          fc
            .record({ collections: SUM, payouts: SUM, other: SIGNED.map(money), rows: COUNT })
            .map((changed) => ({ ...summary.statement!, ...changed })),
          { nil: undefined },
        ),
      })
      .map((parts): CloseToReport => ({ summary: { ...summary, ...sums, ...parts }, exceptions })),
  );
