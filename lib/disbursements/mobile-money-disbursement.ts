import { KEPT, PHONE, TEXT, TIMESTAMP } from '../common/openapi/field-schemas.js';
import { OpenApiField } from '../common/openapi/open-api-field.js';
import { IsNetworkToken, IsText, IsTzPhone } from '../gateway/validation/field-rules.js';
import { Disbursement, DisbursementDto } from './disbursement.js';

/**
 * Sends money to a mobile money wallet (specification, "Endpoints" 7).
 *
 * @publicApi
 */
export class MobileMoneyDisbursementDto extends DisbursementDto {
  /** The recipient's phone: `255` and nine digits. */
  @OpenApiField({ ...PHONE, description: "The recipient's phone: 255 and nine digits." })
  @IsTzPhone()
  recipient_phone!: string;

  /** The recipient's full name. */
  @OpenApiField({ ...TEXT, description: "The recipient's full name.", example: 'A. Recipient' })
  @IsText()
  recipient_name!: string;

  /** The recipient's network: an upper-case token, one of the `networks` option if that is set. */
  @OpenApiField({
    type: 'string',
    pattern: '^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$',
    description: "The recipient's network, as the gateway spells it.",
    example: 'NET_ONE',
  })
  @IsNetworkToken()
  network!: string;
}

/**
 * A mobile money payout as the gateway accepted it (specification, "Mobile money disbursement record").
 *
 * Only `reference`, `amount`, `currency` and `status` are certain. The gateway's answer may leave out every other field, and
 * a payout that is known from a status query or an operator alone has none of them.
 *
 * Results have this shape and are plain objects; the class is for `@ApiOkResponse({ type: MobileMoneyDisbursement })`.
 *
 * Fields that the specification does not know are kept: `(payout as { extra?: unknown }).extra` reads one.
 *
 * @publicApi
 */
export class MobileMoneyDisbursement extends Disbursement {
  /** The recipient's full name. */
  @OpenApiField({ ...KEPT, example: 'A. Recipient', required: false })
  readonly recipient_name?: string;

  /** `255` and nine digits. */
  @OpenApiField({ ...PHONE, description: '255 and nine digits.', required: false })
  readonly recipient_phone?: string;

  /** `MOBILE_MONEY`. */
  @OpenApiField({ ...KEPT, description: 'MOBILE_MONEY.', example: 'MOBILE_MONEY', required: false })
  readonly channel?: string;

  /** The recipient's mobile network. */
  @OpenApiField({ ...KEPT, example: 'NET_ONE', required: false })
  readonly network?: string;

  /** ISO 8601, UTC. */
  @OpenApiField({ ...TIMESTAMP, description: 'ISO 8601, UTC.', required: false })
  readonly created_at?: string;
}
