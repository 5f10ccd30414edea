import { KEPT, METADATA, TEXT } from '../common/openapi/field-schemas.js';
import { OpenApiField } from '../common/openapi/open-api-field.js';
import { IsText } from '../gateway/validation/field-rules.js';
import { Disbursement, DisbursementDto } from './disbursement.js';

/**
 * Sends money to a bank account (specification, "Endpoints" 6).
 *
 * @publicApi
 */
export class BankDisbursementDto extends DisbursementDto {
  /** A code from `BanksService.list()`. */
  @OpenApiField({ ...TEXT, description: 'Code of the bank, as the list of banks has it.', example: 'ABC' })
  @IsText()
  bank_code!: string;

  /** The recipient's account number, as a string: leading zeros count. */
  @OpenApiField({
    ...TEXT,
    description: "The recipient's account number: leading zeros count.",
    example: '0000000000001',
  })
  @IsText()
  account_number!: string;

  /** The holder's name, best as `NameLookupService.lookup()` returns it. */
  @OpenApiField({
    ...TEXT,
    description: "The holder's name, best as the name lookup returns it.",
    example: 'A. Recipient',
  })
  @IsText()
  account_name!: string;
}

/**
 * A bank payout as the gateway accepted it (specification, "Bank disbursement record").
 *
 * Only `reference`, `amount`, `currency` and `status` are certain. The gateway's answer may leave out every other field, and
 * a payout that is known from a status query or an operator alone has none of them.
 *
 * Results have this shape and are plain objects; the class is for `@ApiOkResponse({ type: BankDisbursement })`.
 *
 * Fields that the specification does not know are kept: `(payout as { extra?: unknown }).extra` reads one.
 *
 * @publicApi
 */
export class BankDisbursement extends Disbursement {
  /** Code of the recipient's bank, echoed. */
  @OpenApiField({ ...KEPT, example: 'ABC', required: false })
  readonly bank_code?: string;

  /** Full name of that bank. */
  @OpenApiField({ ...KEPT, example: 'Able Bank', required: false })
  readonly bank_name?: string;

  /** The recipient's account number. */
  @OpenApiField({ ...KEPT, example: '0000000000001', required: false })
  readonly account_number?: string;

  /** Name of the account's holder. */
  @OpenApiField({ ...KEPT, example: 'A. Recipient', required: false })
  readonly account_name?: string;

  /** Your own data, echoed; an empty object when none was sent. */
  @OpenApiField({
    ...METADATA,
    nullable: true,
    description: 'Your own data, echoed; an empty object when none was sent.',
    example: { run: 17 },
    required: false,
  })
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}
