import { type AccountPage, type ListsAccounts } from '../../storage/account-page.js';
import { type InboxScope } from '../../common/vocabulary.js';
import { type Cases, type ContractExpect } from './contract-framework.js';

/** What a test of the listed accounts gets. */
interface AccountsTest {
  readonly store: ListsAccounts;
  /** Writes something down for an account. */
  readonly write: (scope: InboxScope, name: string) => Promise<unknown>;
  readonly expect: ContractExpect;
}

const NAMES = [
  'shop',
  'Shop',
  'shop-',
  'shop.1',
  'shop_1',
  '10',
  '9',
  '__proto__',
  'constructor',
  'Z',
  'a'.repeat(64),
];
const SCOPES: readonly InboxScope[] = NAMES.flatMap((account) =>
  (['sandbox', 'production'] as const).map((environment) => ({ account, environment })),
);
/** More than a store should read at once. */
const MANY = 210;

/** A run over all accounts finds each of them, and no others. */
export const ACCOUNT_LISTING: Cases<AccountsTest> = {
  'knows no account before something is written': async ({ store, expect }) => {
    expect(await store.accounts({ limit: 10 })).toEqual({ accounts: [] });
  },

  'lists each account and environment once, page by page, whatever their names': async ({
    store,
    write,
    expect,
  }) => {
    for (const scope of SCOPES) for (const name of ['one', 'two']) await write(scope, name);
    for (const limit of [1, 7, SCOPES.length, 1_000]) {
      const pages = await pagesOf(store, limit);
      expect(pages.flatMap(({ accounts }) => accounts.map(textOf)).sort()).toEqual(SCOPES.map(textOf).sort());
      expect(pages).toHaveLength(Math.ceil(SCOPES.length / limit));
    }
  },

  'lists an account that stays, whatever comes between two pages': async ({ store, write, expect }) => {
    for (const scope of SCOPES) await write(scope, 'one');
    const first = await store.accounts({ limit: 5 });
    for (const account of ['0', 'shop+', 'zz']) await write({ account, environment: 'sandbox' }, 'one');
    const rest = await pagesOf(store, 5, first.next);
    const listed = [first, ...rest].flatMap(({ accounts }) => accounts.map(textOf));
    expect(SCOPES.filter((scope) => !listed.includes(textOf(scope)))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  },

  'finds the accounts behind one that has much': async ({ store, write, expect }) => {
    for (const account of ['a', 'b', 'c']) await write({ account, environment: 'production' }, 'one');
    for (let index = 0; index < MANY; index += 1) {
      await write({ account: 'b', environment: 'production' }, `name-${index}`);
    }
    await write({ account: 'b', environment: 'sandbox' }, 'one');
    const pages = await pagesOf(store, 2);
    expect(pages.flatMap(({ accounts }) => accounts.map(textOf)).sort()).toEqual([
      'a/production',
      'b/production',
      'b/sandbox',
      'c/production',
    ]);
  },
};

async function pagesOf(store: ListsAccounts, limit: number, start?: string): Promise<readonly AccountPage[]> {
  const pages: AccountPage[] = [];
  let after = start;
  do {
    const page = await store.accounts({ limit, ...(after !== undefined && { after }) });
    pages.push(page);
    after = page.next;
  } while (after !== undefined && pages.length < 100);
  return pages;
}

function textOf({ account, environment }: InboxScope): string {
  return `${account}/${environment}`;
}
