import { jsonObject } from '../../common/json-object.js';
import { type StoredBatchEvent } from '../../storage/batch-store.js';

/**
 * An entry of the audit trail of a batch, which is never changed.
 *
 * @publicApi
 */
export interface BatchAuditEntry {
  /** 1 for the first one; each has the next number. */
  readonly number: number;
  /** When it was done, by the clock of the storage. */
  readonly at: Date;
  /** For example `approve`. */
  readonly action: string;
  /** Who did it; `payout-batches` for what nobody asked for. */
  readonly by: string;
  /** For example the digest that was approved, or why a batch pauses. */
  readonly details: Readonly<Record<string, unknown>>;
}

export function auditEntry({ number, at, action, by, details }: StoredBatchEvent): BatchAuditEntry {
  return { number, at: new Date(at), action, by, details: jsonObject(details) ?? {} };
}
