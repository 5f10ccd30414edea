import { type PaymentFamily } from '../../common/vocabulary.js';
import { Column } from './column.js';
import { NameIndex } from './name-index.js';
import { type JournalPayment } from './journal-payment.js';

const STATES: readonly JournalPayment['state'][] = ['moved', 'none', 'accepted', 'unknown'];

/** What names a payment. */
type PaymentName = Pick<JournalPayment, 'family' | 'reference'>;

/** The payments of a day in columns outside of the heap: a million of them need about 80 MB. */
export class JournalPayments {
  private readonly names = new NameIndex();
  /** Words that many payments share. */
  private readonly statuses: string[] = [];
  private readonly states = new Column(Uint8Array);
  private readonly repeatable = new Column(Uint8Array);
  private readonly turnedAway = new Column(Uint8Array);
  private readonly statusNumbers = new Column(Uint8Array);
  private readonly attempts = new Column(Uint32Array);
  /** NaN stands for undefined. */
  private readonly cents = new Column(Float64Array);
  private readonly fees = new Column(Float64Array);
  private readonly created = new Column(Float64Array);
  private readonly begun = new Column(Float64Array);
  private readonly changed = new Column(Float64Array);

  get size(): number {
    return this.names.size;
  }

  /** A payment that is there already stays. */
  add(payment: JournalPayment): void {
    if (!this.names.add(nameOf(payment.family, payment.reference))) return;
    this.states.push(STATES.indexOf(payment.state));
    this.repeatable.push(payment.isRepeatable ? 1 : 0);
    this.turnedAway.push(payment.isTurnedAway ? 1 : 0);
    this.statusNumbers.push(this.numberOf(payment.status));
    this.attempts.push(payment.attempt);
    this.cents.push(payment.cents ?? NaN);
    this.fees.push(payment.feeCents ?? NaN);
    this.created.push(payment.createdAt);
    this.begun.push(payment.begunAt);
    this.changed.push(payment.changedAt);
  }

  /** The place of a payment; undefined if it is not there. */
  find(family: PaymentFamily, reference: string): number | undefined {
    return this.names.find(nameOf(family, reference));
  }

  /** What names the payment at a place. */
  nameAt(place: number): PaymentName {
    const name = this.names.at(place);
    return {
      family: name.startsWith('c') ? 'collection' : 'disbursement',
      reference: name.slice(1),
    };
  }

  attemptAt(place: number): number {
    return this.attempts.at(place);
  }

  /**
   * @param name That of the payment, if the caller knows it.
   * @throws RangeError if there is no such place.
   */
  at(place: number, name?: PaymentName): JournalPayment {
    const state = STATES[this.states.at(place)];
    const status = this.statuses[this.statusNumbers.at(place)];
    if (place < 0 || place >= this.size || !state || status === undefined)
      throw new RangeError(`no payment ${place}`);
    const { family, reference } = name ?? this.nameAt(place);
    return {
      family,
      reference,
      state,
      status,
      cents: numberOrNone(this.cents.at(place)),
      feeCents: numberOrNone(this.fees.at(place)),
      isRepeatable: this.repeatable.at(place) === 1,
      isTurnedAway: this.turnedAway.at(place) === 1,
      attempt: this.attempts.at(place),
      createdAt: this.created.at(place),
      begunAt: this.begun.at(place),
      changedAt: this.changed.at(place),
    };
  }

  private numberOf(status: string): number {
    const known = this.statuses.indexOf(status);
    return known >= 0 ? known : this.statuses.push(status) - 1;
  }
}

function nameOf(family: PaymentFamily, reference: string): string {
  return (family === 'collection' ? 'c' : 'd') + reference;
}

function numberOrNone(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}
