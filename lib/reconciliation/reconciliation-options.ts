import { type OptionError, refuseUnknown } from '../errors/option-errors.js';
import { isRecord } from '../common/json-object.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import { type PaymentsStorage } from '../storage/payments-storage.js';
import {
  type ReconciliationPolicy,
  resolveReconciliationPolicy,
  type ResolvedReconciliationPolicy,
} from './reconciliation-policy.js';

/**
 * Options of `ReconciliationModule`.
 *
 * @publicApi
 */
export interface ReconciliationOptions {
  /**
   * Where balances, closes and exceptions are. One of `postgresStorage`, `sqlStorage` and `sqliteStorage`.
   * @default the storage of `PaymentsModule`
   */
  readonly storage?: PaymentsStorage;
  /** What counts as a difference. @default see `ReconciliationPolicy` */
  readonly policy?: ReconciliationPolicy;
}

/** The options after validation, with defaults. */
export interface ResolvedReconciliationOptions {
  /** Undefined: that of `PaymentsModule`. */
  readonly storage: PaymentsStorage | undefined;
  readonly policy: ResolvedReconciliationPolicy;
}

const FIELDS = ['storage', 'policy'];

const error: OptionError = (option, problem) =>
  new PaymentsConfigError(`ReconciliationModule option \`${option}\` ${problem}`);

/** @throws PaymentsConfigError if an option is wrong or unknown. */
export function resolveReconciliationOptions(raw: unknown): ResolvedReconciliationOptions {
  const options = isRecord(raw) ? raw : {};
  refuseUnknown(options, FIELDS, error);
  const { storage, policy } = options as Partial<ReconciliationOptions>;
  if (storage !== undefined && !isRecord(storage.journal)) {
    throw error('storage', 'is no storage: write for example postgresStorage({ pool }), or leave it out.');
  }
  return { storage, policy: resolveReconciliationPolicy(policy ?? {}) };
}
