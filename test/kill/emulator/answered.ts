/** What answers have told a client; a restart must not lose any of it. */
export class Answered {
  /** References with their idempotency keys. */
  readonly payments = new Map<string, string>();
  readonly payouts = new Map<string, string>();
  readonly approved = new Set<string>();
  readonly paid = new Set<string>();
  readonly endpoints = new Set<string>();
  now = 0;
  secret: string | undefined;

  get count(): number {
    const { payments, payouts, approved, paid, endpoints } = this;
    return payments.size + payouts.size + approved.size + paid.size + endpoints.size;
  }
}

/** A record of the emulator's control API. */
export interface MoneyRecord {
  readonly reference: string;
  readonly status: string;
  readonly amount: string;
  readonly fee: number | string;
}

/** The emulator's state as the control API shows it. */
export interface Shown {
  readonly payments: readonly MoneyRecord[];
  readonly payouts: readonly MoneyRecord[];
  readonly endpoints: readonly { readonly id: string }[];
  readonly deliveries: readonly { readonly reference: string }[];
  readonly balance: {
    readonly balance: number;
    readonly available_balance: number;
    readonly locked_balance: number;
  };
  readonly now: string;
  readonly secret: string;
}

const START = 1_000_000;

/** What a restarted emulator lost or made up. */
export function problemsOf(answered: Answered, shown: Shown): readonly string[] {
  const payments = new Map(shown.payments.map((payment) => [payment.reference, payment]));
  const payouts = new Map(shown.payouts.map((payout) => [payout.reference, payout]));
  const endpoints = new Set(shown.endpoints.map(({ id }) => id));
  const delivered = new Set(shown.deliveries.map(({ reference }) => reference));
  const missing = (what: string, wanted: Iterable<string>, has: (name: string) => boolean): string[] =>
    [...wanted].filter((name) => !has(name)).map((name) => `${what} ${name} is lost`);
  return [
    ...missing('payment', answered.payments.keys(), (name) => payments.has(name)),
    ...missing('payout', answered.payouts.keys(), (name) => payouts.has(name)),
    ...missing('approval of', answered.approved, (name) => payments.get(name)?.status === 'success'),
    ...missing('webhook of', answered.approved, (name) => delivered.has(name)),
    ...missing('end of', answered.paid, (name) => payouts.get(name)?.status === 'paid'),
    ...missing('endpoint', answered.endpoints, (id) => endpoints.has(id)),
    ...(Date.parse(shown.now) < answered.now ? [`the clock went back to ${shown.now}`] : []),
    ...(shown.secret === answered.secret ? [] : ['the webhook secret changed']),
    ...balanceProblems(shown),
  ];
}

/** The wallet has to be what its payments and payouts make of it. */
function balanceProblems({ payments, payouts, balance }: Shown): readonly string[] {
  const total = (records: readonly MoneyRecord[], status: string, sign: 1 | -1): number =>
    records
      .filter((record) => record.status === status)
      .reduce((sum, { amount, fee }) => sum + Number(amount) + sign * Number(fee), 0);
  const locked = total(payouts, 'processing', 1);
  const expected = START + total(payments, 'success', -1) - total(payouts, 'paid', 1);
  const same = (one: number, other: number): boolean => Math.abs(one - other) < 0.005;
  const { balance: all, available_balance: available, locked_balance } = balance;
  return [
    ...(same(all, expected) ? [] : [`the balance is ${all} instead of ${expected}`]),
    ...(same(locked_balance, locked) ? [] : [`${locked_balance} is locked instead of ${locked}`]),
    ...(same(all, available + locked_balance) ? [] : ['the balance is not available and locked money']),
  ];
}
