import { type Refusal, refused } from './refusal.js';

/** A bank as the gateway lists it (specification, "Bank entry"). */
export interface SandboxBank {
  readonly id: number;
  readonly name: string;
  readonly code: string;
}

/** Invented: the specification lists 37 institutions without naming them. */
export const SANDBOX_BANKS: readonly SandboxBank[] = [
  { id: 1, name: 'Acacia Community Bank', code: 'ACB' },
  { id: 2, name: 'Baobab Savings Bank', code: 'BSB' },
  { id: 3, name: 'Coral Coast Bank', code: 'CCB' },
  { id: 4, name: 'Dhow Merchant Bank', code: 'DMB' },
  { id: 5, name: 'Flamingo Lake Bank', code: 'FLB' },
  { id: 6, name: 'Mango Market Bank', code: 'MMB' },
  { id: 7, name: 'Partner Wallet Microfinance Bank', code: 'PWMB' },
  { id: 8, name: 'Savanna Union Bank', code: 'SUB' },
];

/** The banks that the gateway lists. */
export class BankRegistry {
  private banks = SANDBOX_BANKS;

  list(): readonly SandboxBank[] {
    return this.banks;
  }

  /**
   * The bank with this code, or a refusal if there is none. The specification has one code for payouts and another
   * for name lookups ("Errors").
   */
  findOrRefuse(code: string, refusal: 'INVALID_BANK' | 'INVALID_BANK_CODE'): SandboxBank | Refusal {
    return this.banks.find((bank) => bank.code === code) ?? refused(refusal);
  }

  replace(banks = SANDBOX_BANKS): void {
    this.banks = banks;
  }
}
