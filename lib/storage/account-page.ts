import { PaymentsConfigError } from '../errors/payments-errors.js';
import { type InboxScope } from '../common/vocabulary.js';

/**
 * One page of the accounts that a store knows.
 *
 * @publicApi
 */
export interface AccountPage {
  /** The accounts of this page, each with its environment. */
  readonly accounts: readonly InboxScope[];
  /** Opaque: the start of the next page; absent on the last one. */
  readonly next?: string;
}

/**
 * Which page of the accounts to read.
 *
 * @publicApi
 */
export interface AccountPageStart {
  /** `next` of the page before. @default the first page */
  readonly after?: string;
  /** How many accounts at most. */
  readonly limit: number;
}

/** What lists the accounts that a store knows. */
export interface ListsAccounts {
  accounts(page: AccountPageStart): Promise<AccountPage>;
}

/**
 * Lists the accounts of a store that the application may have written for an earlier version of the package.
 *
 * @throws PaymentsConfigError if the store cannot list them.
 */
export async function accountsIn(
  store: Partial<ListsAccounts>,
  part: 'journal' | 'inbox' | 'conflicts',
  page: AccountPageStart,
): Promise<AccountPage> {
  if (store.accounts) return store.accounts(page);
  throw new PaymentsConfigError(
    `The \`${part}\` of the storage has no method \`accounts\`, so nobody knows which accounts it holds: add ` +
      'accounts({ after, limit }), which lists every account and environment of what it holds.',
  );
}

/** The start of the page after an account, for a store whose pages are in the order of account and environment. */
export function pageAfter({ account, environment }: InboxScope): string {
  return JSON.stringify([account, environment]);
}

/** The account after which a page begins. Before all accounts is an empty name. */
export function accountBefore(after: string | undefined): InboxScope {
  const [account, environment] = JSON.parse(after ?? '["",""]') as [string, InboxScope['environment']];
  return { account, environment };
}
