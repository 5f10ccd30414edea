import { type PaymentOutcome } from '../../common/vocabulary.js';
import { failedSend } from '../../journal/payment/repeated-call.js';
import { type Statement, type StatementRow } from '../statement/statement-row.js';
import { wrongStatement } from '../statement/wrong-statement.js';
import { MoneySum } from './money-sum.js';
import { OtherRows } from './other-rows.js';
import { takesProof } from '../exceptions/close-exception.js';
import { familyOf, type Finding } from './finding.js';
import { isBeforeLastAttempt, type DayLimits, classifyMatched, type RowMoney } from './classify-payment.js';
import { type JournalPayment } from './journal-payment.js';
import { type JournalPayments } from './journal-payments.js';
import { attemptIfLater, type ProvenRow } from './proven-row.js';
import { ProvenRows } from './proven-rows.js';
import { RowNames } from './row-names.js';
import { type MatchListener } from './match-listener.js';
import { StatementDigest } from './statement-digest.js';
import { familyTakenBack, type OpenReturn, TakenBack } from './taken-back.js';
import { isPaymentRow, type OpenRow, otherMoney, type PaymentRow, rowMoney } from './row-money.js';

/** A payment, and a row that says the contrary of another one about it. */
interface Contradiction {
  readonly own: JournalPayment;
  readonly row: RowMoney;
}

/** Which rows count. */
interface StatementDay {
  readonly day: string;
  readonly from: number;
  readonly to: number;
  readonly most: number;
}

/** Brings the rows of a statement and the payments of a day together. Holds nothing of a row that fits. */
export class StatementMatch {
  readonly findings: Finding[] = [];
  readonly open: OpenRow[] = [];
  readonly openReturns: OpenReturn[] = [];
  readonly collections = new MoneySum();
  readonly payouts = new MoneySum();
  readonly others: OtherRows;
  rows = 0;
  otherDays = 0;
  matched = 0;
  /** They tell whether the right column of references was read. */
  readonly names: RowNames;
  private hasEarlier = false;
  private hasLater = false;
  readonly digest = new StatementDigest();
  /** When the row of a payment says that it moved; NaN: it has no row. */
  private readonly movedAt: Float64Array;
  /** Rows that say that a payment failed. They wait for the end of the statement, because another attempt may have moved. */
  private readonly failed: (readonly [place: number, row: RowMoney])[] = [];
  /** Rows of another amount. They wait, too, because a later row may agree. */
  private readonly differing: (readonly [place: number, row: RowMoney])[] = [];
  private readonly proven: ProvenRows;
  private readonly takenBack: TakenBack;
  private readonly failedPlaces = new Set<number>();
  /** Of which an earlier statement says that they failed. */
  private readonly failedBefore = new Set<number>();
  /** Payments of which a failure may be that of an earlier send. */
  private readonly unsure = new Set<string>();
  /** The first row of each payment that contradicts another row. */
  private readonly contradictions = new Map<string, Contradiction>();

  constructor(
    private readonly payments: JournalPayments,
    /** Rows that were in an earlier statement, by the place of their payment. */
    earlier: Iterable<readonly [number, RowMoney]>,
    private readonly dayLimits: DayLimits,
    private readonly day: StatementDay,
    private readonly listener: MatchListener,
  ) {
    this.proven = new ProvenRows(payments);
    this.takenBack = new TakenBack(payments);
    this.others = new OtherRows(payments, listener, day.most);
    this.names = new RowNames(payments);
    this.movedAt = new Float64Array(payments.size).fill(NaN);
    for (const [place, { at, isFailed }] of earlier) {
      this.movedAt[place] = at;
      if (isFailed) this.failedBefore.add(place);
    }
  }

  hasRow(place: number): boolean {
    return !Number.isNaN(this.movedAt[place]);
  }

  /** What the statement proves, and nothing in it contradicts. */
  *proofs(): Generator<ProvenRow, void, undefined> {
    for (const one of this.proven) if (this.stands(one)) yield one;
  }

  /** Whether nothing in the statement contradicts what a row proves, which may be one of an earlier statement. */
  stands(proof: ProvenRow): boolean {
    return this.contradictions.size === 0 || !this.contradictions.has(nameOf(proof));
  }

