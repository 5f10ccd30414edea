import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { type InboxScope } from '../../common/vocabulary.js';
import { PaymentsError, PaymentsStorageError } from '../../errors/payments-errors.js';
import {
  type ReconciliationStore,
  type StoredReconciliationEntry,
} from '../../storage/reconciliation-store.js';

/** After this long without a sign of life a process counts as dead. */
const LEASE_MS = 120_000;
const RENEW_EVERY_MS = 20_000;

const ID = 'close';

/** The time by the clock of the storage. */
export async function storageTime(store: ReconciliationStore, scope: InboxScope): Promise<number> {
  return (await leaseOf(store, scope)).now;
}

/** The lease as it is; it is written when it is read for the first time. */
async function leaseOf(store: ReconciliationStore, scope: InboxScope): Promise<StoredReconciliationEntry> {
  await store.add([{ ...scope, kind: 'run', id: ID, state: 'idle', details: '{}' }]);
  const stored = await store.get(scope, 'run', ID);
  if (stored) return stored;
  throw new PaymentsStorageError('The lease of closes was gone right after it was written: try again.');
}

/** One close at a time among all processes, by a lease in the storage. */
export class CloseRun {
  /** Names what this run writes. */
  readonly token = randomUUID();
  /** By the clock of the storage. */
  readonly startedAt: number;
  private renewedAt = performance.now();

  private constructor(
    private readonly store: ReconciliationStore,
    private lease: StoredReconciliationEntry,
  ) {
    this.startedAt = lease.now;
  }

  /** @throws PaymentsError with the code `CLOSE_RUNNING` if another process is closing a day of the account. */
  static async begin(store: ReconciliationStore, scope: InboxScope): Promise<CloseRun> {
    const { entry, version, now, updatedAt } = await leaseOf(store, scope);
    const isTaken = entry.state === 'running' && now - updatedAt < LEASE_MS;
    const lease = isTaken ? undefined : await store.replace(version, { ...entry, state: 'running' });
    if (!lease) throw isRunning(scope.account);
    return new CloseRun(store, lease);
  }

  /** Renews the lease now and then. Undefined: there was nothing to do. */
  goOn(): Promise<void> | undefined {
    return performance.now() - this.renewedAt < RENEW_EVERY_MS ? undefined : this.hold();
  }

  /** @throws PaymentsError with the code `CLOSE_RUNNING` if another process took over. */
  async hold(): Promise<void> {
    const { entry, version } = this.lease;
    const lease = await this.store.replace(version, entry);
    if (!lease) throw isRunning(entry.account);
    this.lease = lease;
    this.renewedAt = performance.now();
  }

  /** Lets others close. If the storage fails, they wait until the lease is over. */
  async end(): Promise<void> {
    const { entry, version } = this.lease;
    await this.store.replace(version, { ...entry, state: 'idle' }).catch(() => undefined);
  }
}

function isRunning(account: string): PaymentsError {
  return new PaymentsError(
    'CLOSE_RUNNING',
    `Another process is closing a day of the account "${account}": try again when it has ended. If it died, that is in ${LEASE_MS / 60_000} minutes.`,
  );
}
