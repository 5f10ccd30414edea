import { formatCents, parseCents } from '../../common/money.js';
import { type BalanceEquation, type BalanceReading } from '../close/close-summary.js';
import { CentsSum } from './cents-sum.js';
import { changeOf, type Movement, movesBetween, type ReadingTime, timeOf } from './movement.js';

/**
 * Adds up what should have changed the balance between two readings: what certainly moved in sums, everything else as an
 * interval.
 */
export class BalanceSums {
  private readonly opened: ReadingTime;
  private readonly closed: ReadingTime;
  private readonly changed: bigint;
  private readonly in = new CentsSum();
  private readonly out = new CentsSum();
  private readonly fees = new CentsSum();
  private readonly other = new CentsSum();
  private readonly least = new CentsSum();
  private readonly most = new CentsSum();

  /**
   * @throws RangeError if the closing reading was asked for before the opening one was answered, or a balance is no two-decimal
   * string.
   */
  constructor(
    private readonly opening: BalanceReading,
    private readonly closing: BalanceReading,
  ) {
    this.opened = timeOf(opening);
    this.closed = timeOf(closing);
    if (!(this.opened.answeredAt <= this.closed.askedAt)) {
      throw new RangeError('The opening balance must be read before the closing balance is asked for.');
    }
    this.changed = centsOf(closing.balance) - centsOf(opening.balance);
  }

  /**
   * Adds a payment.
   *
   * @param amount What the customer pays or the recipient gets, in cents: without the fee, which is what the movement differs by.
   * @throws RangeError if the movement ends before it begins, or an amount is no safe integer.
   */
  add(movement: Movement, amount: number): void {
    const change = changeOf(movement, this.opened, this.closed);
    if (!movesBetween(movement, this.opened, this.closed)) {
      this.addUncertain(change.least, change.most);
      return;
    }
    const isIn = movement.direction === 'in';
    (isIn ? this.in : this.out).add(amount);
    const gross = isIn ? amount : -amount;
    if (movement.least === movement.most) this.fees.add(gross - change.least);
    else this.addUncertain(change.least - gross, change.most - gross);
  }

  /**
   * Adds money that is no payment, as a statement names it.
   *
   * @param cents Negative if it left the wallet.
   * @param time When it moved, in milliseconds since 1970 by the clock of the readings: not before `from`, and not after `to`.
   * @param state `open` if it may not have moved at all.
   * @returns Whether it makes the interval wider.
   * @throws RangeError if `to` is before `from`, or the amount is no safe integer.
   */
  addOther(
    cents: number,
    time: { readonly from: number; readonly to: number },
    state: 'moved' | 'open' = 'moved',
  ): boolean {
    const size = Math.abs(cents);
    const direction = cents < 0 ? 'out' : 'in';
    const movement: Movement = { ...time, direction, state, least: size, most: size };
    const { least, most } = changeOf(movement, this.opened, this.closed);
    if (least === most) this.other.add(least);
    else this.addUncertain(least, most);
    return least !== most;
  }

  /** The equation of what was added so far. */
  equation(): BalanceEquation {
    const certain = this.in.total() - this.out.total() - this.fees.total() + this.other.total();
    const rest = this.changed - certain;
    const underWay = clamp(rest, this.least.total(), this.most.total());
    return {
      opening: this.opening,
      closing: this.closing,
      in: formatCents(this.in.total()),
      out: formatCents(this.out.total()),
      fees: formatCents(this.fees.total()),
      other: formatCents(this.other.total()),
      least: formatCents(this.least.total()),
      most: formatCents(this.most.total()),
      underWay: formatCents(underWay),
      difference: formatCents(rest - underWay),
    };
  }

  private addUncertain(least: number, most: number): void {
    this.least.add(least);
    this.most.add(most);
  }
}

function clamp(value: bigint, least: bigint, most: bigint): bigint {
  if (value < least) return least;
  return value > most ? most : value;
}

/** @throws RangeError if a balance cannot be read: it must not count as nothing. */
export function centsOf(balance: string): bigint {
  const cents = parseCents(balance);
  if (cents === undefined) throw new RangeError('A balance must be a two-decimal string such as "1180.50".');
  return cents;
}
