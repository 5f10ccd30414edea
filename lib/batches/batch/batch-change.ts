import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { type BatchEvent, type StoredBatch } from '../../storage/batch-store.js';
import { type BatchAccount } from './batch-accounts.js';
import { type BatchDetails, withDetails } from './batch-details.js';
import { type BatchAction, stateAfter } from './batch-state.js';

/** How often another process may change the batch in between. */
const TRIES = 10;

/** A change of a batch, decided from what is stored now. */
export interface BatchChange {
  readonly action: BatchAction;
  readonly by: string;
  /** For the audit trail. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly changes?: Partial<BatchDetails>;
  /** Of all lines, when they are loaded. */
  readonly digest?: string;
}

/**
 * Changes a batch and writes the audit trail. Tries again if another process changed it in between. Undefined if the batch
 * is in a state in which the action does nothing, or `decide` gives none.
 *
 * @param decide Looks at what is stored now. It may throw.
 * @throws PaymentsStorageError if other processes keep changing it.
 */
export async function changeBatch(
  { store, announce }: Pick<BatchAccount, 'store' | 'announce'>,
  stored: StoredBatch,
  decide: (stored: StoredBatch) => BatchChange | undefined,
): Promise<StoredBatch | undefined> {
  let current: StoredBatch | undefined = stored;
  for (let tries = 0; current && tries < TRIES; tries += 1) {
    const change = decide(current);
    const state = change && stateAfter(current.record.state, change.action);
    if (!change || !state) return undefined;
    const { digest = current.record.digest, changes = {} } = change;
    const record = { ...withDetails(current.record, state, changes), digest };
    const replaced = await store.replace(current.version, record, eventOf(change));
    if (replaced) {
      announce(replaced.record, change);
      return replaced;
    }
    current = await store.get(current.record);
  }
  if (!current) return undefined;
  throw new PaymentsStorageError(
    'Nothing was changed: other processes kept changing the batch. Call it again.',
  );
}

function eventOf({ action, by, details = {} }: BatchChange): BatchEvent {
  return { action, by, details: JSON.stringify(details) };
}
