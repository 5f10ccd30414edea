import { type MoneyInput } from '../common/money.js';
import {
  AMOUNT,
  CURRENCY,
  EMAIL,
  METADATA,
  PHONE,
  REFERENCE,
  TEXT,
} from '../common/openapi/field-schemas.js';
import { OpenApiField } from '../common/openapi/open-api-field.js';
import {
  IsMetadata,
  IsMoneyAmount,
  IsEmailAddress,
  IsReference,
  IsText,
  IsTzPhone,
  IsTzs,
} from '../gateway/validation/field-rules.js';

/** Fields of both collection requests (specification, "Endpoints" 1 and 2). */
abstract class CollectionDto {
  /** What the customer is asked for: greater than 0, at most two decimals. */
  @OpenApiField({
    ...AMOUNT,
    description: 'What the customer is asked for: greater than 0, at most two decimals.',
    example: '1180.50',
  })
  @IsMoneyAmount()
  amount!: MoneyInput;

  /** The only currency of the gateway. @default 'TZS' */
  @OpenApiField(CURRENCY)
  @IsTzs()
  currency?: 'TZS' | undefined;

  /**
   * Your own reference, unique for every payment: it is what tells payments apart. 1 to 255 bytes, without
   * white space at its ends or control characters.
   */
  @OpenApiField({
    ...REFERENCE,
    description: 'Your own reference, 1 to 255 bytes, unique for every payment.',
    example: 'order-1042',
  })
  @IsReference()
  reference!: string;

  /** The customer's phone: `255` and nine digits. */
  @OpenApiField({ ...PHONE, description: "The customer's phone: 255 and nine digits." })
  @IsTzPhone()
  phone!: string;

  /** The customer's full name. */
  @OpenApiField({ ...TEXT, description: "The customer's full name.", example: 'A. Customer' })
  @IsText()
  customer_name!: string;

  /** The customer's e-mail address. */
  @OpenApiField({ ...EMAIL, description: "The customer's e-mail address." })
  @IsEmailAddress()
  customer_email!: string;

  /** Your own data, echoed in the answer and in the webhook: a plain JSON object. */
  @OpenApiField({
    ...METADATA,
    description: 'Your own data, echoed in the answer and in the webhook.',
    example: { basket: 17 },
    required: false,
  })
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
