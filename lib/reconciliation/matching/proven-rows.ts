import { type PaymentOutcome } from '../../common/vocabulary.js';
import { Column } from './column.js';
import { type RowMoney } from './classify-payment.js';
import { type JournalPayments } from './journal-payments.js';
import { attemptIfLater, type ProvenRow } from './proven-row.js';

const OUTCOMES: readonly PaymentOutcome[] = ['success', 'paid', 'failed', 'cancelled', 'expired'];

/** What the rows of a statement prove. Those of payments of the day are in columns: there may be a million. */
export class ProvenRows {
  private readonly places = new Column(Uint32Array);
  private readonly outcomes = new Column(Uint8Array);
  /** A statement of the application's own numbers its rows as it likes. */
  private readonly rows = new Column(Float64Array);
  private readonly times = new Column(Float64Array);
  private readonly others: ProvenRow[] = [];

  constructor(private readonly payments: JournalPayments) {}

  /** @param place That of the payment in the day. */
  add(place: number, outcome: PaymentOutcome, { row, at }: RowMoney): void {
    this.places.push(place);
    this.outcomes.push(OUTCOMES.indexOf(outcome));
    this.rows.push(row);
    this.times.push(at);
  }

  /** The same for a payment of another day. */
  addOther(proven: ProvenRow): void {
    this.others.push(proven);
  }

  *[Symbol.iterator](): Generator<ProvenRow, void, undefined> {
    for (let index = 0; index < this.places.length; index += 1) {
      const outcome = OUTCOMES[this.outcomes.at(index)];
      const [row, at] = [this.rows.at(index), this.times.at(index)];
      const place = this.places.at(index);
      const { family, reference } = this.payments.nameAt(place);
      const attempt = attemptIfLater(this.payments.attemptAt(place));
      if (outcome) yield { family, reference, outcome, row, at, attempt };
    }
    yield* this.others;
  }
}
