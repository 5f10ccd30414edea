import { expect, it } from 'vitest';
import fc from 'fast-check';
import { anyCodePoint } from '../../../support/any-code-point.js';
import { addMoney } from '../../../../lib/common/money.js';
import { closeReport } from '../../../../lib/reconciliation/report/close-report.js';
import { type CloseToReport } from '../../../../lib/reconciliation/report/close-to-report.js';
import { EXAMPLE_CLOSE, exceptionWith, FIRST_CLOSE } from './example-close.js';
import { RANDOM_CLOSE } from './random-close.js';

const table = (close: CloseToReport): string => closeReport(close, { format: 'table' });

it('the table of a close has sums that add up, and each exception with both sides', () => {
  expect(table(EXAMPLE_CLOSE)).toMatchInlineSnapshot(`
    "Close of 2026-11-20
      From 2026-11-20 00:00:00 to 2026-11-21 00:00:00 in Africa/Dar_es_Salaam.
      Closed at 2026-11-21 00:05:09 by cron.

    Balance
                                  TZS
      Opening balance    5,000,000.00  read at 2026-11-20 00:00:03
      Collections      +18,450,000.00
      Payouts           -3,600,000.00
      Fees                -202,500.00
      Other             -1,000,000.00
      Under way             -5,000.50  between -55,000.50 and 0.00
      Difference           +50,000.00  nothing explains it
                       --------------
      Closing balance   18,692,499.50  read at 2026-11-21 00:00:03
      Of it 18,642,499.50 are available, and 50,000.00 are locked.

    Payments
                   count          amount         fees          wallet
      Collections  1,204  +18,450,000.00  -184,500.00  +18,265,500.00
      Payouts         12   -3,600,000.00   -18,000.00   -3,618,000.00
                   -----  --------------  -----------  --------------
      Total        1,216  +14,850,000.00  -202,500.00  +14,647,500.00
      Open at the end of the day: 2 payments, 55,000.50.
      Expected on a later statement: 1 payment.

    Statement november.csv
                   count          amount         fees          wallet
      Collections  1,204  +18,450,000.00  -184,500.00  +18,265,500.00
      Payouts         11   -3,550,000.00   -17,000.00   -3,567,000.00
      Other                -1,000,000.00                -1,000,000.00
                   -----  --------------  -----------  --------------
      Total        1,215  +13,900,000.00  -201,500.00  +13,698,500.00
      It has 1,221 rows: 1,215 matched payments, and 4 were of other days.
      SHA-256 of its rows: 5f2c5f2c5f2c5f2c5f2c5f2c5f2c5f2c5f2c5f2c5f2c5f2c5f2c5f2c5f2c5f2c

    Exceptions
      Open: 2 (balance 1, proven 1).

      balance
        reason     The wallet has 50,000.00 more than payments explain.
        age        under a minute, found by the close of 2026-11-20
        hint       The payout ORDER-9 of 50,000.00 would explain it.
        state      open
        id         2026-11-20.balance

      proven: collection ORDER-1
        reason     The outcome of this collection was not known here, because its answer was lost, and
                   the statement says that the customer paid.
        age        2 days 3 hours, found by the close of 2026-11-18
        journal    unknown, 5,000.50, made at 2026-11-18 21:00:00
        statement  collection, 5,000.50, 2026-11-18 21:00:07, row 12 of november.csv
        proposal   settle the collection ORDER-1 as success, which row 12 proves
        state      open
        id         2026-11-18.proven.ORDER-1

      fee: payout ORDER-3
        reason     The statement has another fee than the gateway said.
        age        12 hours, found by the close of 2026-11-20
        journal    paid, 300,000.00, fee 1,500.00, made at 2026-11-20 12:00:00
        statement  payout, 300,000.00, fee 1,600.00, 2026-11-20 12:00:41, row 812 of november.csv
        state      explained
        note       The gateway raised its fee at noon. (asha, 2026-11-21 09:12:00)
        id         2026-11-20.fee.ORDER-3
    "
  `);
});

it('the table of a first close says what is missing', () => {
  expect(table(FIRST_CLOSE)).toMatchInlineSnapshot(`
    "Close of 2026-11-20
      From 2026-11-20 00:00:00 to 2026-11-21 00:00:00 in Africa/Dar_es_Salaam.
      Closed at 2026-11-21 00:05:09 by cron.

    Balance
      There is no equation: the balance was not read at the end of the day before, or the journal cannot
      read an amount.

    Payments
                   count          amount         fees          wallet
      Collections  1,204  +18,450,000.00  -184,500.00  +18,265,500.00
      Payouts         12   -3,600,000.00   -18,000.00   -3,618,000.00
                   -----  --------------  -----------  --------------
      Total        1,216  +14,850,000.00  -202,500.00  +14,647,500.00
      Open at the end of the day: 2 payments, 55,000.50.
      Expected on a later statement: 1 payment.

    Exceptions
      Open: none.
    "
  `);
});

it('fees of open payments are in it, and one payment is no payments', () => {
  const open = { count: 1, amount: '1000000.00', fees: '10.00' };
  const { summary } = FIRST_CLOSE;
  expect(table({ summary: { ...summary, open, expected: 1_000 }, exceptions: [] })).toContain(
    'Open at the end of the day: 1 payment, 1,000,000.00, with fees of 10.00.\n  Expected on a later statement: 1,000 payments.',
  );
});

