/** Enough to see how fees are made. */
const MOST_SAMPLES = 1_000;

/**
 * What a fee usually is, by payments whose fee is known: always the same, or always the same part of the amount. For hints to
 * people only.
 */
export class UsualFee {
  private readonly samples: { readonly cents: number; readonly fee: number }[] = [];

  add(cents: number, fee: number): void {
    if (this.samples.length < MOST_SAMPLES) this.samples.push({ cents, fee });
  }

  /** Undefined if fees follow no such rule. */
  of(cents: number): number | undefined {
    const [first, ...others] = this.samples;
    if (!first) return undefined;
    if (others.every(({ fee }) => fee === first.fee)) return first.fee;
    // The share of the largest amount is the most exact one.
    const largest = this.samples.reduce((one, other) => (other.cents > one.cents ? other : one));
    const share = (amount: number): number => Math.round((amount * largest.fee) / largest.cents);
    return this.samples.every((sample) => share(sample.cents) === sample.fee) ? share(cents) : undefined;
  }
}
