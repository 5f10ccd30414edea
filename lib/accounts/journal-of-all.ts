import { type JournalEntry } from '../common/journal-entry.js';
import { type InboxScope, type PaymentFamily, type PaymentsEnvironment } from '../common/vocabulary.js';
import { PaymentsValidationError } from '../errors/payments-errors.js';
import { withoutStoreDetails } from '../journal/hide-store-error.js';
import { checkOptions, noKeyToSealWith } from '../journal/journal-checks.js';
import { type PurgeAges, purgePayments, purgeProblems } from '../journal/purge-ages.js';
import { journalEntry } from '../journal/recovery/journal-answers.js';
import { oldestOf } from '../journal/recovery/oldest-unresolved.js';
import { closedStates, openMs } from '../journal/recovery/recovery-decision.js';
import { type StoredJournalRecord } from '../storage/journal-store.js';
import { statusOf, type StoredAccount } from './account-owner.js';
import { type AllPurgeReport, type AllRecoveryReport, type AllResealReport } from './all-reports.js';
import { type WorkOverAll } from './work-over-all.js';

/**
 * An entry of the journal, with the environment of its account.
 *
 * @publicApi
 */
export interface JournalEntryOfAccount extends JournalEntry {
  /** Which environment the account's keys belonged to. */
  readonly environment: PaymentsEnvironment;
}

/**
 * The payment of an account that has been open for the longest time.
 *
 * @publicApi
 */
export interface OldestOfAccount {
  /** The payment. */
  readonly entry: JournalEntryOfAccount;
  /** Milliseconds since its current attempt was written down, by the store's clock; 0 if that was set back since. */
  readonly ageMs: number;
}

/**
 * The ages of a purge over all accounts. Accepted payouts are purged account by account, because nobody knows without
 * the options of an account whether they are open.
 *
 * @publicApi
 */
export type AllPurgeAges = Omit<PurgeAges, 'acceptedPayoutsOlderThanMs'>;

/** How many payments of an account are listed before the next account is. */
const PAGE_SIZE = 100;

const PAYOUTS_OF_ONE =
  'acceptedPayoutsOlderThanMs is of one account: call accounts.for(name).journal.purge()';

/** Where the list of an account continues. */
interface ListPlace {
  readonly stored: StoredAccount;
  readonly family: PaymentFamily;
  readonly after?: string;
}

interface ListPage {
  readonly entries: readonly StoredJournalRecord[];
  readonly next: ListPlace | undefined;
  /** The family has more, and the other accounts come first. */
  readonly isPaged: boolean;
}

/**
 * The journals of all accounts that the storage knows, whether they are registered or come from a resolver.
 *
 * @hideconstructor
 * @publicApi
 */
export class JournalOfAllAccounts {
  /** A closure, because it leads to the keys of every account. */
  private readonly over: () => WorkOverAll;

  /** @internal */
  constructor(over: WorkOverAll) {
    this.over = () => over;
  }

  /**
   * Does for every account what `PaymentsJournal.recover()` does for one. The accounts take turns: a turn works on 100
   * payments at most, and an account with more has another one when all others had theirs. Eight accounts have
   * their turn at once, and four payments of each are worked on.
   *
   * An account without open payments costs two small reads, and nobody asks `accounts.resolve` for it. An account that
   * cannot be worked on is in `skipped`: its payments stay open.
   *
   * A process makes one run at a time. A call during a run resolves to its report. After five minutes a run begins no
   * further payment, and the next run continues with the accounts that had no turn. It may run on all replicas at once.
   *
   * If only `accounts.resolve` returns a `statusPaths.disbursement`, accounts that have nothing open but accepted payouts
   * may be left out: write one beside `accounts`, too.
   *
   * @throws PaymentsStorageError if the accounts cannot be listed.
   * @throws PaymentsConfigError if a storage of your own cannot list its accounts.
   *
   * @example
   * ```ts
   * const { settled, stillUnknown, skipped } = await accounts.all.journal.recover();
   * ```
   */
  recover(): Promise<AllRecoveryReport> {
    return this.over().recover();
  }

  /**
   * The payments with an open outcome of all accounts, as `PaymentsJournal.unresolved()` lists those of one. The first 100
   * of each account come first, then the next 100 of those with more. Asks no resolver: of an account that only
   * `accounts.resolve` gives a status path for payouts, accepted payouts may be left out.
   *
   * @throws PaymentsValidationError if `olderThanMs` is no whole number of milliseconds, 0 or more.
   * @throws PaymentsStorageError
   * @throws PaymentsConfigError if a storage of your own cannot list its accounts.
   *
   * @example
   * ```ts
   * for await (const { account, reference } of accounts.all.journal.unresolved({ olderThanMs: 3_600_000 })) console.log(account, reference);
   * ```
   */
  async *unresolved(
    options: { readonly olderThanMs?: number | undefined } = {},
  ): AsyncIterable<JournalEntryOfAccount> {
    checkOptions('unresolved', options);
    const { olderThanMs = 0 } = options;
    let further: ListPlace[] = [];
    const page = async function* (place: ListPlace): AsyncGenerator<JournalEntryOfAccount> {
      for (let at: ListPlace | undefined = place; at;) {
        const { entries, next, isPaged }: ListPage = await withoutStoreDetails(readPage(at));
        for (const stored of entries) {
          if (openMs(stored) >= olderThanMs) yield entryOf(stored);
        }
        if (isPaged && next) further.push(next);
        at = isPaged ? undefined : next;
      }
    };
    for await (const stored of this.over().accounts('journal')) yield* page({ stored, family: 'collection' });
    while (further.length > 0) {
      const round = further;
      further = [];
      for (const place of round) yield* page(place);
    }
  }

