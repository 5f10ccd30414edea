/**
 * Batches of payouts: loaded, checked, approved by another person, and paid once each.
 *
 * @module nestjs-payments/batches
 */
import 'reflect-metadata';

export { type BatchState, type LineState } from '../storage/batch-store.js';
export { type BatchActor } from './batch/batch-actor.js';
export { type BatchAuditEntry } from './batch/batch-audit.js';
export {
  type PayoutBatchChange,
  type PayoutBatchEvents,
  type PayoutBatchProgress,
} from './batch/batch-events.js';
export { type BatchCheckReport } from './batch-check-report.js';
export { type BatchProgress, type LineSum } from './batch/batch-progress.js';
export { type BatchEngine, type BatchJob } from './engine/batch-engine.js';
export { inProcess, type InProcessOptions } from './engine/in-process.js';
export { type LineProblem } from './batch/line-result.js';
export { linesFromCsv } from './lines/lines-from-csv.js';
export { type PayoutLine } from './lines/payout-line.js';
export { compareNames, type NameMatch } from './names/compare-names.js';
export { PayoutBatch } from './payout-batch.js';
export { type PayoutBatchLine } from './payout-batch-line.js';
export {
  type BatchOfAccount,
  type CreateBatchOptions,
  type FindBatchesOptions,
  PayoutBatches,
} from './payout-batches.js';
export {
  type PayoutBatchesAsyncOptions,
  type PayoutBatchesExtras,
  PayoutBatchesModule,
  type PayoutBatchesRootOptions,
} from './payout-batches.module.js';
export { type PayoutBatchesOptions } from './payout-batches-options.js';
export { type ApprovalBand, type BatchPolicy, type PayWindow } from './policy/batch-policy.js';
export { type Day } from './policy/week.js';
