import { KEPT } from '../common/openapi/field-schemas.js';
import { OpenApiField } from '../common/openapi/open-api-field.js';

/** What every lookup returns. */
abstract class VerifiedAccount {
  /** The account that was asked for: a bank account, or a phone number. */
  @OpenApiField({ ...KEPT, example: '0000000000001' })
  readonly account_number!: string;

  /** The verified holder's name. */
  @OpenApiField({ ...KEPT, description: "The verified holder's name.", example: 'A. Recipient' })
  readonly account_name!: string;

  /** Fields that the specification does not know are kept. */
  readonly [field: string]: unknown;
}

/**
 * Holder of a bank account. Results have this shape and are plain objects; the class is for `@nestjs/swagger`.
 *
 * @publicApi
 */
export class BankNameLookup extends VerifiedAccount {
  /** Tells the three results apart. */
  @OpenApiField({ type: 'string', enum: ['BANK'] })
  readonly channel!: 'BANK';

  /** Code of the bank, echoed. */
  @OpenApiField({ ...KEPT, example: 'ABC' })
  readonly bank_code!: string;

  /** Full name of that bank. */
  @OpenApiField({ ...KEPT, example: 'Able Bank' })
  readonly bank_name!: string;
}

/**
 * Holder of a mobile money wallet. Results have this shape and are plain objects; the class is for `@nestjs/swagger`.
 *
 * @publicApi
 */
export class MobileMoneyNameLookup extends VerifiedAccount {
  /** Tells the three results apart. */
  @OpenApiField({ type: 'string', enum: ['MOBILE_MONEY'] })
  readonly channel!: 'MOBILE_MONEY';

  /** Mobile network of the wallet. */
  @OpenApiField({ ...KEPT, example: 'NET_ONE' })
  readonly network!: string;
}

/**
 * Holder of a partner wallet. Results have this shape and are plain objects; the class is for `@nestjs/swagger`.
 *
 * @publicApi
 */
export class PartnerWalletNameLookup extends VerifiedAccount {
  /** Tells the three results apart. */
  @OpenApiField({ type: 'string', enum: ['PARTNERPESA'] })
  readonly channel!: 'PARTNERPESA';
}

/**
 * A verified account holder, told apart by `channel` (specification, "Name lookup result").
 *
 * @publicApi
 */
export type NameLookupResult = BankNameLookup | MobileMoneyNameLookup | PartnerWalletNameLookup;
