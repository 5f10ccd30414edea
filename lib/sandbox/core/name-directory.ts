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
 * Who holds which account. Every well-formed account has a holder with a made-up name, always the same one, so that a
 * lookup followed by a payout works without preparation. A name that was registered is also held against the
 * `account_name` of a bank payout; a made-up one is not.
 *
 * @publicApi
 */
export class NameDirectory {
  private readonly registered = new Map<string, string>();
  private readonly closed = new Set<string>();

  /** @internal @param shared What holds unless this directory knows better. */
  constructor(private readonly shared?: NameDirectory) {}

  /**
   * Gives an account a holder. From now on a bank payout to it with another `account_name` is refused with
   * `ACCOUNT_NAME_MISMATCH`; letter case and spacing do not count.
   */
  register(accountNumber: string, accountName: string): void {
    this.closed.delete(accountNumber);
    this.registered.set(accountNumber, accountName);
  }

  /** Lets an account not exist: `ACCOUNT_NOT_FOUND` on lookup, `INVALID_ACCOUNT` on a bank payout. */
  close(accountNumber: string): void {
    this.registered.delete(accountNumber);
    this.closed.add(accountNumber);
  }

  /** The holder's name; undefined where the account does not exist. */
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

  /** @internal What was registered and closed here: a closed account has no name. */
  entries(): readonly (readonly [account: string, name: string | null])[] {
    return [...this.registered, ...[...this.closed].map((account) => [account, null] as const)];
  }

  /** @internal */
  clear(): void {
    this.registered.clear();
    this.closed.clear();
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
