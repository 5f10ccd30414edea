import { type MoneyInput } from '../common/money.js';
import { AMOUNT, CURRENCY, METADATA, PHONE, REFERENCE, TEXT } from '../common/openapi/field-schemas.js';
import { OpenApiField } from '../common/openapi/open-api-field.js';
import {
  IsMetadata,
  IsMoneyAmount,
  IsNetworkToken,
  IsReference,
  IsText,
  IsTzPhone,
  IsTzs,
} from '../gateway/validation/request-rules.js';

/** Fields of both payout requests (specification, "Endpoints" 6 and 7). */
abstract class DisbursementDto {
  /**
   * Your own reference, unique for every payout: it is what tells payouts apart. 1 to 255 bytes, without
   * white space at its ends or control characters.
   */
  @OpenApiField({
    ...REFERENCE,
    description: 'Your own reference, 1 to 255 bytes, unique for every payout.',
    example: 'salary-2026-01-17',
  })
  @IsReference()
  reference!: string;

  /** What the recipient gets: greater than 0, at most two decimals. The fee comes on top. */
  @OpenApiField({
    ...AMOUNT,
    description: 'What the recipient gets: greater than 0, at most two decimals. The fee comes on top.',
    example: '250000.00',
  })
  @IsMoneyAmount()
  amount!: MoneyInput;

  /** @default 'TZS' */
  @OpenApiField(CURRENCY)
  @IsTzs()
  currency?: 'TZS' | undefined;

  /** What the payout is for. */
  @OpenApiField({ ...TEXT, description: 'What the payout is for.', example: 'Salary of January' })
  @IsText()
  remarks!: string;

  /** Your own data: a plain JSON object. */
  @OpenApiField({ ...METADATA, description: 'Your own data.', example: { run: 17 }, required: false })
  @IsMetadata()
  metadata?: Record<string, unknown> | undefined;
}

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
