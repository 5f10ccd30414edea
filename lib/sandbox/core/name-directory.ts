const FIRST_NAMES = [
  'Amina',
  'Baraka',
  'Daudi',
  'Fatma',
  'Grace',
  'Hamisi',
  'Joseph',
  'Neema',
  'Rehema',
  'Zawadi',
];
const LAST_NAMES = [
  'Juma',
  'Kimaro',
  'Lyimo',
  'Massawe',
  'Mushi',
  'Mwakyusa',
  'Ngowi',
  'Said',
  'Shirima',
  'Temba',
];

/**
 * The holders of accounts. Every well-formed account has a holder with an invented name, always the same, so
 * that a lookup followed by a payout works without preparation. The `account_name` of a bank payout must
 * equal a registered name, but not an invented one.
 *
 * @publicApi
 */
export class NameDirectory {
  private readonly registered = new Map<string, string>();
  private readonly closed = new Set<string>();

  /** @internal @param shared The directory for accounts that this one does not know. */
  constructor(
    private readonly shared?: NameDirectory,
    private readonly changed: () => void = () => {},
  ) {}

  /**
   * Registers the holder of an account. From now on the emulator refuses a bank payout to it with another
   * `account_name` (`ACCOUNT_NAME_MISMATCH`). It ignores letter case and spacing.
   */
  register(accountNumber: string, accountName: string): void {
    this.closed.delete(accountNumber);
    this.registered.set(accountNumber, accountName);
    this.changed();
  }

  /** Closes an account: a lookup gives `ACCOUNT_NOT_FOUND`, a bank payout `INVALID_ACCOUNT`. */
  close(accountNumber: string): void {
    this.registered.delete(accountNumber);
    this.closed.add(accountNumber);
    this.changed();
  }

  /** The holder's name; undefined if the account does not exist. */
  holderOf(accountNumber: string): string | undefined {
    if (this.closed.has(accountNumber)) return undefined;
    const own = this.registered.get(accountNumber);
    return own ?? (this.shared ? this.shared.holderOf(accountNumber) : madeUpName(accountNumber));
  }

  /** @internal */
  accepts(accountNumber: string, accountName: string): boolean {
    const name = this.registered.get(accountNumber);
    if (name === undefined) return this.shared?.accepts(accountNumber, accountName) ?? true;
    return comparable(name) === comparable(accountName);
  }

  /** @internal The accounts registered and closed here. A closed account has no name. */
  entries(): readonly (readonly [account: string, name: string | null])[] {
    return [...this.registered, ...[...this.closed].map((account) => [account, null] as const)];
  }

  /** @internal Replaces what is registered and closed here. */
  replace(entries: ReturnType<NameDirectory['entries']>): void {
    this.clear();
    for (const [account, name] of entries) {
      if (name === null) this.close(account);
      else this.register(account, name);
    }
  }

  /** @internal */
  clear(): void {
    this.registered.clear();
    this.closed.clear();
    this.changed();
  }
}

function comparable(name: string): string {
  return name.trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

function madeUpName(accountNumber: string): string {
  let sum = 0;
  for (const character of accountNumber) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 100_000;
  const first = FIRST_NAMES[sum % FIRST_NAMES.length] ?? '';
  const last = LAST_NAMES[Math.floor(sum / FIRST_NAMES.length) % LAST_NAMES.length] ?? '';
  return `${first} ${last}`;
}
