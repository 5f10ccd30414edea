import { type InboxScope } from '../../common/vocabulary.js';
import { accountBefore, type AccountPage, type AccountPageStart, pageAfter } from '../account-page.js';
import { type RunScript } from './sql-database.js';
import { type AccountsScript } from './sql-statements.js';

/** Reads a page of accounts, in as many operations as the dialect needs. */
export async function readAccounts(
  run: RunScript,
  script: AccountsScript,
  { after, limit }: AccountPageStart,
): Promise<AccountPage> {
  const found: InboxScope[] = [];
  for (let last: InboxScope | undefined = accountBefore(after); last && found.length <= limit;) {
    const { rows } = await run(script(last, limit + 1 - found.length));
    const scopes = rows.map(({ account, environment }) => ({
      account: account ?? '',
      environment: environment as InboxScope['environment'],
    }));
    found.push(...scopes);
    last = scopes.at(-1);
  }
  const accounts = found.slice(0, limit);
  const end = accounts.at(-1);
  return end && found.length > limit ? { accounts, next: pageAfter(end) } : { accounts };
}
