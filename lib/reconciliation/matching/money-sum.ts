import { formatCents } from '../../common/money.js';
import { type CloseSum } from '../close/close-summary.js';

/** Adds amounts up. */
export class MoneySum {
  private count = 0;
  private cents = 0n;
  private fees = 0n;

  /** What is not known adds nothing. */
  add({
    cents,
    feeCents,
  }: {
    readonly cents: number | undefined;
    readonly feeCents: number | undefined;
  }): void {
    this.count += 1;
    this.cents += BigInt(cents ?? 0);
    this.fees += BigInt(feeCents ?? 0);
  }

  get sum(): CloseSum {
    return { count: this.count, amount: formatCents(this.cents), fees: formatCents(this.fees) };
  }
}
