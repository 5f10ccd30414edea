/** What every lookup returns. */
interface VerifiedAccount {
  readonly account_number: string;
  /** The verified holder's name. */
  readonly account_name: string;
  /** Fields that the specification does not know are kept. */
  readonly [field: string]: unknown;
}

/**
 * Holder of a bank account.
 *
 * @publicApi
 */
export interface BankNameLookup extends VerifiedAccount {
  readonly channel: 'BANK';
  readonly bank_code: string;
  readonly bank_name: string;
}

/**
 * Holder of a mobile money wallet.
 *
 * @publicApi
 */
export interface MobileMoneyNameLookup extends VerifiedAccount {
  readonly channel: 'MOBILE_MONEY';
  readonly network: string;
}

/**
 * Holder of a partner wallet.
 *
 * @publicApi
 */
export interface PartnerWalletNameLookup extends VerifiedAccount {
  readonly channel: 'PARTNERPESA';
}

/**
 * A verified account holder, told apart by `channel` (specification, "Name lookup result").
 *
 * @publicApi
 */
export type NameLookupResult = BankNameLookup | MobileMoneyNameLookup | PartnerWalletNameLookup;
