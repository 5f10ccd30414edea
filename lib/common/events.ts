/** The four events that the gateway sends (specification, "Events"). */
export const PAYMENT_EVENT_NAMES = [
  'payment.success',
  'payment.failed',
  'payment.cancelled',
  'payment.expired',
] as const;

/**
 * Name of a webhook event (specification, "Events").
 *
 * @useDeclaredType
 * @publicApi
 */
export type PaymentEventName = (typeof PAYMENT_EVENT_NAMES)[number];

/**
 * Payload of a webhook under its wire names (specification, "Events").
 *
 * Only `event` and `data.reference`, `amount`, `currency` and `status` are certain. Every other field may be
 * absent or null. Fields that the specification does not know are kept: `(data as { extra?: unknown }).extra` reads one.
 *
 * @publicApi
 */
export interface PaymentWebhookEvent {
  /** One of the four event names; another name reaches `@OnPayment('unrecognized')` only. */
  readonly event: PaymentEventName | (string & {});
  /** When the webhook was generated: ISO 8601 with fractional seconds. */
  readonly created_at?: string | null;
  /** What became of which payment. */
  readonly data: PaymentEventData;
}

/**
 * The `data` of a webhook (specification, "Events").
 *
 * @publicApi
 */
export interface PaymentEventData {
  /** The merchant's payment reference. */
  readonly reference: string;
  /** Canonical money string with exactly two decimals, for example `"1180.50"`. */
  readonly amount: string;
  /** `TZS`. */
  readonly currency: string;
  /** The final status. */
  readonly status: string;
  /** The customer's full name. */
  readonly customer_name?: string | null;
  /** The customer's email address. */
  readonly customer_email?: string | null;
  /** `255` and nine digits. */
  readonly customer_phone?: string | null;
  /** Provider channel or network that processed the payment. */
  readonly channel?: string | null;
  /** The provider's transaction reference. */
  readonly provider_reference?: string | null;
  /** Merchant data, as it was sent with the request. */
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}
