import { BalanceSums, centsOf } from '../balance/balance-equation.js';
import { explainGap, type GapCandidate } from '../balance/explain-gap.js';
import { changeOf, type Movement, type ReadingTime, timeOf } from '../balance/movement.js';
import { type Explained, hintOf } from '../exceptions/reason.js';
import { type Finding } from '../matching/finding.js';
import {
  type DayLimits,
  classifyUnmatched,
  latestTimeOf,
  mayBeginAgain,
  type RowMoney,
} from '../matching/classify-payment.js';
import { type MatchListener } from '../matching/match-listener.js';
import { type StatementMatch } from '../matching/match-statement.js';
import { MoneySum } from '../matching/money-sum.js';
import {
  type MovementLimits,
  movementOf,
  movementOfReturn,
  movementOfRow,
  movementWithRow,
} from '../matching/movement-of.js';
import { hasOutcome, isOpen, type JournalPayment } from '../matching/journal-payment.js';
import { type OtherMoney } from '../matching/row-money.js';
import { attemptIfLater, type ProvenRow } from '../matching/proven-row.js';
import { type StatementDays } from '../matching/statement-days.js';
import { UsualFee } from '../matching/usual-fee.js';
import { wrongStatement } from '../statement/wrong-statement.js';
import { type CarriedPayment } from './carried.js';
import { type BalanceEquation, type BalanceReading } from './close-summary.js';
import { type MatchedDay } from './match-day.js';
import { type JournalDay } from './journal-day.js';

/** How long a payment is carried for nothing but to tell its first row from the next one. */
const IN_SIGHT_MS = 31 * 86_400_000;

/** What a tally needs to know of its day. */
interface DayToTally {
  readonly journalDay: JournalDay;
  readonly dayLimits: DayLimits;
  /** With this one, if it has a statement. */
  readonly statementDays: StatementDays;
  readonly limits: MovementLimits;
  /** How many payments a statement may not show. */
  readonly mostExceptions: number;
  /** The beginning of the day. */
  readonly from: number;
  /** Undefined at the first close. */
  readonly opening: BalanceReading | undefined;
  readonly closing: BalanceReading;
}

/** A payment of which nobody knows by how much it changed the balance. */
interface Uncertain {
  readonly own: JournalPayment;
  readonly movement: Movement;
}

/** One way in which a payment may explain a gap. */
interface Candidate extends GapCandidate {
  readonly reference: string;
  /** The money came back. */
  readonly isBack: boolean;
}

/** Classifies every payment of a day, and adds up what it means for the balance. */
export class DayTally implements MatchListener {
  readonly findings: Finding[] = [];
  readonly carried: CarriedPayment[] = [];
  /** What earlier statements prove, and nobody has applied. */
  readonly proposedAgain: ProvenRow[] = [];
  readonly collections = new MoneySum();
  readonly payouts = new MoneySum();
  readonly open = new MoneySum();
  expected = 0;
  private readonly sums: BalanceSums | undefined;
  private readonly uncertain: Uncertain[] = [];
  private readonly fees = { collection: new UsualFee(), disbursement: new UsualFee() };
  private isReadable = true;
  /** A row that no payment explains may have changed the balance, too. */
  private hasDoubtfulRow = false;

  constructor(private readonly day: DayToTally) {
    const { opening, closing } = day;
    // Without a reading in between, two days close with the same balance. After a step back of the clock nobody knows which is later.
    const isLater =
      opening &&
      opening.askedAt.getTime() !== closing.askedAt.getTime() &&
      opening.answeredAt <= closing.askedAt;
    this.sums = isLater ? new BalanceSums(opening, closing) : undefined;
  }

  matched(own: JournalPayment, row: RowMoney, isOfException: boolean): void {
    this.count(own);
    const movement = movementWithRow(own, row, this.day.limits);
    this.move(own, movement, row.cents);
    // Its time is not certain, so the next close may be the one that sees it. Payments of later days are handed on anyway.
    const mayMoveLater = movement?.state === 'moved' && movement.to >= this.day.closing.askedAt.getTime();
    if (own.createdAt >= this.day.dayLimits.cutOff) return;
    const isRefused = own.status === 'rejected';
    // Until somebody applies what the row proves, a later one may contradict it.
    const mayBeContradicted = isOfException && isOpen(own);
    if (mayMoveLater || mayBeContradicted || this.mayComeAgain(own, row)) this.carry(own, row);
    else if (mayBeginAgain(own, this.day.dayLimits))
      this.carry(own, isOfException && isRefused ? row : undefined);
  }

