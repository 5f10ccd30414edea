import { type RecoveryReport } from '../journal/recovery/recovery-report.js';
import { type InboxScope } from '../common/vocabulary.js';
import { isPaymentsError } from '../errors/payments-errors.js';
import { type ResealReport } from '../storage/sealed/reseal.js';

/**
 * An account that a run over all accounts left out. What is stored of it stays as it is, and the next run tries again.
 *
 * @publicApi
 */
export interface SkippedAccount extends InboxScope {
  /**
   * `unknown`: no registration has its name, and `accounts.resolve` does not know it. `unavailable`: `accounts.resolve` failed
   * or returned wrong options. `other-environment`: its keys belong to the other environment. `no-encryption`: its
   * registration has no option `encryption`. `failed`: the storage failed.
   */
  readonly reason: 'unknown' | 'unavailable' | 'other-environment' | 'no-encryption' | 'failed';
}

/**
 * What a run over all accounts went through.
 *
 * @publicApi
 */
export interface AllAccountsReport {
  /** How many accounts it looked at; an account with two environments counts twice. */
  readonly accounts: number;
  /** The accounts that it left out although there was something to do. */
  readonly skipped: readonly SkippedAccount[];
}

/**
 * What `recover()` did over all accounts.
 *
 * @publicApi
 */
export interface AllRecoveryReport extends RecoveryReport, AllAccountsReport {}

/**
 * What a purge did over all accounts.
 *
 * @publicApi
 */
export interface AllPurgeReport extends AllAccountsReport {
  /** How many entries were forgotten. */
  readonly purged: number;
}

/**
 * What `reseal()` did over all accounts.
 *
 * @publicApi
 */
export interface AllResealReport extends ResealReport, AllAccountsReport {}

/** Why an account could not be worked on. */
export function reasonOf(error: unknown): SkippedAccount['reason'] {
  if (!isPaymentsError(error)) return 'failed';
  if (error.code === 'ACCOUNT_UNKNOWN') return 'unknown';
  return error.code === 'STORAGE_UNAVAILABLE' ? 'failed' : 'unavailable';
}
