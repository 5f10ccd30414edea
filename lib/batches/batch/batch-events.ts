import { type BatchState } from '../../storage/batch-store.js';
import { type BatchProgress } from './batch-progress.js';

/**
 * A batch was loaded, checked, approved, started, paused, resumed, cancelled, or has ended.
 *
 * @publicApi
 */
export interface PayoutBatchChange {
  /** Name of the merchant account. */
  readonly account: string;
  /** Name of the batch. */
  readonly batch: string;
  /** What was done, as in the audit trail, for example `approve`. */
  readonly action: string;
  /** Who did it; `payout-batches` for what nobody asked for. */
  readonly by: string;
  /** The state of the batch after it. */
  readonly state: BatchState;
}

/**
 * How far a batch is.
 *
 * @publicApi
 */
export interface PayoutBatchProgress extends BatchProgress {
  /** Name of the merchant account. */
  readonly account: string;
  /** Name of the batch. */
  readonly batch: string;
}

/**
 * What the application's `@nestjs/event-emitter` emits of batches, by event name. A listener that fails is logged and changes
 * nothing. No event is emitted again, neither after a crash nor on another replica: what must not get lost reads
 * `PayoutBatch.audit()` and `PayoutBatch.progress()`.
 *
 * @example
 * ```ts
 * @OnEvent('payout-batch.changed')
 * changed({ batch, state }: PayoutBatchEvents['payout-batch.changed']) {
 *   if (state === 'paused') console.warn(`The batch ${batch} pauses.`);
 * }
 * ```
 *
 * @publicApi
 */
export interface PayoutBatchEvents {
  /** Emitted once, by the process that made the change. */
  readonly 'payout-batch.changed': PayoutBatchChange;
  /** Emitted by each process that works on the batch, at most once a second. */
  readonly 'payout-batch.progress': PayoutBatchProgress;
}