  /** Whether nothing but this row tells that the next one is not the first. */
  private mayComeAgain({ state, begunAt }: JournalPayment, row: RowMoney): boolean {
    const { dayLimits, statementDays } = this.day;
    if (state === 'none' || row.isFailed || statementDays.has(begunAt)) return false;
    return dayLimits.cutOff - row.at < IN_SIGHT_MS;
  }

  private carry({ family, reference, attempt }: JournalPayment, row?: RowMoney): void {
    this.carried.push({
      family,
      reference,
      ...(row && { proven: row, attempt: attemptIfLater(attempt) }),
    });
  }

  doubtful(row: RowMoney): void {
    this.hasDoubtfulRow = true;
    this.sums?.add(movementOfRow(row, this.day.limits), row.cents);
  }

  takenBack(row: RowMoney): void {
    this.hasDoubtfulRow = true;
    this.sums?.add(movementOfReturn(row, this.day.limits), row.cents);
  }

  other({ cents, at, isDoubtful }: OtherMoney): void {
    const time = { from: at, to: latestTimeOf(at) };
    const isUncertain = this.sums?.addOther(cents, time, isDoubtful ? 'open' : 'moved');
    if (isUncertain) this.hasDoubtfulRow = true;
  }

  /** Everything that no row belongs to. */
  finish(matched: MatchedDay | undefined): void {
    const { match, early = [] } = matched ?? {};
    for (let place = 0; place < this.day.journalDay.payments.size; place += 1) this.finishPlace(place, match);
    for (const { own, row } of early) this.carry(own, row);
    if (match) this.carryContradicted(match);
    this.carryLater(new Set(early.map(({ own }) => `${own.family} ${own.reference}`)));
  }

  private finishPlace(place: number, match: StatementMatch | undefined): void {
    const { payments, carried } = this.day.journalDay;
    const { proven, shown, awaitsRow, isUnseen, proposal } = carried.get(place) ?? {};
    if (proposal && (match?.stands(proposal) ?? true)) this.proposedAgain.push(proposal);
    if (!proven && match?.hasRow(place)) return;
    const own = payments.at(place);
    if (proven) this.matched(own, proven, proposal === undefined);
    else if (shown) this.matched(own, shown, true);
    else if (isUnseen && own.state === 'moved' && own.begunAt < this.day.from) this.carryUnseen(own);
    else this.unmatched(own, awaitsRow);
  }

  /** A third row decides nothing, either. */
  private carryContradicted({ contradicted }: StatementMatch): void {
    for (const { own, row } of contradicted)
      if (!hasOutcome(own) && own.createdAt < this.day.dayLimits.cutOff)
        this.carry(own, { ...row, isContradicted: true });
  }

  /** @param seen Payments whose rows are of this day. */
  private carryLater(seen: ReadonlySet<string>): void {
    for (const own of this.day.journalDay.after) {
      if (seen.has(`${own.family} ${own.reference}`)) continue;
      this.move(own, movementOf(own, this.day.limits));
      // The next close lists what was written down since the end of this day, and this one was written down before.
      if (own.createdAt < this.day.dayLimits.cutOff) this.carry(own);
    }
  }

  /** Undefined at the first close, and if the journal cannot read the amount of a payment. */
  equation(): BalanceEquation | undefined {
    return this.isReadable ? this.sums?.equation() : undefined;
  }

  /** Says of open payments whether the balance fits if they moved. */
  withHints(equation: BalanceEquation | undefined): readonly Finding[] {
    const moved = equation && !this.hasDoubtfulRow ? this.explain(equation) : undefined;
    if (!moved) return this.findings;
    return this.findings.map((finding) =>
      finding.kind === 'unknown' || finding.kind === 'unproven'
        ? { ...finding, hint: hintOf(moved) }
        : finding,
    );
  }

