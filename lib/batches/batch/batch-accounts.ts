import { type PaymentsAccount } from '../../accounts/account.js';
import { type ModuleAccounts } from '../../accounts/module-accounts.js';
import { type ApplicationEvents } from '../../common/application-events.js';
import { type InboxScope, type PaymentsEnvironment } from '../../common/vocabulary.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type BatchEvent, type BatchRecord, type BatchStore } from '../../storage/batch-store.js';
import { type PaymentsStorage } from '../../storage/payments-storage.js';
import { type PayoutBatchEvents } from './batch-events.js';
import { keyedFingerprints } from '../../storage/sealed/keyed-fingerprint.js';
import { plainBatches, sealedBatches } from '../../storage/sealed/sealed-batches.js';

/** What batches need of a merchant account. */
export interface BatchAccount {
  readonly scope: InboxScope;
  /** Whether its keys come from a resolver: those of the other environment may come at any time, and go again. */
  readonly hasResolver: boolean;
  readonly store: BatchStore;
  /** They stay in the environment of the scope: their calls reject while the keys are of another one. */
  readonly services: PaymentsAccount;
  /**
   * The forms in which a hash over personal data is stored. A reader of the storage could guess that data, so the
   * hash is keyed if the account has an encryption. The first form is written now; the others were written under
   * earlier keys and without encryption.
   */
  readonly storedHashes: (hash: string) => readonly [string, ...string[]];
  /** Tells the application's listeners what was done with a batch. */
  readonly announce: (record: BatchRecord, change: Pick<BatchEvent, 'action' | 'by'>) => void;
}

/** The accounts whose batches are stored: those of `PaymentsModule`. */
export class BatchAccounts {
  constructor(
    private readonly accounts: ModuleAccounts,
    private readonly events: ApplicationEvents<PayoutBatchEvents>,
  ) {}

  /**
   * Opens an account.
   *
   * @param environment Without it, that of the keys that the account has now. With it, nobody is asked for keys yet.
   * @throws PaymentsAccountError if there is no such account.
   * @throws PaymentsConfigError if its storage keeps no batches.
   */
  async open(account: string, environment?: PaymentsEnvironment): Promise<BatchAccount> {
    const { scope, services, owner } = await this.accounts.open(account, environment);
    const store = batchesOf(this.accounts.storageOf(owner));
    const { sealer } = owner;
    return {
      scope,
      hasResolver: owner.name === undefined,
      services,
      store: sealer ? sealedBatches(store, scope, sealer) : plainBatches(store),
      storedHashes: (hash) => (sealer ? keyedFingerprints(scope, hash, sealer) : [hash]),
      announce: ({ batch, state }, { action, by }) => {
        this.events.of(account).emit('payout-batch.changed', { account, batch, action, by, state });
      },
    };
  }

  /** The storages of all accounts, each once; without encryption, because only batches themselves are read there. */
  stores(): readonly BatchStore[] {
    return this.accounts.storages().flatMap(({ batches }) => batches ?? []);
  }

  /** @throws PaymentsConfigError if no storage keeps batches. */
  checkStorages(): void {
    const [first] = this.accounts.storages();
    if (this.stores().length === 0 && first) batchesOf(first);
  }
}

function batchesOf({ name, batches }: PaymentsStorage): BatchStore {
  if (batches) return batches;
  throw new PaymentsConfigError(
    `The storage "${name}" keeps no batches: use postgresStorage(…), sqlStorage(…) or sqliteStorage(…).`,
  );
}
