import { type PaymentsAccount } from '../accounts/account.js';
import { type ModuleAccounts } from '../accounts/module-accounts.js';
import { type ApplicationEvents } from '../common/application-events.js';
import { type InboxScope } from '../common/vocabulary.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import { type BatchStore } from '../storage/batch-store.js';
import { type JournalStore } from '../storage/journal-store.js';
import { type PaymentsStorage } from '../storage/payments-storage.js';
import { plainBatches, sealedBatches } from '../storage/sealed/sealed-batches.js';
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
  readonly events: Pick<ApplicationEvents<ReconciliationEvents>, 'emit'>;
}

/** The accounts of `PaymentsModule`. */
export class ReconciledAccounts {
  constructor(
    private readonly accounts: ModuleAccounts,
    private readonly events: ApplicationEvents<ReconciliationEvents>,
  ) {}

  /**
   * Opens an account.
   *
   * @throws PaymentsAccountError if there is no such account.
   * @throws PaymentsConfigError if its storage keeps no closes.
   */
  async open(account: string): Promise<ReconciledAccount> {
    const { scope, services, owner } = await this.accounts.open(account);
    const { sealer, givenStorage } = owner;
    const { batches } = givenStorage;
    return {
      scope,
      services,
      journal: owner.parts.journal,
      store: storeOf(this.accounts.storageOf(owner)),
      batches: batches && (sealer ? sealedBatches(batches, scope, sealer) : plainBatches(batches)),
      events: this.events.of(account),
    };
  }

  /** @throws PaymentsConfigError if a storage keeps no closes. */
  checkStorages(): void {
    for (const storage of this.accounts.storages()) storeOf(storage);
  }
}

function storeOf({ name, reconciliation }: PaymentsStorage): ReconciliationStore {
  if (reconciliation) return reconciliation;
  throw new PaymentsConfigError(
    `The storage "${name}" keeps no closes: use postgresStorage(…), sqlStorage(…) or sqliteStorage(…).`,
  );
}
