import { type DisbursementStatus } from '../common/statuses.js';

/** Fields of both payout records. */
interface Disbursement {
  /** Your reference, echoed. */
  readonly reference: string;
  /** Two-decimal string, for example `"250000.00"`. */
  readonly amount: string;
  /** Two-decimal string. */
  readonly fee: string;
  /** Two-decimal string; amount plus fee in the specification's example. */
  readonly total_amount: string;
  /** `TZS`. */
  readonly currency: string;
  readonly provider: string;
  /** `processing` in the specification's example. */
  readonly status: DisbursementStatus;
  readonly remarks: string;
  /** Fields that the specification does not know are kept. */
  readonly [field: string]: unknown;
}

/**
 * A bank payout as the gateway accepted it (specification, "Bank disbursement record").
 *
 * @publicApi
 */
export interface BankDisbursement extends Disbursement {
  readonly bank_code: string;
  readonly bank_name: string;
  readonly account_number: string;
  readonly account_name: string;
  /** Your own data, echoed; an empty object when none was sent. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

/**
 * A mobile money payout as the gateway accepted it (specification, "Mobile money disbursement record").
 *
 * @publicApi
 */
export interface MobileMoneyDisbursement extends Disbursement {
  readonly recipient_name: string;
  /** `255` and nine digits. */
  readonly recipient_phone: string;
  /** `MOBILE_MONEY`. */
  readonly channel: string;
  readonly network: string;
  /** ISO 8601, UTC. */
  readonly created_at: string;
}
