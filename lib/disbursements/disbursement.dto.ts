import { type MoneyInput } from '../common/money.js';
import { IsMetadata } from '../common/validation/metadata-rule.js';
import { IsMoneyAmount } from '../common/validation/money-rule.js';
import { IsNetworkToken, IsReference, IsText, IsTzPhone, IsTzs } from '../common/validation/text-rules.js';

/** Fields of both payout requests (specification, "Endpoints" 6 and 7). */
abstract class DisbursementDto {
  /** Your own reference, 1 to 255 bytes, unique for every payout: it is what tells payouts apart. */
  @IsReference()
  reference!: string;

  /** What the recipient gets: greater than 0, at most two decimals. The fee comes on top. */
  @IsMoneyAmount()
  amount!: MoneyInput;

  /** @default 'TZS' */
  @IsTzs()
  currency?: 'TZS' | undefined;

  /** What the payout is for. */
  @IsText()
  remarks!: string;

  /** Your own data: a plain JSON object. */
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
  @IsText()
  bank_code!: string;

  /** The recipient's account number, as a string: leading zeros count. */
  @IsText()
  account_number!: string;

  /** The holder's name, best as `NameLookupService.lookup()` returns it. */
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
  @IsTzPhone()
  recipient_phone!: string;

  /** The recipient's full name. */
  @IsText()
  recipient_name!: string;

  /** The recipient's network: an upper-case token, one of the `networks` option where that is set. */
  @IsNetworkToken()
  network!: string;
}
