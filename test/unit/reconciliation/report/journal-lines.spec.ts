import { describe, expect, it } from 'vitest';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { addMoney } from '../../../../lib/common/money.js';
import { closeReport } from '../../../../lib/reconciliation/report/close-report.js';
import { type CloseToReport } from '../../../../lib/reconciliation/report/close-to-report.js';
import { type JournalAccounts } from '../../../../lib/reconciliation/report/journal-accounts.js';
import { EXAMPLE_CLOSE, FIRST_CLOSE } from './example-close.js';
import { RANDOM_CLOSE } from './random-close.js';

const WALLET = 'Assets:Payments:Wallet';

interface Line {
  readonly date: string;
  readonly transaction: string;
  readonly account: string;
  readonly debit: string;
  readonly credit: string;
}

function journal(close: CloseToReport, accounts?: Partial<JournalAccounts>): string {
  return closeReport(close, { format: 'journal', ...(accounts && { accounts }) });
}

function linesOf(close: CloseToReport): readonly Line[] {
  return parse(journal(close), { columns: true });
}

/** What lines add up to, debits as positive. */
function sumOf(lines: readonly Line[]): string {
  return addMoney(...lines.map(({ debit, credit }) => (debit === '' ? `-${credit}` : debit)));
}

/** What lines did to each account. */
function byAccount(lines: readonly Line[]): Record<string, string> {
  const accounts = [...new Set(lines.map(({ account }) => account))];
  return Object.fromEntries(
    accounts.map((name) => [name, sumOf(lines.filter(({ account }) => account === name))]),
  );
}

