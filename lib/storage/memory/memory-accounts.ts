import { type InboxScope } from '../../common/vocabulary.js';
import { accountBefore, type AccountPage, type AccountPageStart, pageAfter } from '../account-page.js';

/** A page of the accounts of what a part of the storage holds, in the order of account and environment. */
export function accountPage(held: Iterable<InboxScope>, { after, limit }: AccountPageStart): AccountPage {
  const start = accountBefore(after);
  const later = new Map<string, InboxScope>();
  for (const { account, environment } of held) {
    const scope = { account, environment };
    if (compare(scope, start) > 0) later.set(pageAfter(scope), scope);
  }
  const accounts = [...later.values()].sort(compare).slice(0, limit);
  const last = accounts.at(-1);
  return last && later.size > limit ? { accounts, next: pageAfter(last) } : { accounts };
}

function compare(one: InboxScope, other: InboxScope): number {
  return compareTexts(one.account, other.account) || compareTexts(one.environment, other.environment);
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
