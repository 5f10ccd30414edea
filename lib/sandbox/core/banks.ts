import { type ResolvedFacts } from '../../gateway-profile/resolved-facts.js';
import { type Refusal, refused } from './refusal.js';

/** A bank as the gateway lists it (specification, "Bank entry"). */
export interface SandboxBank {
  readonly id: number;
  readonly name: string;
  readonly code: string;
  /** The other spelling of the code, which transfers and lookups take too. */
  readonly long_code?: string;
}

/** Invented: the specification counts 37 institutions without naming them. */
const NAMES = [
  'Acacia Community Bank',
  'Baobab Savings Bank',
  'Coral Coast Bank',
  'Dhow Merchant Bank',
  'Ebony Trust Bank',
  'Flamingo Lake Bank',
  'Golden Maize Bank',
  'Great Plains Bank',
  'Harbour Light Bank',
  'Highland Farmers Bank',
  'Indigo Exchange Bank',
  'Island Spice Bank',
  'Jacaranda Town Bank',
  'Kanga Enterprise Bank',
  'Kilima Development Bank',
  'Lakeshore Cooperative Bank',
  'Lantern Microfinance Bank',
  'Mango Market Bank',
  'Marula Investment Bank',
  'Monsoon Trade Bank',
  'Northern Crater Bank',
  'Nutmeg Rural Bank',
  'Ocean Gate Bank',
  'Palm Grove Bank',
  'Partner Wallet Microfinance Bank',
  'Peacock Hill Bank',
  'Quiver Tree Bank',
  'Rift Teachers Bank',
  'River Delta Bank',
  'Savanna Union Bank',
  'Sisal Industrial Bank',
  'Southern Star Bank',
  'Tamarind Housing Bank',
  'Tortoise Family Bank',
  'Umbrella Thorn Bank',
  'Whistling Pine Bank',
  'Zephyr Bay Bank',
];

/** The specification shows an abbreviation of the name, and once a longer code. */
export const SANDBOX_BANKS: readonly SandboxBank[] = NAMES.map((name, index) => ({
  id: index + 1,
  name,
  code: name.replaceAll(/[^A-Z]/g, ''),
  long_code: name
    .replace(/ Bank$/, '')
    .replaceAll(' ', '_')
    .toUpperCase(),
}));

/** Both spellings of a bank's code. */
export function codesOf({ code, long_code }: SandboxBank): readonly string[] {
  return long_code === undefined ? [code] : [code, long_code];
}

/** A code that two banks have. */
export function codeOfTwo(banks: readonly SandboxBank[]): string | undefined {
  const codes = banks.flatMap(codesOf);
  return codes.find((code, index) => codes.indexOf(code) < index);
}

/** The banks of the gateway. */
export class BankRegistry {
  private banks = SANDBOX_BANKS;

  constructor(
    private readonly facts: Pick<ResolvedFacts, 'case of bank codes' | 'long bank codes'>,
    private readonly changed: () => void = () => {},
  ) {}

  all(): readonly SandboxBank[] {
    return this.banks;
  }

  /** The banks with the fields that the gateway shows (specification, "Bank entry"). */
  list(): readonly SandboxBank[] {
    return this.banks.map(({ id, name, code }) => ({ id, name, code }));
  }

  /**
   * The bank with this code in a spelling that the gateway takes, or a refusal if there is none. The specification has
   * one refusal for payouts and another for name lookups ("Errors").
   */
  findOrRefuse(code: string, refusal: 'INVALID_BANK' | 'INVALID_BANK_CODE'): SandboxBank | Refusal {
    return this.find(code) ?? this.findInAnyCase(code) ?? refused(refusal);
  }

  private find(code: string): SandboxBank | undefined {
    return this.banks.find((bank) => this.takenCodesOf(bank).includes(code));
  }

  private findInAnyCase(code: string): SandboxBank | undefined {
    if (this.facts['case of bank codes'] === 'exact') return undefined;
    const isCode = (known: string): boolean => known.toLowerCase() === code.toLowerCase();
    return this.banks.find((bank) => this.takenCodesOf(bank).some(isCode));
  }

  private takenCodesOf(bank: SandboxBank): readonly string[] {
    return this.facts['long bank codes'] === 'accepted' ? codesOf(bank) : [bank.code];
  }

  replace(banks = SANDBOX_BANKS): void {
    this.banks = banks;
    this.changed();
  }
}