it('a payment that one side does not have, and one without a reference, are in words', () => {
  const there = exceptionWith({
    kind: 'missing-here',
    family: 'disbursement',
    reference: undefined,
    own: undefined,
    theirs: { ...exceptionWith({}).theirs!, isFailed: true },
  });
  const here = exceptionWith({ kind: 'missing-there', theirs: undefined });
  const text = table({ ...EXAMPLE_CLOSE, exceptions: [there, here] });
  expect(text).toContain('  missing-here: payout without a reference\n');
  expect(text).toContain('    journal    nothing\n    statement  failed payout, 300,000.00, fee 1,600.00,');
  expect(text).toContain('    statement  nothing\n');
});

it.each([
  [-5, 'under a minute'],
  [59_999, 'under a minute'],
  [60_000, '1 minute'],
  [3_600_000, '1 hour'],
  [86_399_999, '23 hours 59 minutes'],
  [86_460_000, '1 day 1 minute'],
  [90_061_000, '1 day 1 hour'],
  [86_400_000 * 1_000, '1,000 days'],
])('an age of %d milliseconds is %s', (ageMs, text) => {
  expect(table({ ...EXAMPLE_CLOSE, exceptions: [exceptionWith({ ageMs })] })).toContain(
    `    age        ${text}, found by`,
  );
});

it('times are those of clocks in the zone of the day, also where they were set back', () => {
  const from = new Date('2026-11-01T04:00:00Z');
  const to = new Date('2026-11-02T05:00:00Z');
  const summary = { ...FIRST_CLOSE.summary, timeZone: 'America/New_York', from, to };
  expect(table({ summary, exceptions: [] })).toContain(
    'From 2026-11-01 00:00:00 to 2026-11-02 00:00:00 in America/New_York.',
  );
});

/** The amounts of a column below a title. */
function column(text: string, title: string, at: number): readonly string[] {
  const section = text.split('\n\n').find((part) => part.startsWith(title)) ?? '';
  return section
    .split('\n')
    .slice(2)
    .map((line) => line.trim().split(/ {2,}/)[at] ?? '')
    .filter((cell) => /^[+-]?[\d,]+\.\d\d$/.test(cell))
    .map((cell) => cell.replaceAll(',', '').replace('+', ''));
}

const widest = (text: string): number => Math.max(...text.split('\n').map(({ length }) => length));

it('every column adds up to its last line, whatever the amounts, in 100 columns at most', () => {
  fc.assert(
    fc.property(RANDOM_CLOSE, (close) => {
      const text = table(close);
      expect(widest(text)).toBeLessThanOrEqual(100);
      const sums = [
        ...(close.summary.balance ? [column(text, 'Balance', 1)] : []),
        // What is no payment has neither a count nor a fee, so its two amounts are one column to the left.
        ...(close.summary.statement ? [column(text, 'Statement', 2)] : []),
        column(text, 'Payments', 2),
        column(text, 'Payments', 3),
        column(text, 'Payments', 4),
      ];
      for (const sum of sums) {
        expect(sum.length).toBeGreaterThan(2);
        expect(addMoney(...sum.slice(0, -1))).toBe(sum.at(-1));
      }
    }),
  );
});

it('what is no payment changed the wallet, too', () => {
  const [total = ''] = /^ {2}Total .*$/m.exec(table(EXAMPLE_CLOSE).split('Statement')[1] ?? '') ?? [];
  expect(total.split(/ {2,}/).slice(-3)).toEqual(['+13,900,000.00', '-201,500.00', '+13,698,500.00']);
});

/** Texts with what terminals obey and what breaks lines. */
const TEXT = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\n', '\r', '\u001b[2J', '\u202e', '\u2028', ' ', 'word', 'x'.repeat(40)),
    anyCodePoint,
  ),
  maxLength: 60,
});

it('no text from outside breaks a line, moves the cursor or is wider than 100 columns', () => {
  fc.assert(
    fc.property(TEXT, TEXT, (reference, note) => {
      const exception = exceptionWith({
        reference,
        note: { by: note, text: note, at: new Date(0) },
        hint: reference,
      });
      const { summary } = EXAMPLE_CLOSE;
      const named = { ...summary, by: note, statement: { ...summary.statement!, name: reference } };
      const text = table({ summary: named, exceptions: [exception] });
      expect(text.replaceAll('\n', '')).not.toMatch(/\p{C}|\u2028|\u2029/u);
      const lines = text.split('\n');
      expect(widest(text)).toBeLessThanOrEqual(100);
      // Nothing of it begins further to the left than the texts of its exception do.
      const facts = lines.slice(
        lines.findIndex((line) => line.startsWith('    reason')),
        -1,
      );
      for (const line of facts) expect(line).toMatch(/^ {4}/);
    }),
  );
});

it.each(['table', 'markdown'] as const)(
  'an amount that the journal cannot read is unreadable (%s)',
  (format) => {
    const own = { ...exceptionWith({}).own!, status: 'damaged', amount: '' };
    const report = closeReport({ ...EXAMPLE_CLOSE, exceptions: [exceptionWith({ own })] }, { format });
    expect(report).toContain('damaged, unreadable amount,');
  },
);
