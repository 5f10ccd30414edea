import { quoted } from '../common/quoted.js';
import { ownerOf } from '../accounts/account-owner.js';
import { type AccountRegistry } from '../accounts/account-registry.js';
import { type PaymentsAccount } from '../accounts/account.js';
import { type PaymentsAccounts } from '../accounts/payments-accounts.js';
import { type ApplicationEvents } from '../common/application-events.js';
import { type InboxScope } from '../common/vocabulary.js';
import { PaymentsAccountError } from '../errors/payments-account.error.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import { type BatchStore } from '../storage/batch-store.js';
import { type JournalStore } from '../storage/journal-store.js';
import { type PaymentsStorage } from '../storage/payments-storage.js';
import { sealedBatches } from '../storage/sealed/sealed-batches.js';
import { type ReconciliationStore } from '../storage/reconciliation-store.js';
import { type ReconciliationEvents } from './reconciliation-events.js';

/** What reconciliation needs of a merchant account. */
export interface ReconciledAccount {
  readonly scope: InboxScope;
  readonly services: Pick<PaymentsAccount, 'disbursements' | 'journal' | 'wallet'>;
  /** With its encryption opened. */
  readonly journal: JournalStore;
  readonly store: ReconciliationStore;
  /** With their encryption opened; undefined if the storage keeps no batches. */
  readonly batches: BatchStore | undefined;
  readonly events: Pick<ApplicationEvents<ReconciliationEvents>, 'tell'>;
}

/** The accounts of `PaymentsModule`. */
export class ReconciledAccounts {
  constructor(
    /** Closures, because both lead to the keys of every account. */
    private readonly registry: () => AccountRegistry,
    private readonly accounts: () => PaymentsAccounts,
    /** Undefined: the storage of `PaymentsModule`. */
    private readonly storage: PaymentsStorage | undefined,
    private readonly events: ApplicationEvents<ReconciliationEvents>,
  ) {}

  /**
   * Opens an account.
   *
   * @throws PaymentsAccountError if there is no such account.
   * @throws PaymentsConfigError if its storage keeps no closes.
   */
  async open(account: string): Promise<ReconciledAccount> {
    const { disbursements, journal, wallet } = this.accounts().for(account);
    const owner = ownerOf(this.registry().owners, account);
    if (!owner)
      throw new PaymentsAccountError(
        'ACCOUNT_UNKNOWN',
        `There is no account ${quoted(account)}: name one that PaymentsModule registers.`,
      );
    const { service, release } = await owner.hold(account);
    const { environment } = service;
    release();
    const scope = { account, environment };
    const { sealer, givenStorage } = owner;
    const { batches } = givenStorage;
    return {
      scope,
      services: { disbursements, journal, wallet },
      journal: owner.parts.journal,
      store: storeOf(this.storage ?? givenStorage),
      batches: batches && sealer ? sealedBatches(batches, scope, sealer) : batches,
      events: this.events.of(account),
    };
  }

  /** @throws PaymentsConfigError if a storage keeps no closes. */
  checkStorages(): void {
    for (const { givenStorage } of this.registry().owners) storeOf(this.storage ?? givenStorage);
  }
}

function storeOf({ name, reconciliation }: PaymentsStorage): ReconciliationStore {
  if (reconciliation) return reconciliation;
  throw new PaymentsConfigError(
    `The storage "${name}" keeps no closes: use postgresStorage(…), sqlStorage(…) or sqliteStorage(…).`,
  );
}
