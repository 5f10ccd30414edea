import { type InboxScope } from '../common/vocabulary.js';
import { type AccountJournal } from '../journal/create-journal.js';
import { type AccountPage, type AccountPageStart } from '../storage/account-page.js';
import { type PaymentsStorage } from '../storage/payments-storage.js';
import { type Resealing } from '../storage/sealed/reseal.js';
import { type ValueSealer } from '../storage/sealed/value-sealer.js';
import { type HeldService } from './lazy-service.js';

/** What a run over all accounts needs of an account whose keys are known. */
interface AccountAtWork {
  readonly environment: InboxScope['environment'];
  readonly turns: AccountJournal['turns'];
}

/** A registration, as the calls over all accounts see it. */
export interface AccountOwner {
  /** The name of its account; undefined: its accounts come from a resolver. */
  readonly name: string | undefined;
  readonly givenStorage: PaymentsStorage;
  readonly parts: Pick<PaymentsStorage, 'journal' | 'inbox' | 'conflicts'>;
  readonly retentionMs: number;
  /** Undefined without an encryption. */
  readonly resealing: Resealing | undefined;
  /** Undefined without an encryption. */
  readonly sealer: ValueSealer | undefined;
  /** Whether accepted payouts of an account are open. Asks no resolver. */
  readonly canAskAboutPayouts: (account: string) => boolean;
  /** Asks the resolver, if it must. */
  readonly hold: (account: string) => HeldService<AccountAtWork> | Promise<HeldService<AccountAtWork>>;
}

/** An account that a storage knows. */
export interface StoredAccount {
  readonly scope: InboxScope;
  readonly parts: AccountOwner['parts'];
  /** Undefined: no registration has an account of this name, and there is no resolver. */
  readonly owner: AccountOwner | undefined;
}

/** Whether the gateway can be asked about the payouts of an account, by the options that are known without its keys. */
export function statusOf({ scope, owner }: StoredAccount): { readonly canAsk: () => boolean } {
  return { canAsk: () => owner?.canAskAboutPayouts(scope.account) === true };
}

/** Where a page of stored accounts begins. */
export interface PagePlace {
  readonly givenStorage: object;
  readonly after: string | undefined;
}

/** A page of stored accounts. */
interface AccountsOfPage {
  readonly place: PagePlace;
  readonly accounts: readonly StoredAccount[];
}

export type StoragePart = keyof AccountOwner['parts'];

const PAGE_SIZE = 500;

/**
 * The accounts of which a part of the storages holds something, page by page. An account belongs to the registration of
 * its name, or else to the resolver; in the storage of another registration it is passed over.
 *
 * @param from Where to begin. What comes before follows at the end.
 * @throws what the first storage threw that failed, after the accounts of all others.
 */
export async function* storedAccounts(
  owners: readonly AccountOwner[],
  part: StoragePart,
  from?: PagePlace,
): AsyncGenerator<AccountsOfPage, void, undefined> {
  const storages = [...new Map(owners.map((owner) => [owner.givenStorage, owner])).values()];
  const first = Math.max(
    0,
    storages.findIndex(({ givenStorage }) => givenStorage === from?.givenStorage),
  );
  const rest = from?.after === undefined ? [] : [storages[first]];
  const circle = [...storages.slice(first), ...storages.slice(0, first), ...rest];
  const failures: unknown[] = [];
  for (const [index, storage] of circle.entries()) {
    if (!storage) continue;
    try {
      yield* pagesIn(storage, owners, part, index === 0 ? from?.after : undefined);
    } catch (error) {
      // The accounts of other storages come anyway.
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function* pagesIn(
  { givenStorage, parts }: AccountOwner,
  owners: readonly AccountOwner[],
  part: StoragePart,
  from: string | undefined,
): AsyncGenerator<AccountsOfPage, void, undefined> {
  let after = from;
  do {
    const start: AccountPageStart = { limit: PAGE_SIZE, ...(after !== undefined && { after }) };
    const page: AccountPage = await parts[part].accounts(start);
    const accounts = page.accounts.flatMap((scope) => {
      const owner = ownerOf(owners, scope.account);
      if (owner && owner.givenStorage !== givenStorage) return [];
      return [{ scope, parts: owner?.parts ?? parts, owner }];
    });
    yield { place: { givenStorage, after }, accounts };
    after = page.next;
  } while (after !== undefined);
}

/** The registration of an account: that of its name, or else the resolver. */
export function ownerOf(owners: readonly AccountOwner[], account: string): AccountOwner | undefined {
  return owners.find(({ name }) => name === account) ?? owners.find(({ name }) => name === undefined);
}
