import { type PaymentsAccountOptions } from 'nestjs-payments';

/** A table of merchants, and how often somebody asked it. */
export class Merchants {
  readonly rows = new Map<string, PaymentsAccountOptions>();
  readonly asked: string[] = [];
  /** Runs before each answer. */
  before: (account: string) => Promise<void> | void = () => undefined;

  /** Adds merchants whose keys are those of the emulator's merchants of the same names. */
  constructor(names: readonly string[]) {
    for (const name of names) this.rows.set(name, keysOf(name));
  }

  readonly keysOf = async (account: string): Promise<PaymentsAccountOptions | undefined> => {
    this.asked.push(account);
    const row = this.rows.get(account);
    await this.before(account);
    return row;
  };
}

/** Keys that the emulator takes for a merchant. */
export function keysOf(merchant: string): PaymentsAccountOptions {
  return { apiKey: `pk_test_${merchant}`, apiSecret: `sk_test_${merchant}` };
}
