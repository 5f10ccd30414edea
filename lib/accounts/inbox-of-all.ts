import { type InboxConflict } from '../storage/conflict-store.js';
import { checkAges, type InboxPurgeAges, withDamage } from '../webhooks/payments-inbox.js';
import { type StoredAccount } from './account-owner.js';
import { type AllPurgeReport, type SkippedAccount } from './all-reports.js';
import { type WorkOverAll } from './work-over-all.js';

/** How many events of an account are listed before the next account is. */
const PAGE_SIZE = 100;

/**
 * The webhooks that were set aside of all accounts that the storage knows, whether they are registered or come from a
 * resolver.
 *
 * @hideconstructor
 * @publicApi
 */
export class InboxOfAllAccounts {
  /** A closure, because it leads to the keys of every account. */
  private readonly over: () => WorkOverAll;

  /** @internal */
  constructor(over: WorkOverAll) {
    this.over = () => over;
  }

  /**
   * The events of all accounts that were set aside, as `PaymentsInbox.conflicts()` lists those of one. The first 100 of
   * each account come first, the oldest first, then the next 100 of those with more. The payloads contain names and phone
   * numbers. Asks no resolver.
   *
   * @throws PaymentsStorageError
   * @throws PaymentsConfigError if a storage of your own cannot list its accounts.
   *
   * @example
   * ```ts
   * for await (const { account, id, kind } of accounts.all.inbox.conflicts()) console.log(account, id, kind);
   * ```
   */
  async *conflicts(): AsyncIterable<InboxConflict> {
    let further: { readonly stored: StoredAccount; readonly after: string }[] = [];
    const page = async function* (stored: StoredAccount, after?: string): AsyncGenerator<InboxConflict> {
      const start = after === undefined ? {} : { after };
      const events = await stored.parts.conflicts.list(stored.scope, { limit: PAGE_SIZE, ...start });
      yield* events.map(withDamage);
      const last = events.at(-1);
      if (last && events.length === PAGE_SIZE) further.push({ stored, after: last.id });
    };
    for await (const stored of this.over().accounts('conflicts')) yield* page(stored);
    while (further.length > 0) {
      const round = further;
      further = [];
      for (const { stored, after } of round) yield* page(stored, after);
    }
  }

  /**
   * Forgets handled outcomes and events of all accounts, as `PaymentsInbox.purge()` does for one. Needs no keys and asks
   * no resolver. Outcomes of an account that belongs to no registration stay, because nobody knows its `retentionDays`.
   *
   * @throws PaymentsValidationError if an age is not a whole number of milliseconds from 1 to 36,500 days.
   * @throws PaymentsStorageError if the accounts cannot be listed.
   * @throws PaymentsConfigError if a storage of your own cannot list its accounts.
   *
   * @example
   * ```ts
   * await accounts.all.inbox.purge({ unrecognizedOlderThanMs: 400 * 86_400_000 });
   * ```
   */
  async purge(ages: InboxPurgeAges = {}): Promise<AllPurgeReport> {
    checkAges(ages);
    const { unrecognizedOlderThanMs, unknownReferencesOlderThanMs } = ages;
    const kinds = [
      ['unrecognized', unrecognizedOlderThanMs],
      ['unknown-reference', unknownReferencesOlderThanMs],
    ] as const;
    const outcomes = await this.over().purge('inbox', purgeOutcomes);
    if (kinds.every(([, olderThanMs]) => olderThanMs === undefined)) return outcomes;
    const events = await this.over().purge('conflicts', async ({ scope, parts }) => {
      let all = 0;
      for (const [kind, olderThanMs] of kinds) {
        if (olderThanMs !== undefined) all += await parts.conflicts.purge(scope, kind, olderThanMs);
      }
      return all;
    });
    return {
      accounts: Math.max(outcomes.accounts, events.accounts),
      purged: outcomes.purged + events.purged,
      skipped: [...outcomes.skipped, ...events.skipped],
    };
  }
}

async function purgeOutcomes({
  scope,
  parts,
  owner,
}: StoredAccount): Promise<number | SkippedAccount['reason']> {
  if (!owner) return 'unknown';
  return owner.retentionMs === Infinity ? 0 : parts.inbox.purge(scope, owner.retentionMs);
}
