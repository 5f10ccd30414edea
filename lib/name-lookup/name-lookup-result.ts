import { KEPT } from '../common/openapi/field-schemas.js';
import { OpenApiField } from '../common/openapi/open-api-field.js';
import { type LastResponse } from '../gateway/answer/wire-record.js';

/** The common fields of lookup results. */
abstract class VerifiedAccount {
  /** The requested account: a bank account or a phone number. */
  @OpenApiField({ ...KEPT, example: '0000000000001' })
  readonly account_number!: string;

  /** The verified holder's name. */
  @OpenApiField({ ...KEPT, description: "The verified holder's name.", example: 'A. Recipient' })
  readonly account_name!: string;

  /** How the call went, in the result of a call; JSON and copies of the result lack it. */
  readonly lastResponse?: LastResponse;
}

/**
 * Holder of a bank account. Results are plain objects with this shape. The class is for `@nestjs/swagger`.
 *
 * @publicApi
 */
export class BankNameLookup extends VerifiedAccount {
  /** Distinguishes the three results. */
  @OpenApiField({ type: 'string', enum: ['BANK'] })
  readonly channel!: 'BANK';

  /** Code of the bank, echoed. */
  @OpenApiField({ ...KEPT, example: 'ABC' })
  readonly bank_code!: string;

  /** Full name of that bank. The gateway's answer may leave it out. */
  @OpenApiField({ ...KEPT, example: 'Able Bank', required: false })
  readonly bank_name?: string;
}

/**
 * Holder of a mobile money wallet. Results are plain objects with this shape. The class is for
 * `@nestjs/swagger`.
 *
 * @publicApi
 */
export class MobileMoneyNameLookup extends VerifiedAccount {
  /** Distinguishes the three results. */
  @OpenApiField({ type: 'string', enum: ['MOBILE_MONEY'] })
  readonly channel!: 'MOBILE_MONEY';

  /** Mobile network of the wallet. The gateway's answer may leave it out. */
  @OpenApiField({ ...KEPT, example: 'NET_ONE', required: false })
  readonly network?: string;
}

/**
 * Holder of a partner wallet. Results are plain objects with this shape. The class is for `@nestjs/swagger`.
 *
 * @publicApi
 */
export class PartnerWalletNameLookup extends VerifiedAccount {
  /** Distinguishes the three results. */
  @OpenApiField({ type: 'string', enum: ['PARTNERPESA'] })
  readonly channel!: 'PARTNERPESA';
}

/**
 * A verified account holder, distinguished by `channel` (specification, "Name lookup result").
 *
 * Fields that the specification does not know are kept: `(holder as { extra?: unknown }).extra` reads one.
 *
 * @publicApi
 */
export type NameLookupResult = BankNameLookup | MobileMoneyNameLookup | PartnerWalletNameLookup;
