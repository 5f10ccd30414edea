import { type InboxScope, PAYMENT_FAMILIES, type PaymentFamily } from '../../common/vocabulary.js';
import { type JournalStore } from '../../storage/journal-store.js';
import { inPieces } from '../../common/in-pieces.js';
import { familyOf } from './finding.js';
import { type StatementMatch } from './match-statement.js';
import { feeReferences } from './other-rows.js';
import { type OpenRow } from './row-money.js';
import { type RowMoney } from './classify-payment.js';
import { type JournalPayment, journalPayment } from './journal-payment.js';
import { type StatementDays } from './statement-days.js';
import { familyTakenBack, takesBack } from './taken-back.js';

/** A row that nobody knows. */
export interface UnknownRow extends OpenRow {
  readonly isForgotten: boolean;
}

/** The journal of an account. */
export interface AccountJournalReader {
  readonly journal: JournalStore;
  readonly scope: InboxScope;
}

interface Found {
  readonly own?: JournalPayment | undefined;
  /** That of the other direction with the same reference, if there is no own one. */
  readonly opposite?: JournalPayment | undefined;
  readonly isForgotten: boolean;
}

/** Looks for the payments of rows that name none of the day in the whole journal. */
export class OpenRows {
  readonly unknown: UnknownRow[] = [];
  /** Payments that were written down after the end of the day, and whose row is of this day: the clocks differ. */
  readonly early: { readonly own: JournalPayment; readonly row: RowMoney }[] = [];
  /** When the row of a payment says that it moved. */
  private readonly seen = new Map<string, number>();
  private readonly failed = new Set<string>();

  constructor(
    private readonly match: StatementMatch,
    private readonly account: AccountJournalReader,
    private readonly day: {
      readonly from: number;
      readonly to: number;
      readonly statementDays: StatementDays;
    },
  ) {}

  /** @param everyPiece Shows that the run is alive. */
  async find(everyPiece: () => Promise<void> | undefined): Promise<void> {
    const open: (readonly [OpenRow, Found | undefined])[] = [];
    for await (const piece of inPieces(this.match.open, (row) => this.look(row))) {
      open.push(...piece);
      await everyPiece();
    }
    // Otherwise in the order of the statement, so that the same statement gives the same.
    open.sort((one, other) => rankOf(...one) - rankOf(...other));
    for (const [row, found] of open) this.take(row, found);
    await this.findReturned(everyPiece);
    await this.findFees(everyPiece);
  }

  private async findReturned(everyPiece: () => Promise<void> | undefined): Promise<void> {
    const found = inPieces(this.match.openReturns, ({ family, reference }) => this.get(family, reference));
    for await (const piece of found) {
      for (const [{ money }, own] of piece) {
        if (!own) continue;
        this.match.names.asides += 1;
        this.match.takeBack(own, money);
      }
      await everyPiece();
    }
  }

  private async findFees(everyPiece: () => Promise<void> | undefined): Promise<void> {
    // The payment may be one that the statement alone has.
    const shown = new Set(this.match.open.map(({ given }) => given.reference));
    const found = inPieces(this.match.others.openFees, ({ reference }) =>
      Promise.all(feeReferences(reference).map((one) => this.isKnown(one))),
    );
    for await (const piece of found) {
      for (const [fee, areKnown] of piece) {
        if (areKnown[0]) this.match.names.asides += 1;
        const isShown = feeReferences(fee.reference).some((one) => shown.has(one));
        this.match.others.takeFee(fee, isShown || areKnown.includes(true));
      }
      await everyPiece();
    }
  }

  /** Whether the journal has a payment with a reference, or has forgotten one. */
  private async isKnown(reference: string): Promise<boolean> {
    const { journal, scope } = this.account;
    const found = await Promise.all(
      PAYMENT_FAMILIES.map(async (family) => {
        const key = { ...scope, family, reference };
        return (await journal.get(key)) ?? (await journal.tombstone(key));
      }),
    );
    return found.some((one) => one !== undefined);
  }

  private async get(family: PaymentFamily, reference: string): Promise<JournalPayment | undefined> {
    const stored = await this.account.journal.get({ ...this.account.scope, family, reference });
    return stored && journalPayment(stored);
  }

  private async look({ given, money }: OpenRow): Promise<Found | undefined> {
    const { reference } = given;
    if (reference === undefined) return undefined;
    const family = familyOf(given);
    const own = await this.get(family, reference);
    if (own) return { own, isForgotten: false };
    const key = { ...this.account.scope, family, reference };
    const isForgotten = (await this.account.journal.tombstone(key)) !== undefined;
    const other = isForgotten ? undefined : familyTakenBack(money);
    return { isForgotten, opposite: other && (await this.get(other, reference)) };
  }

  private take(row: OpenRow, found: Found | undefined): void {
    const { given, money } = row;
    if (given.reference === undefined) {
      this.match.names.strangers.push(row);
      this.unknown.push({ ...row, isForgotten: false });
      return;
    }
    const name = `${familyOf(given)} ${given.reference}`;
    const own = found?.own;
    const isRepeated = this.seen.has(name) || (own !== undefined && this.hasHadRow(own));
    this.noteName(row, found, isRepeated && !money.isFailed);
    if (own && money.isFailed) this.takeFailed(own, money);
    else this.takeMoved(given.reference, row, found, isRepeated);
  }

  private noteName(row: OpenRow, found: Found | undefined, isRepeated: boolean): void {
    const { names } = this.match;
    const { given, money } = row;
    const { own, opposite, isForgotten = false } = found ?? {};
    const named = own ?? opposite;
    if (isForgotten) names.forgotten += 1;
    if (!named && !isForgotten) names.strangers.push(row);
    // It may be a levy, as in a file that has a sign and no kinds.
    else if (opposite && !takesBack(opposite, money)) names.asides += 1;
    else names.add(given, money, { cents: named?.cents, isRepeated });
  }

  private takeMoved(reference: string, row: OpenRow, found: Found | undefined, isRepeated: boolean): void {
    const { given, money } = row;
    const family = familyOf(given);
    const own = found?.own;
    if (own && this.match.takeEarlierAttempt(own, money)) return;
    if (found?.opposite && this.match.takeBack(found.opposite, money)) return;
    if (isRepeated) {
      this.match.doubt({ kind: 'duplicate', family, reference, ...(own && { own }), row: money });
      return;
    }
    this.seen.set(`${family} ${reference}`, money.at);
    if (!own) this.unknown.push({ ...row, isForgotten: found?.isForgotten === true });
    else this.match.match(own, money);
    if (own && own.begunAt >= this.day.to) this.early.push({ own, row: money });
  }

  private takeFailed(own: JournalPayment, row: RowMoney): void {
    const name = `${own.family} ${own.reference}`;
    if (this.failed.has(name) || !this.match.isOfLastAttempt(own, row, this.seen.get(name))) return;
    this.failed.add(name);
    this.match.match(own, row);
  }

  /** A payment that moved, and was made on a day with a statement, stays in sight until a row shows it. */
  private hasHadRow({ state, begunAt }: JournalPayment): boolean {
    return state !== 'none' && begunAt < this.day.from && this.day.statementDays.has(begunAt);
  }
}

/** Rows of another amount wait for those that agree, and rows that failed for all others: another attempt may have moved. */
function rankOf({ money }: OpenRow, found: Found | undefined): number {
  if (money.isFailed) return 2;
  return found?.own && found.own.cents !== money.cents ? 1 : 0;
}
