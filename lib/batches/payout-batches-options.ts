import { count, readOptions } from '../config/option.js';
import { type OptionError, refuseUnknown } from '../errors/option-errors.js';
import { isRecord } from '../common/json-object.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import { type PaymentsStorage } from '../storage/payments-storage.js';
import { type BatchEngine } from './engine/batch-engine.js';
import { type BatchPolicy, resolvePolicy, type ResolvedBatchPolicy } from './policy/batch-policy.js';

/**
 * Options of `PayoutBatchesModule`.
 *
 * @publicApi
 */
export interface PayoutBatchesOptions {
  /** What runs the work: `inProcess()` on one machine, `bullmqEngine()` on several. */
  readonly engine: BatchEngine;
  /**
   * Where batches and lines are. One of `postgresStorage`, `sqlStorage` and `sqliteStorage`.
   * `PaymentsJournal.reseal()` and `Reconciliation.apply()` do not reach the lines in another storage than that of
   * `PaymentsModule`: settle such lines with `PayoutBatch.settle()`.
   * @default the storage of `PaymentsModule`
   */
  readonly storage?: PaymentsStorage;
  /** What has to be true before money moves. @default see `BatchPolicy` */
  readonly policy?: BatchPolicy;
  /**
   * How many lines of a chunk are looked up or sent at once, 1 to 100. The `rate` of the account limits them anyway.
   * @default 4
   */
  readonly concurrency?: number;
  /** The time in milliseconds since 1970, for tests. @default Date.now */
  readonly now?: () => number;
}

/** The options after validation, with defaults. */
export interface ResolvedBatchesOptions {
  readonly engine: BatchEngine;
  /** Undefined: that of `PaymentsModule`. */
  readonly storage: PaymentsStorage | undefined;
  readonly policy: ResolvedBatchPolicy;
  readonly concurrency: number;
  readonly now: () => number;
}

const FIELDS = ['engine', 'storage', 'policy', 'concurrency', 'now'];
const NUMBERS = { concurrency: count({ min: 1, max: 100, default: 4 }) };

const error: OptionError = (option, problem) =>
  new PaymentsConfigError(`PayoutBatchesModule option \`${option}\` ${problem}`);

/** @throws PaymentsConfigError if an option is missing, wrong or unknown. */
export function resolveBatchesOptions(raw: unknown): ResolvedBatchesOptions {
  const options = isRecord(raw) ? raw : {};
  refuseUnknown(options, FIELDS, error);
  const { engine, storage, policy, now = Date.now } = options as Partial<PayoutBatchesOptions>;
  if (typeof engine?.add !== 'function') {
    throw error(
      'engine',
      'is missing: write inProcess() for one machine, or bullmqEngine({ connection }) for several.',
    );
  }
  if (storage !== undefined && !isRecord(storage.journal)) {
    throw error('storage', 'is no storage: write for example postgresStorage({ pool }), or leave it out.');
  }
  const { concurrency } = readOptions(NUMBERS, options, '', error);
  return { engine, storage, policy: resolvePolicy(policy ?? {}), concurrency, now };
}
