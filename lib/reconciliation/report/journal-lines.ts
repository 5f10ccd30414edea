import { csvRow } from '../../common/csv-row.js';
import { addMoney, compareMoney } from '../../common/money.js';
import { type CloseSummary } from '../close/close-summary.js';
import { type JournalAccounts } from './journal-accounts.js';
import { negated } from './wording.js';

/** What happened, as amounts. */
interface Movements {
  readonly in: string;
  readonly inFees: string;
  readonly out: string;
  readonly outFees: string;
  /** Fees that cannot be said to be of collections, or of payouts. */
  readonly fees: string;
  readonly other: string;
  readonly underWay: string;
  readonly difference: string;
}

const NOTHING: Movements = {
  in: '0',
  inFees: '0',
  out: '0',
  outFees: '0',
  fees: '0',
  other: '0',
  underWay: '0',
  difference: '0',
};

/** A line of a transaction: a positive amount is a debit. */
type Posting = readonly [account: string, amount: string];

interface Transaction {
  readonly name: string;
  readonly description: string;
  /** Add up to 0. */
  readonly postings: readonly Posting[];
}

const HEAD = ['date', 'transaction', 'account', 'debit', 'credit', 'description'];

/**
 * The day as double entries in CSV: in each transaction debits and credits are equal. What changed the wallet between both
 * readings of its balance is in it, whether it is known why or not. Before there are two readings, what is known of the day. Without
 * an equation after that, nothing: what moved is in the equation of another day.
 */
export function journalLines(summary: CloseSummary, accounts: JournalAccounts): string {
  const rows = transactionsOf(movementsOf(summary), accounts).flatMap(({ name, description, postings }) =>
    postings
      .filter(([, amount]) => addMoney(amount) !== '0.00')
      .map(([account, amount]) =>
        csvRow([
          summary.day,
          `${summary.day}-${name}`,
          account,
          ...(amount.startsWith('-') ? ['', negated(amount)] : [addMoney(amount), '']),
          description,
        ]),
      ),
  );
  return csvRow(HEAD) + rows.join('');
}

function movementsOf({ hasOpening, balance, collections, payouts, statement }: CloseSummary): Movements {
  const ofDay = {
    in: collections.amount,
    inFees: collections.fees,
    out: payouts.amount,
    outFees: payouts.fees,
    fees: '0',
  };
  if (!balance && hasOpening) return NOTHING;
  if (!balance) return { ...ofDay, other: statement?.other ?? '0', underWay: '0', difference: '0' };
  const { other, underWay, difference } = balance;
  const isSame =
    compareMoney(balance.in, ofDay.in) === 0 &&
    compareMoney(balance.out, ofDay.out) === 0 &&
    compareMoney(balance.fees, addMoney(ofDay.inFees, ofDay.outFees)) === 0;
  const { in: received, out, fees } = balance;
  const between = { in: received, inFees: '0', out, outFees: '0', fees };
  return { ...(isSame ? ofDay : between), other, underWay, difference };
}

function transactionsOf(moved: Movements, accounts: JournalAccounts): readonly Transaction[] {
  const { wallet, fees, collections, payouts, other, underWay, difference } = accounts;
  const intoWallet = (account: string, amount: string): readonly Posting[] => [
    [wallet, amount],
    [account, negated(amount)],
  ];
  return [
    {
      name: 'collections',
      description: 'Collections',
      postings: [
        [wallet, addMoney(moved.in, negated(moved.inFees))],
        [fees, moved.inFees],
        [collections, negated(moved.in)],
      ],
    },
    {
      name: 'payouts',
      description: 'Payouts',
      postings: [
        [payouts, moved.out],
        [fees, moved.outFees],
        [wallet, negated(addMoney(moved.out, moved.outFees))],
      ],
    },
    { name: 'fees', description: 'Fees', postings: intoWallet(fees, negated(moved.fees)) },
    { name: 'other', description: 'Other than payments', postings: intoWallet(other, moved.other) },
    { name: 'under-way', description: 'Payments under way', postings: intoWallet(underWay, moved.underWay) },
    {
      name: 'difference',
      description: 'Unexplained difference',
      postings: intoWallet(difference, moved.difference),
    },
  ];
}
