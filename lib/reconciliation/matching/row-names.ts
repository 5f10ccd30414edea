import { type PaymentFamily } from '../../common/vocabulary.js';
import { type RowMoney } from './classify-payment.js';
import { familyOf } from './finding.js';
import { type JournalPayments } from './journal-payments.js';
import { type OpenRow, type PaymentRow } from './row-money.js';

/** What a row moved, or a payment should have moved. Nothing is said of times: the zone of a wrong column is often wrong, too. */
interface Amount {
  readonly family: PaymentFamily;
  /** Undefined if the journal cannot read it. */
  readonly cents: number | undefined;
}

/** What the rows of a day say about the column of references that was read. */
export interface NameSigns {
  /** How many rows of payments have the amount of the payment that they name, which had no row before. */
  readonly agreeing: number;
  /** How many rows that are no payment name one: their amounts say nothing. */
  readonly asides: number;
  /** How many rows without a reference belong to a payment of the day, whatever column was read. */
  readonly loose: number;
  /** Rows that name a payment of another amount, or one that had its row before. */
  readonly differing: readonly Amount[];
  /** Rows of payments that name none of the journal. */
  readonly strangers: readonly Amount[];
  /** Payments of the day that may have moved money, and that no row of their amount names. */
  readonly unclaimed: Iterable<Amount>;
}

/**
 * How many rows have the amount of a payment that they do not name, if they are more than those whose name may be right: then another
 * column than that of the merchant's own references was read, or it is the statement of another account. Else 0.
 *
 * A file with the right column is not refused for what happens in one: another application has payments in the same account, all
 * webhooks were lost, the gateway wrote a wrong amount, or fees, returns and late rows are all that it has.
 */
export function misnamedRows({
  agreeing,
  asides,
  loose,
  differing,
  strangers,
  unclaimed,
}: NameSigns): number {
  if (agreeing > 0 && agreeing >= differing.length) return 0;
  const amounts = new Map<string, AmountRows>();
  for (const row of differing) rowsOf(row, amounts).differing += 1;
  for (const row of strangers) rowsOf(row, amounts).strangers += 1;
  for (const { family, cents } of unclaimed) {
    const rows = amounts.get(`${family} ${cents}`);
    if (rows) rows.payments += 1;
  }
  let misnamed = 0;
  let refuted = 0;
  for (const rows of amounts.values()) {
    misnamed += Math.min(rows.differing + rows.strangers, rows.payments);
    refuted += Math.min(rows.differing, rows.payments);
  }
  const named = agreeing + differing.length;
  // That a row which names a payment has the amount of another one is an accident, as long as it happens once.
  const credible = loose + (named > 0 ? Math.max(1, named - refuted) : asides);
  return misnamed > credible ? misnamed : 0;
}

/** The rows and the payments of an amount. */
interface AmountRows {
  differing: number;
  strangers: number;
  payments: number;
}

function rowsOf({ family, cents }: Amount, amounts: Map<string, AmountRows>): AmountRows {
  const amount = `${family} ${cents}`;
  const rows = amounts.get(amount) ?? { differing: 0, strangers: 0, payments: 0 };
  amounts.set(amount, rows);
  return rows;
}

/** The payment that a row names. */
interface NamedPayment {
  /** Its amount; undefined if the journal cannot read it, or has forgotten it. */
  readonly cents: number | undefined;
  /** The row says that money moved, and another row has said so before. */
  readonly isRepeated: boolean;
  /** If it is one of the day. */
  readonly place?: number;
}

/** Collects the signs while the rows of a day are read. */
export class RowNames {
  agreeing = 0;
  asides = 0;
  /** How many of the differing rows name a payment that the journal has forgotten. */
  forgotten = 0;
  private loose = 0;
  readonly differing: Amount[] = [];
  readonly strangers: OpenRow[] = [];
  /** Payments with a row that agrees, by their place. */
  private readonly claimed: Uint8Array;

  constructor(private readonly payments: JournalPayments) {
    this.claimed = new Uint8Array(payments.size);
  }

  /** A row of a payment that names one of the journal. */
  add(given: PaymentRow, money: RowMoney, { cents, isRepeated, place }: NamedPayment): void {
    const hasAmount = cents === money.cents;
    if (hasAmount && place !== undefined) this.claimed[place] = 1;
    if (hasAmount && !isRepeated) this.agreeing += 1;
    else this.differing.push(amountOf(given, money));
  }

  /** A row without a reference that belongs to a payment of the day. */
  addLoose(place: number): void {
    this.loose += 1;
    this.claimed[place] = 1;
  }

  /**
   * What all rows together say.
   *
   * @param since The beginning of the day.
   * @param needsReference Leave out strangers that have no reference at all.
   */
  signs(since: number, needsReference: boolean): NameSigns {
    const { agreeing, asides, loose, differing, strangers } = this;
    return {
      agreeing,
      asides,
      loose,
      differing,
      strangers: strangers
        .filter(({ given }) => !needsReference || given.reference !== undefined)
        .map(({ given, money }) => amountOf(given, money)),
      unclaimed: { [Symbol.iterator]: () => this.unclaimed(since) },
    };
  }

  private *unclaimed(since: number): Generator<Amount, void, undefined> {
    for (let place = 0; place < this.payments.size; place += 1) {
      if (this.claimed[place] === 1) continue;
      const { family, cents, state, begunAt } = this.payments.at(place);
      if (state !== 'none' && begunAt >= since) yield { family, cents };
    }
  }
}

function amountOf(given: PaymentRow, { cents }: RowMoney): Amount {
  return { family: familyOf(given), cents };
}