  /** Payments of which two rows say the contrary, with one of them. */
  get contradicted(): Iterable<Contradiction> {
    return this.contradictions.values();
  }

  /** @throws PaymentsValidationError that says which row is wrong. */
  async read(statement: Statement, everyRow: () => Promise<void> | undefined): Promise<void> {
    for await (const row of statement.rows()) {
      this.take(row);
      const wait = everyRow();
      if (wait) await wait;
    }
    for (const [place, row] of this.differing) this.takeFirst(place, this.payments.at(place), row);
    for (const [place, row] of this.failed) this.matchFailed(place, row);
    // A statement of a week has rows before and after a day without payments.
    if (this.rows === 0 || this.otherDays < this.rows || (this.hasEarlier && this.hasLater)) return;
    throw wrongStatement(
      `no row is of ${this.day.day}: check the day, and the time zone of the statement, or close the day without a statement`,
    );
  }

  /** A row and a payment of the day. */
  matchPlace(place: number, row: RowMoney, isLoose = false): void {
    this.joinPlace(place, this.payments.at(place), row, isLoose);
  }

  /** The same for a payment of another day. */
  match(own: JournalPayment, row: RowMoney): void {
    const proves = this.join(own, row);
    const { family, reference } = own;
    const attempt = attemptIfLater(own.attempt);
    if (proves)
      this.proven.addOther({ family, reference, outcome: proves, row: row.row, at: row.at, attempt });
  }

  private joinPlace(place: number, own: JournalPayment, row: RowMoney, isLoose = false): void {
    this.movedAt[place] = row.at;
    if (isLoose) this.names.addLoose(place);
    const proves = this.join(own, row, isLoose);
    if (proves) this.proven.add(place, proves, row);
  }

  /** Returns what the row proves. */
  private join(own: JournalPayment, row: RowMoney, isLoose = false): PaymentOutcome | undefined {
    this.matched += 1;
    const { kinds, proves } = classifyMatched(own, row, this.dayLimits, isLoose);
    const { family, reference } = own;
    for (const kind of kinds)
      this.addFinding({ kind, family, reference, own, row, ...(isLoose && { isLoose }) });
    this.listener.matched(own, row, proves !== undefined && kinds.some(takesProof));
    return proves;
  }

  /** A row of a payment that nobody here knows, or that came before. */
  doubt(finding: Finding & { readonly row: RowMoney }): void {
    this.addFinding(finding);
    if (!finding.row.isFailed) this.listener.doubtful(finding.row);
  }

  /**
   * A row that says that a payment failed.
   *
   * @param movedAt When another row says that it moved; undefined: none does.
   * @returns Whether the row is that of the last attempt, and no other row contradicts it.
   */
  isOfLastAttempt(own: JournalPayment, row: RowMoney, movedAt: number | undefined): boolean {
    if (movedAt === undefined) return this.isOfLastSend(own, row);
    if (row.at < movedAt) return false;
    if (this.contradict(own, row)) this.listener.takenBack(row);
    return false;
  }

  /** Whether a failure is certainly that of the last send. One that may be is reported, and proves nothing. */
  private isOfLastSend(own: JournalPayment, row: RowMoney): boolean {
    const send = failedSend(own, row.at);
    if (send !== 'unsure' || own.state === 'none') return send !== 'earlier';
    const { family, reference } = own;
    if (!this.unsure.has(nameOf(own)))
      this.addFinding({ kind: 'status', family, reference, own, row, contradicts: 'send' });
    this.unsure.add(nameOf(own));
    return false;
  }

  /** Takes a row of an earlier attempt, which the journal calls ended without money. False if it is of the last one. */
  takeEarlierAttempt(own: JournalPayment, row: RowMoney): boolean {
    if (!isBeforeLastAttempt(own, row)) return false;
    const { family, reference } = own;
    this.doubt({ kind: 'status', family, reference, own, row, contradicts: 'attempts' });
    return true;
  }

  /** Reports a row that says the contrary of an earlier one. False if a row of the payment was reported before. */
  private contradict(own: JournalPayment, row: RowMoney): boolean {
    const name = nameOf(own);
    if (this.contradictions.has(name)) return false;
    const { family, reference } = own;
    this.addFinding({ kind: 'status', family, reference, own, row, contradicts: 'row' });
    this.contradictions.set(name, { own, row });
    return true;
  }

