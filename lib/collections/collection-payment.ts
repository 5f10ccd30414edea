import { type CollectionStatus } from '../common/statuses.js';

/**
 * A collection as the gateway accepted it (specification, "Collection payment record"). Accepted is not paid: the
 * outcome comes with the webhook.
 *
 * @publicApi
 */
export interface CollectionPayment {
  /** Present for mobile money. */
  readonly merchant_id?: number;
  readonly customer_name: string;
  readonly customer_email: string;
  /** `255` and nine digits. */
  readonly customer_phone: string;
  /** Your reference, echoed. */
  readonly reference: string;
  /** Two-decimal string, for example `"1180.50"`. */
  readonly amount: string;
  /** Two-decimal string. */
  readonly fee: string;
  /** Amount less the fee: two-decimal string. */
  readonly net_amount: string;
  /** `TZS`. */
  readonly currency: string;
  /** Where the payment came from, for example `api`; present for mobile money. */
  readonly source?: string;
  /** `mobile_money` or `partnerpesa`. */
  readonly payment_method: string;
  readonly provider: string;
  /** The provider's transaction reference. */
  readonly provider_reference: string;
  /** Typically `pending`. */
  readonly status: CollectionStatus;
  /** Your own data, echoed; null when none was sent. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** ISO 8601; null before processing began. */
  readonly processing_at: string | null;
  /** Fields that the specification does not know are kept. */
  readonly [field: string]: unknown;
}
