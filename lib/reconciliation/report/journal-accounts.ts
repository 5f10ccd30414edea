import { quoted } from '../../common/quoted.js';
import { PaymentsValidationError } from '../../errors/payments-errors.js';

/**
 * What the accounts of your books are called. The defaults are names that Beancount and hledger know.
 *
 * @publicApi
 */
export interface JournalAccounts {
  /** The wallet at the gateway. @default 'Assets:Payments:Wallet' */
  readonly wallet: string;
  /** The gateway's fees. @default 'Expenses:Payments:Fees' */
  readonly fees: string;
  /** What customers paid: your sales are booked against it. @default 'Assets:Payments:Collections' */
  readonly collections: string;
  /** What was paid out: your salaries or refunds are booked against it. @default 'Assets:Payments:Payouts' */
  readonly payouts: string;
  /** What payments that are unknown or under way have changed. @default 'Assets:Payments:Under-Way' */
  readonly underWay: string;
  /** What nothing explains. @default 'Assets:Payments:Unexplained' */
  readonly difference: string;
  /** Money that is no payment, for example a top-up. @default 'Assets:Payments:Other' */
  readonly other: string;
}

const DEFAULTS: JournalAccounts = {
  wallet: 'Assets:Payments:Wallet',
  fees: 'Expenses:Payments:Fees',
  collections: 'Assets:Payments:Collections',
  payouts: 'Assets:Payments:Payouts',
  underWay: 'Assets:Payments:Under-Way',
  difference: 'Assets:Payments:Unexplained',
  other: 'Assets:Payments:Other',
};
const NAMES = Object.keys(DEFAULTS) as readonly (keyof JournalAccounts)[];
/** Two blanks would end the name in hledger. */
const NAME = /^[\p{L}\p{N}][^\p{C}\s]*(?: [^\p{C}\s]+)*$/u;

/**
 * The accounts with their defaults.
 *
 * @throws PaymentsValidationError if a name cannot be one of an account.
 */
export function journalAccounts(given: Partial<JournalAccounts> = {}): JournalAccounts {
  const accounts = { ...DEFAULTS, ...given };
  const problems = [
    ...Object.keys(given)
      .filter((name) => !Object.hasOwn(DEFAULTS, name))
      .map((name) => `accounts knows no ${quoted(name)}: write one of ${NAMES.join(', ')}`),
    ...NAMES.flatMap((name) => {
      const problem = nameProblem(name, accounts);
      return problem === undefined ? [] : [`accounts.${name} ${problem}: write "${DEFAULTS[name]}"`];
    }),
  ];
  if (problems.length > 0) throw new PaymentsValidationError({ accounts: problems });
  return accounts;
}

function nameProblem(name: keyof JournalAccounts, accounts: JournalAccounts): string | undefined {
  const account: unknown = accounts[name];
  if (typeof account !== 'string' || !NAME.test(account)) {
    return 'must be a name that begins with a letter or a digit, and has single blanks at most';
  }
  // In one account its lines would cancel each other.
  return name !== 'wallet' && account === accounts.wallet ? 'must differ from accounts.wallet' : undefined;
}