  /** Takes a row that moves the money of a payment in the other direction. False if it does not, or more came back than had moved. */
  takeBack(own: JournalPayment, row: RowMoney): boolean {
    const taken = this.takenBack.take(own, row);
    if (!taken || (!this.contradict(own, row) && taken === 'too much')) return false;
    if (row.kind !== 'other') this.listener.doubtful(row);
    return true;
  }

  private matchFailed(place: number, row: RowMoney): void {
    if (this.failedPlaces.has(place) || this.failedBefore.has(place)) return;
    const movedAt = this.hasRow(place) ? this.movedAt[place] : undefined;
    if (this.isOfLastAttempt(this.payments.at(place), row, movedAt)) {
      this.failedPlaces.add(place);
      this.matchPlace(place, row);
    }
  }

  private take(given: StatementRow): void {
    const money = rowMoney(given);
    this.rows += 1;
    this.digest.add(given, money);
    const isOfDay = money.at >= this.day.from && money.at < this.day.to;
    if (!isOfDay) this.skip(money);
    if (!isPaymentRow(given)) this.takeOther(given, money, isOfDay);
    else if (isOfDay) this.takePayment(given, money);
  }

  private skip({ at }: RowMoney): void {
    this.otherDays += 1;
    if (at < this.day.from) this.hasEarlier = true;
    else this.hasLater = true;
  }

  /** The balance may have been read long after the end of the day, and nothing but the statement knows what moved meanwhile. */
  private takeOther(given: StatementRow, money: RowMoney, isOfDay: boolean): void {
    if (money.isFailed) return;
    if (isOfDay) {
      if (this.others.take(given, money)) this.names.asides += 1;
      this.lookForReturn(given, money);
    } else this.listener.other(otherMoney(given, money));
  }

  private lookForReturn({ reference }: StatementRow, money: RowMoney): void {
    const family = familyTakenBack(money);
    if (reference === undefined || family === undefined) return;
    const place = this.payments.find(family, reference);
    if (place !== undefined) this.takeBack(this.payments.at(place, { family, reference }), money);
    else {
      this.openReturns.push({ family, reference, money });
      this.checkMost(this.openReturns.length);
    }
  }

  private takePayment(given: PaymentRow, money: RowMoney): void {
    const family = familyOf(given);
    if (!money.isFailed) (family === 'collection' ? this.collections : this.payouts).add(money);
    const { reference } = given;
    const place = reference === undefined ? undefined : this.payments.find(family, reference);
    if (reference === undefined || place === undefined) {
      this.open.push({ given, money });
      this.checkMost(this.open.length);
      return;
    }
    const own = this.payments.at(place, { family, reference });
    const isRepeated = !money.isFailed && this.hasRow(place);
    this.names.add(given, money, { cents: own.cents, isRepeated, place });
    if (money.isFailed) this.failed.push([place, money]);
    else this.takeMoved(place, own, money);
  }

  private takeMoved(place: number, own: JournalPayment, row: RowMoney): void {
    if (this.takeEarlierAttempt(own, row)) return;
    if (this.failedBefore.has(place)) {
      this.contradict(own, row);
      this.listener.doubtful(row);
    } else if (own.cents === row.cents) this.takeFirst(place, own, row);
    else this.checkMost(this.differing.push([place, row]));
  }

  private takeFirst(place: number, own: JournalPayment, row: RowMoney): void {
    const { family, reference } = own;
    if (this.hasRow(place)) this.doubt({ kind: 'duplicate', family, reference, own, row });
    else this.joinPlace(place, own, row);
  }

  addFinding(finding: Finding): void {
    this.findings.push(finding);
    this.checkMost(this.findings.length);
  }

  private checkMost(found: number): void {
    if (found <= this.day.most) return;
    throw wrongStatement(
      `more than ${this.day.most} rows differ from the journal: is it the statement of this account, and is its column of references that of your own? If so, raise policy.mostExceptions`,
    );
  }
}

function nameOf({ family, reference }: Pick<JournalPayment, 'family' | 'reference'>): string {
  return `${family} ${reference}`;
}
