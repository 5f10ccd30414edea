import { KEPT, METADATA, MONEY, PHONE, listed, TIMESTAMP, TZS } from '../common/openapi/field-schemas.js';
import { OpenApiField } from '../common/openapi/open-api-field.js';
import { COLLECTION_STATUSES, type CollectionStatus } from '../common/vocabulary.js';
import { type LastResponse } from '../gateway/answer/wire-record.js';

/**
 * A collection as the gateway accepted it (specification, "Collection payment record"). Accepted is not paid: the
 * outcome comes with the webhook.
 *
 * Only `reference`, `amount`, `currency` and `status` are certain. The gateway's answer may leave out every other field, and
 * a payment that is known from a webhook alone has none of them.
 *
 * Results have this shape and are plain objects; the class is for `@ApiOkResponse({ type: CollectionPayment })`.
 *
 * Fields that the specification does not know are kept: `(payment as { extra?: unknown }).extra` reads one.
 *
 * @publicApi
 */
export class CollectionPayment {
  /** Present for mobile money. */
  @OpenApiField({ type: 'integer', description: 'Present for mobile money.', example: 7, required: false })
  readonly merchant_id?: number;

  /** The customer's full name, echoed. */
  @OpenApiField({ ...KEPT, example: 'A. Customer', required: false })
  readonly customer_name?: string;

  /** The customer's email address, echoed. */
  @OpenApiField({ ...KEPT, example: 'customer@example.com', required: false })
  readonly customer_email?: string;

  /** `255` and nine digits. */
  @OpenApiField({ ...PHONE, description: '255 and nine digits.', required: false })
  readonly customer_phone?: string;

  /** Your reference, echoed. */
  @OpenApiField({ ...KEPT, description: 'Your reference, echoed.', example: 'order-1042' })
  readonly reference!: string;

  /** Two-decimal string, for example `"1180.50"`. */
  @OpenApiField({ ...MONEY, description: 'Two-decimal string.', example: '1180.50' })
  readonly amount!: string;

  /** Two-decimal string. */
  @OpenApiField({ ...MONEY, description: 'Two-decimal string.', example: '23.61', required: false })
  readonly fee?: string;

  /** Amount less the fee: two-decimal string. */
  @OpenApiField({
    ...MONEY,
    description: 'Amount less the fee: two-decimal string.',
    example: '1156.89',
    required: false,
  })
  readonly net_amount?: string;

  /** `TZS`. */
  @OpenApiField(TZS)
  readonly currency!: string;

  /** Where the payment came from, for example `api`; present for mobile money. */
  @OpenApiField({
    ...KEPT,
    description: 'Where the payment came from; present for mobile money.',
    example: 'api',
    required: false,
  })
  readonly source?: string;

  /** `mobile_money` or `partnerpesa`. */
  @OpenApiField({ ...listed(['mobile_money', 'partnerpesa']), example: 'mobile_money', required: false })
  readonly payment_method?: string;

  /** Name of the provider that handles the payment. */
  @OpenApiField({ ...KEPT, example: 'provider-a', required: false })
  readonly provider?: string;

  /** The provider's transaction reference. */
  @OpenApiField({
    ...KEPT,
    description: "The provider's transaction reference.",
    example: 'PA-1',
    required: false,
  })
  readonly provider_reference?: string;

  /**
   * Typically `pending`. A final status of an answer that does not name the payment is `pending`, too, with a line in
   * `lastResponse.warnings`: a success counts beside the reference, and every other end also beside the amount.
   */
  @OpenApiField({
    ...listed(COLLECTION_STATUSES),
    description: 'Typically pending: the outcome comes later.',
    example: 'pending',
  })
  readonly status!: CollectionStatus;

  /** Your own data, echoed; null when none was sent. */
  @OpenApiField({
    ...METADATA,
    nullable: true,
    description: 'Your own data, echoed; null when none was sent.',
    example: { basket: 17 },
    required: false,
  })
  readonly metadata?: Readonly<Record<string, unknown>> | null;

  /** ISO 8601, UTC. */
  @OpenApiField({ ...TIMESTAMP, description: 'ISO 8601, UTC.', required: false })
  readonly created_at?: string;

  /** ISO 8601; null before processing began. */
  @OpenApiField({
    ...TIMESTAMP,
    nullable: true,
    description: 'Null before processing began.',
    required: false,
  })
  readonly processing_at?: string | null;

  /** How the call went, in the result of a call; JSON and copies of the result lack it. */
  readonly lastResponse?: LastResponse;
}
