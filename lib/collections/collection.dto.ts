import { type MoneyInput } from '../common/money.js';
import { IsMetadata } from '../common/validation/metadata-rule.js';
import { IsMoneyAmount } from '../common/validation/money-rule.js';
import { IsEmailAddress, IsReference, IsText, IsTzPhone, IsTzs } from '../common/validation/text-rules.js';

/** Fields of both collection requests (specification, "Endpoints" 1 and 2). */
abstract class CollectionDto {
  /** What the customer is asked for: greater than 0, at most two decimals. */
  @IsMoneyAmount()
  amount!: MoneyInput;

  /** @default 'TZS' */
  @IsTzs()
  currency?: 'TZS' | undefined;

  /** Your own reference, 1 to 255 bytes, unique for every payment: it is what tells payments apart. */
  @IsReference()
  reference!: string;

  /** The customer's phone: `255` and nine digits. */
  @IsTzPhone()
  phone!: string;

  /** The customer's full name. */
  @IsText()
  customer_name!: string;

  /** The customer's e-mail address. */
  @IsEmailAddress()
  customer_email!: string;

  /** Your own data, echoed in the answer and in the webhook: a plain JSON object. */
  @IsMetadata()
  metadata?: Record<string, unknown> | undefined;
}

/**
 * Asks a customer for mobile money; the gateway finds the network from the phone number
 * (specification, "Endpoints" 1).
 *
 * @publicApi
 */
export class MobileMoneyCollectionDto extends CollectionDto {}

/**
 * Asks a customer through the partner wallet's app; `phone` is the wallet's number
 * (specification, "Endpoints" 2).
 *
 * @publicApi
 */
export class PartnerWalletCollectionDto extends CollectionDto {}