describe('the double entries of a close', () => {
  it('are a line for each account of a transaction', () => {
    expect(journal(EXAMPLE_CLOSE)).toMatchInlineSnapshot(`
      "date,transaction,account,debit,credit,description
      2026-11-20,2026-11-20-collections,Assets:Payments:Wallet,18265500.00,,Collections
      2026-11-20,2026-11-20-collections,Expenses:Payments:Fees,184500.00,,Collections
      2026-11-20,2026-11-20-collections,Assets:Payments:Collections,,18450000.00,Collections
      2026-11-20,2026-11-20-payouts,Assets:Payments:Payouts,3600000.00,,Payouts
      2026-11-20,2026-11-20-payouts,Expenses:Payments:Fees,18000.00,,Payouts
      2026-11-20,2026-11-20-payouts,Assets:Payments:Wallet,,3618000.00,Payouts
      2026-11-20,2026-11-20-other,Assets:Payments:Wallet,,1000000.00,Other than payments
      2026-11-20,2026-11-20-other,Assets:Payments:Other,1000000.00,,Other than payments
      2026-11-20,2026-11-20-under-way,Assets:Payments:Wallet,,5000.50,Payments under way
      2026-11-20,2026-11-20-under-way,Assets:Payments:Under-Way,5000.50,,Payments under way
      2026-11-20,2026-11-20-difference,Assets:Payments:Wallet,50000.00,,Unexplained difference
      2026-11-20,2026-11-20-difference,Assets:Payments:Unexplained,,50000.00,Unexplained difference
      "
    `);
  });

  it('are the payments of the day as long as no balance is known', () => {
    expect(journal(FIRST_CLOSE)).toMatchInlineSnapshot(`
      "date,transaction,account,debit,credit,description
      2026-11-20,2026-11-20-collections,Assets:Payments:Wallet,18265500.00,,Collections
      2026-11-20,2026-11-20-collections,Expenses:Payments:Fees,184500.00,,Collections
      2026-11-20,2026-11-20-collections,Assets:Payments:Collections,,18450000.00,Collections
      2026-11-20,2026-11-20-payouts,Assets:Payments:Payouts,3600000.00,,Payouts
      2026-11-20,2026-11-20-payouts,Expenses:Payments:Fees,18000.00,,Payouts
      2026-11-20,2026-11-20-payouts,Assets:Payments:Wallet,,3618000.00,Payouts
      "
    `);
  });

  it('have the fees apart if more or other payments lie between the readings than were made on the day', () => {
    const balance = {
      ...EXAMPLE_CLOSE.summary.balance!,
      in: '18449000.00',
      fees: '202490.00',
      difference: '50990.00',
    };
    expect(journal({ ...EXAMPLE_CLOSE, summary: { ...EXAMPLE_CLOSE.summary, balance } }))
      .toMatchInlineSnapshot(`
      "date,transaction,account,debit,credit,description
      2026-11-20,2026-11-20-collections,Assets:Payments:Wallet,18449000.00,,Collections
      2026-11-20,2026-11-20-collections,Assets:Payments:Collections,,18449000.00,Collections
      2026-11-20,2026-11-20-payouts,Assets:Payments:Payouts,3600000.00,,Payouts
      2026-11-20,2026-11-20-payouts,Assets:Payments:Wallet,,3600000.00,Payouts
      2026-11-20,2026-11-20-fees,Assets:Payments:Wallet,,202490.00,Fees
      2026-11-20,2026-11-20-fees,Expenses:Payments:Fees,202490.00,,Fees
      2026-11-20,2026-11-20-other,Assets:Payments:Wallet,,1000000.00,Other than payments
      2026-11-20,2026-11-20-other,Assets:Payments:Other,1000000.00,,Other than payments
      2026-11-20,2026-11-20-under-way,Assets:Payments:Wallet,,5000.50,Payments under way
      2026-11-20,2026-11-20-under-way,Assets:Payments:Under-Way,5000.50,,Payments under way
      2026-11-20,2026-11-20-difference,Assets:Payments:Wallet,50990.00,,Unexplained difference
      2026-11-20,2026-11-20-difference,Assets:Payments:Unexplained,,50990.00,Unexplained difference
      "
    `);
  });

  it('are none if another day has them, because no balance was read between both', () => {
    const summary = { ...EXAMPLE_CLOSE.summary, balance: undefined };
    expect(journal({ ...EXAMPLE_CLOSE, summary })).toBe(
      'date,transaction,account,debit,credit,description\n',
    );
  });

  it('have the names of the accounts that the books have', () => {
    const lines = journal(FIRST_CLOSE, { wallet: '1020 Wallet', collections: 'Debtors, "mobile"' });
    expect(lines.split('\n')[1]).toBe(
      '2026-11-20,2026-11-20-collections,1020 Wallet,18265500.00,,Collections',
    );
    expect(lines.split('\n')[3]).toBe(
      '2026-11-20,2026-11-20-collections,"Debtors, ""mobile""",,18450000.00,Collections',
    );
  });

  it('of a day on which nothing moved are none', () => {
    const nothing = { count: 0, amount: '0.00', fees: '0.00' };
    const summary = { ...FIRST_CLOSE.summary, collections: nothing, payouts: nothing };
    expect(journal({ summary, exceptions: [] })).toBe('date,transaction,account,debit,credit,description\n');
  });

  it('are balanced in each transaction, and none is empty or negative', () => {
    fc.assert(
      fc.property(RANDOM_CLOSE, (close) => {
        const lines = linesOf(close);
        for (const transaction of new Set(lines.map((line) => line.transaction))) {
          expect(sumOf(lines.filter((line) => line.transaction === transaction))).toBe('0.00');
        }
        for (const { debit, credit, date } of lines) {
          expect(date).toBe('2026-11-20');
          expect([debit, credit].sort()).toEqual(['', expect.stringMatching(/^(?!0\.00)\d+\.\d\d$/)]);
        }
      }),
    );
  });

  it('change the wallet by what its balance changed, and every other account by its part', () => {
    fc.assert(
      fc.property(RANDOM_CLOSE, (close) => {
        const { balance, collections, payouts, statement, hasOpening } = close.summary;
        const found = { ...byAccount([]), ...byAccount(linesOf(close)) };
        const of = (account: string): string => found[account] ?? '0.00';
        const less = (amount: string): string =>
          addMoney(amount.startsWith('-') ? amount.slice(1) : `-${amount}`);
        const ofDay = {
          in: collections.amount,
          out: payouts.amount,
          fees: addMoney(collections.fees, payouts.fees),
          other: statement?.other ?? '0.00',
          underWay: '0.00',
          difference: '0.00',
        };
        const nothing = { ...ofDay, in: '0.00', out: '0.00', fees: '0.00', other: '0.00' };
        const sums = balance ?? (hasOpening ? nothing : ofDay);
        expect(of('Assets:Payments:Collections')).toBe(less(sums.in));
        expect(of('Assets:Payments:Payouts')).toBe(sums.out);
        expect(of('Expenses:Payments:Fees')).toBe(sums.fees);
        expect(of('Assets:Payments:Other')).toBe(less(sums.other));
        expect(of('Assets:Payments:Under-Way')).toBe(less(sums.underWay));
        expect(of('Assets:Payments:Unexplained')).toBe(less(sums.difference));
        if (balance) expect(addMoney(balance.opening.balance, of(WALLET))).toBe(balance.closing.balance);
      }),
    );
  });
});

describe('accounts that cannot be', () => {
  it.each([
    [{ purse: 'Assets:Purse' }, 'accounts knows no "purse": write one of wallet, fees, collections'],
    [{ wallet: '' }, 'accounts.wallet must be a name that begins with a letter or a digit'],
    [{ fees: undefined }, 'accounts.fees must be a name'],
    [{ fees: '=cmd()' }, 'accounts.fees must be a name'],
    [{ fees: 'Fees  of  all' }, 'accounts.fees must be a name'],
    [{ other: 'Other\nthings' }, 'accounts.other must be a name'],
    [{ other: WALLET }, 'accounts.other must differ from accounts.wallet: write "Assets:Payments:Other"'],
  ])('are refused: %j', (accounts, problem) => {
    expect(() => journal(EXAMPLE_CLOSE, accounts as never)).toThrow(problem);
  });
});
