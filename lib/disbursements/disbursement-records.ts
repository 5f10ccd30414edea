import { KEPT, listed, METADATA, MONEY, PHONE, TIMESTAMP, TZS } from '../common/openapi/field-schemas.js';
import { OpenApiField } from '../common/openapi/open-api-field.js';
import { DISBURSEMENT_STATUSES, type DisbursementStatus } from '../common/vocabulary.js';

/** Fields of both payout records. */
abstract class Disbursement {
  /** Your reference, echoed. */
  @OpenApiField({ ...KEPT, description: 'Your reference, echoed.', example: 'salary-2026-01-17' })
  readonly reference!: string;

  /** Two-decimal string, for example `"250000.00"`. */
  @OpenApiField({ ...MONEY, description: 'Two-decimal string.', example: '250000.00' })
  readonly amount!: string;

  /** Two-decimal string. */
  @OpenApiField({ ...MONEY, description: 'Two-decimal string.', example: '500.00' })
  readonly fee!: string;

  /** Two-decimal string; amount plus fee in the specification's example. */
  @OpenApiField({ ...MONEY, description: 'Two-decimal string.', example: '250500.00' })
  readonly total_amount!: string;

  /** `TZS`. */
  @OpenApiField(TZS)
  readonly currency!: string;

  /** Name of the provider that handles the payout. */
  @OpenApiField({ ...KEPT, example: 'provider-b' })
  readonly provider!: string;

  /** `processing` in the specification's example. */
  @OpenApiField({ ...listed(DISBURSEMENT_STATUSES), example: 'processing' })
  readonly status!: DisbursementStatus;

  /** Your description of the payout, echoed. */
  @OpenApiField({ ...KEPT, example: 'Salary of January' })
  readonly remarks!: string;

  /** Fields that the specification does not know are kept. */
  readonly [field: string]: unknown;
}

/**
 * A bank payout as the gateway accepted it (specification, "Bank disbursement record").
 *
 * Results have this shape and are plain objects; the class is for `@ApiOkResponse({ type: BankDisbursement })`.
 *
 * @publicApi
 */
export class BankDisbursement extends Disbursement {
  /** Code of the recipient's bank, echoed. */
  @OpenApiField({ ...KEPT, example: 'ABC' })
  readonly bank_code!: string;

  /** Full name of that bank. */
  @OpenApiField({ ...KEPT, example: 'Able Bank' })
  readonly bank_name!: string;

  /** The recipient's account number. */
  @OpenApiField({ ...KEPT, example: '0000000000001' })
  readonly account_number!: string;

  /** Name of the account's holder. */
  @OpenApiField({ ...KEPT, example: 'A. Recipient' })
  readonly account_name!: string;

  /** Your own data, echoed; an empty object when none was sent. */
  @OpenApiField({
    ...METADATA,
    nullable: true,
    description: 'Your own data, echoed; an empty object when none was sent.',
    example: { run: 17 },
  })
  readonly metadata!: Readonly<Record<string, unknown>> | null;
}

/**
 * A mobile money payout as the gateway accepted it (specification, "Mobile money disbursement record").
 *
 * Results have this shape and are plain objects; the class is for `@ApiOkResponse({ type: MobileMoneyDisbursement })`.
 *
 * @publicApi
 */
export class MobileMoneyDisbursement extends Disbursement {
  /** The recipient's full name. */
  @OpenApiField({ ...KEPT, example: 'A. Recipient' })
  readonly recipient_name!: string;

  /** `255` and nine digits. */
  @OpenApiField({ ...PHONE, description: '255 and nine digits.' })
  readonly recipient_phone!: string;

  /** `MOBILE_MONEY`. */
  @OpenApiField({ ...KEPT, description: 'MOBILE_MONEY.', example: 'MOBILE_MONEY' })
  readonly channel!: string;

  /** The recipient's mobile network. */
  @OpenApiField({ ...KEPT, example: 'NET_ONE' })
  readonly network!: string;

  /** ISO 8601, UTC. */
  @OpenApiField({ ...TIMESTAMP, description: 'ISO 8601, UTC.' })
  readonly created_at!: string;
}
