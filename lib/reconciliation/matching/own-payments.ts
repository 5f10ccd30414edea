import { type PaymentFamily } from '../../common/vocabulary.js';
import { type OwnPayment } from './own-payment.js';

const FAMILIES: readonly PaymentFamily[] = ['collection', 'disbursement'];
const STATES: readonly OwnPayment['state'][] = ['moved', 'none', 'accepted', 'unknown'];
const FIRST_SIZE = 1_024;

/**
 * The payments of a day in columns: a million of them need about 150 MB, a third of what a million objects need.
 */
export class OwnPayments {
  private readonly references: string[] = [];
  private readonly places: Readonly<Record<PaymentFamily, Map<string, number>>> = {
    collection: new Map(),
    disbursement: new Map(),
  };
  /** Words that many payments share. */
  private readonly statuses: string[] = [];
  private kinds = new Uint8Array(FIRST_SIZE);
  private states = new Uint8Array(FIRST_SIZE);
  private repeatable = new Uint8Array(FIRST_SIZE);
  private statusNumbers = new Uint8Array(FIRST_SIZE);
  /** NaN stands for undefined. */
  private cents = new Float64Array(FIRST_SIZE);
  private fees = new Float64Array(FIRST_SIZE);
  private created = new Float64Array(FIRST_SIZE);
  private attempts = new Uint16Array(FIRST_SIZE);
  private begun = new Float64Array(FIRST_SIZE);
  private changed = new Float64Array(FIRST_SIZE);

  get size(): number {
    return this.references.length;
  }

  /** A payment that is there already stays. */
  add(payment: OwnPayment): void {
    const places = this.places[payment.family];
    if (places.has(payment.reference)) return;
    const at = this.references.length;
    if (at === this.kinds.length) this.grow();
    places.set(payment.reference, at);
    this.references.push(payment.reference);
    this.kinds[at] = FAMILIES.indexOf(payment.family);
    this.states[at] = STATES.indexOf(payment.state);
    this.statusNumbers[at] = this.numberOf(payment.status);
    this.cents[at] = payment.cents ?? NaN;
    this.fees[at] = payment.feeCents ?? NaN;
    this.repeatable[at] = payment.isRepeatable ? 1 : 0;
    this.created[at] = payment.createdAt;
    this.attempts[at] = payment.attempt;
    this.begun[at] = payment.begunAt;
    this.changed[at] = payment.changedAt;
  }

  /** The place of a payment; undefined if it is not there. */
  find(family: PaymentFamily, reference: string): number | undefined {
    return this.places[family].get(reference);
  }

  /** @throws RangeError if there is no such place. */
  at(place: number): OwnPayment {
    const [reference, family, state, status] = [
      this.references[place],
      FAMILIES[this.kinds[place] ?? 0],
      STATES[this.states[place] ?? 0],
      this.statuses[this.statusNumbers[place] ?? 0],
    ];
    if (reference === undefined || !family || !state || status === undefined)
      throw new RangeError(`no payment ${place}`);
    return {
      family,
      reference,
      state,
      status,
      cents: numberOrNone(this.cents[place]),
      feeCents: numberOrNone(this.fees[place]),
      isRepeatable: this.repeatable[place] === 1,
      createdAt: this.created[place] ?? 0,
      attempt: this.attempts[place] ?? 1,
      begunAt: this.begun[place] ?? 0,
      changedAt: this.changed[place] ?? 0,
    };
  }

  private numberOf(status: string): number {
    const known = this.statuses.indexOf(status);
    return known >= 0 ? known : this.statuses.push(status) - 1;
  }

  private grow(): void {
    this.kinds = doubled(this.kinds, Uint8Array);
    this.states = doubled(this.states, Uint8Array);
    this.statusNumbers = doubled(this.statusNumbers, Uint8Array);
    this.cents = doubled(this.cents, Float64Array);
    this.fees = doubled(this.fees, Float64Array);
    this.repeatable = doubled(this.repeatable, Uint8Array);
    this.attempts = doubled(this.attempts, Uint16Array);
    this.begun = doubled(this.begun, Float64Array);
    this.created = doubled(this.created, Float64Array);
    this.begun = doubled(this.begun, Float64Array);
    this.changed = doubled(this.changed, Float64Array);
  }
}

function numberOrNone(value: number | undefined): number | undefined {
  return value === undefined || Number.isNaN(value) ? undefined : value;
}

interface Column<T> {
  readonly length: number;
  set(values: T): void;
}

function doubled<T extends Column<T>>(column: T, Type: new (length: number) => T): T {
  const larger = new Type(column.length * 2);
  larger.set(column);
  return larger;
}