  private unmatched(own: JournalPayment, awaitedRow: true | undefined): void {
    this.count(own);
    const { family, reference } = own;
    const { dayLimits } = this.day;
    const { kinds, stays, isExpected } = classifyUnmatched(own, dayLimits, awaitedRow);
    for (const kind of kinds) this.addFinding({ kind, family, reference, own });
    if (isExpected) this.expected += 1;
    if (own.state === 'accepted' || own.state === 'unknown') this.open.add(own);
    const movement = movementOf(own, this.day.limits);
    this.move(own, movement);
    // What ended while or after the balance was read concerns the next close, too.
    const isUnderWay =
      movement && movement.state !== 'none' && movement.to >= this.day.closing.askedAt.getTime();
    if (!isUnderWay && !stays) {
      this.carryUnseen(own);
      return;
    }
    const awaitsRow = own.state === 'moved' && stays && (dayLimits.hasStatement || awaitedRow);
    this.carried.push({ family, reference, ...(awaitsRow && { awaitsRow }) });
  }

  /** A payment that leaves sight without a row, because the days after its own have no statement. */
  private carryUnseen({ family, reference, state, begunAt }: JournalPayment): void {
    if (state !== 'none' && this.day.statementDays.has(begunAt))
      this.carried.push({ family, reference, isUnseen: true });
  }

  private addFinding(finding: Finding): void {
    this.findings.push(finding);
    const { dayLimits, mostExceptions } = this.day;
    if (!dayLimits.hasStatement || this.findings.length <= mostExceptions) return;
    throw wrongStatement(
      `more than ${mostExceptions} payments of the journal are not in it: is it the whole statement of this account and this day? If so, raise policy.mostExceptions`,
    );
  }

  /** Payments of earlier and later days are counted there. */
  private count(own: JournalPayment): void {
    if (own.cents !== undefined && own.feeCents !== undefined)
      this.fees[own.family].add(own.cents, own.feeCents);
    if (own.begunAt < this.day.from || own.begunAt >= this.day.dayLimits.cutOff) return;
    if (own.family === 'collection' && own.state === 'moved') this.collections.add(own);
    if (own.family === 'disbursement' && (own.state === 'moved' || own.state === 'accepted'))
      this.payouts.add(own);
  }

  private move(own: JournalPayment, movement: Movement | undefined, cents = 0): void {
    if (!movement) this.isReadable = false;
    if (!movement || !this.sums) return;
    this.sums.add(movement, own.cents ?? cents);
    const { least, most } = changeOf(movement, ...this.readings());
    if (least !== most) this.uncertain.push({ own, movement });
  }

  private explain({ underWay, difference }: BalanceEquation): Explained | undefined {
    const candidates: Candidate[] = [];
    for (const { own, movement } of this.uncertain) {
      const exact = this.exact(own, movement);
      if (!exact) return undefined;
      // A payout that may go as well as come back is two candidates. As both together change nothing, a gap that it has no part
      // in is never explained for certain: it may have gone before the opening balance was read.
      const { least, most } = changeOf(exact, ...this.readings());
      for (const cents of [least, most]) {
        const isBack = exact.direction === 'in' ? cents < 0 : cents > 0;
        if (cents !== 0)
          candidates.push({ id: String(candidates.length), cents, reference: own.reference, isBack });
      }
    }
    const gap = Number(centsOf(underWay) + centsOf(difference));
    const ids = candidates.length === 0 ? undefined : explainGap(gap, candidates);
    return ids && explainedBy(candidates, new Set(ids));
  }

  /** With the fee that is usual, if nobody said it. */
  private exact(own: JournalPayment, movement: Movement): Movement | undefined {
    if (movement.least === movement.most) return movement;
    const fee = own.cents === undefined ? undefined : this.fees[own.family].of(own.cents);
    if (own.cents === undefined || fee === undefined) return undefined;
    const cents = movement.direction === 'in' ? own.cents - fee : own.cents + fee;
    return { ...movement, least: cents, most: cents };
  }

  private readings(): [ReadingTime, ReadingTime] {
    const { opening = this.day.closing, closing } = this.day;
    return [timeOf(opening), timeOf(closing)];
  }
}

function explainedBy(candidates: readonly Candidate[], ids: ReadonlySet<string>): Explained {
  const picked = candidates.filter(({ id }) => ids.has(id));
  const references = (isBack: boolean): readonly string[] =>
    picked.filter((candidate) => candidate.isBack === isBack).map(({ reference }) => reference);
  return { moved: references(false), cameBack: references(true) };
}

/** The finding of a balance that nothing explains. */
export function gapOf(equation: BalanceEquation | undefined): readonly Finding[] {
  const gap = equation ? Number(centsOf(equation.difference)) : 0;
  return gap === 0 ? [] : [{ kind: 'balance', family: undefined, reference: undefined, gap }];
}