  /**
   * The payment of `unresolved` that has been open for the longest time, over all accounts; undefined if none is open. Reads
   * of each account what `PaymentsJournal.oldestUnresolved()` reads, within the same limits.
   *
   * @throws PaymentsStorageError
   * @throws PaymentsConfigError if a storage of your own cannot list its accounts.
   */
  async oldestUnresolved(): Promise<OldestOfAccount | undefined> {
    let oldest: StoredJournalRecord | undefined;
    await this.over().each('journal', async (stored) => {
      const found = await oldestOf(stored.parts.journal, stored.scope, statusOf(stored), oldest);
      if (found && (!oldest || openMs(found) > openMs(oldest))) oldest = found;
    });
    return oldest && { entry: entryOf(oldest), ageMs: openMs(oldest) };
  }

  /**
   * The payment of `unresolved` that has been open for the longest time, for each account; `oldest` is undefined if none
   * is open.
   *
   * @throws PaymentsStorageError
   * @throws PaymentsConfigError if a storage of your own cannot list its accounts.
   */
  async oldestOfEach(): Promise<
    readonly (InboxScope & {
      /** The payment of this account that has been open for the longest time. */
      readonly oldest: OldestOfAccount | undefined;
    })[]
  > {
    const all: (InboxScope & { readonly oldest: OldestOfAccount | undefined })[] = [];
    await this.over().each('journal', async (stored) => {
      const found = await oldestOf(stored.parts.journal, stored.scope, statusOf(stored));
      all.push({ ...stored.scope, oldest: found && { entry: entryOf(found), ageMs: openMs(found) } });
    });
    return all;
  }

  /**
   * Forgets payments of all accounts, as `PaymentsJournal.purge()` does for one. Needs no keys and asks no resolver, so it
   * also forgets those of accounts that nobody knows any more.
   *
   * @throws PaymentsValidationError if an age is not a whole number of milliseconds from 1 to 36,500 days or is shorter than
   * `olderThanMs`, or if one for accepted payouts is given.
   * @throws PaymentsStorageError if the accounts cannot be listed.
   * @throws PaymentsConfigError if a storage of your own cannot list its accounts.
   *
   * @example
   * ```ts
   * const { purged } = await accounts.all.journal.purge({ olderThanMs: 90 * 86_400_000 });
   * ```
   */
  purge(ages: AllPurgeAges): Promise<AllPurgeReport> {
    const problems = purgeProblems(ages, PAYOUTS_OF_ONE);
    if (problems) return Promise.reject(new PaymentsValidationError(problems));
    return this.over().purge('journal', ({ scope, parts }) =>
      purgePayments(ages, (what, olderThanMs) => parts.journal.purge(scope, what, olderThanMs)),
    );
  }

  /**
   * Seals with the current key what is stored of all accounts, as `PaymentsJournal.reseal()` does for one: the journals,
   * the events that were set aside, and the lines of batches. An account with batches alone is not found: reseal it by itself.
   *
   * @param options `signal` stops the run after the current entry.
   * @throws PaymentsConfigError if no registration has the option `encryption`, or if a storage of your own cannot list
   * its accounts.
   * @throws PaymentsValidationError if `signal` is no AbortSignal.
   * @throws PaymentsStorageError if the accounts cannot be listed.
   */
  async reseal(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<AllResealReport> {
    checkOptions('reseal', options);
    if (this.over().hasEncryption()) return this.over().reseal(options.signal);
    throw noKeyToSealWith('No registration has the option encryption');
  }
}

function entryOf(stored: StoredJournalRecord): JournalEntryOfAccount {
  return { ...journalEntry(stored), environment: stored.record.environment };
}

async function readPage({ stored, family, after }: ListPlace): Promise<ListPage> {
  const { entries, next } = await stored.parts.journal.list(
    { ...stored.scope, family },
    closedStates(family, statusOf(stored)),
    { limit: PAGE_SIZE, ...(after !== undefined && { after }) },
  );
  if (next !== undefined) return { entries, next: { stored, family, after: next }, isPaged: true };
  const other = family === 'collection' ? ({ stored, family: 'disbursement' } as const) : undefined;
  return { entries, next: other, isPaged: false };
}
