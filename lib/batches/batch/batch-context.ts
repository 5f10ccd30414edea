import { type BatchAccounts } from './batch-accounts.js';
import { type BatchNotifier } from './batch-notifier.js';
import { type BatchEngine } from '../engine/batch-engine.js';
import { type ResolvedBatchPolicy } from '../policy/batch-policy.js';

/** What the jobs of all batches share. */
export interface BatchContext {
  readonly accounts: BatchAccounts;
  readonly policy: ResolvedBatchPolicy;
  readonly engine: BatchEngine;
  readonly notifier: BatchNotifier;
  /** How many lines of a chunk are looked up or sent at once. */
  readonly concurrency: number;
  readonly now: () => number;
  /** Fires when the application stops. */
  readonly stopping: AbortSignal;
}
