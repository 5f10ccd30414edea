import { addMoney } from 'nestjs-payments';
import { type Random } from '../../support/random.js';

/** The columns of the emulator's statement that plants change. */
const HEADER = 'Date,Type,Reference,';

/** An error that was planted in a statement. */
export interface Plant {
  readonly kind:
    | 'amount'
    | 'fee'
    | 'duplicate'
    | 'missing-here'
    | 'removed'
    | 'status'
    /** A row before that of the payment says that it failed. */
    | 'failed before'
    /** A row after that of the payment takes it back. */
    | 'taken back'
    /** A row after that of the payment moves its money in the other direction. */
    | 'reversed'
    /** The gateway says that a payout failed. */
    | 'told failed'
    /** A row of a later day says the contrary of what nobody has applied yet. */
    | 'contradicted';
  readonly reference: string;
}

/** A payout of which the gateway knows that it failed. */
export interface FailedPayout {
  readonly reference: string;
  readonly amount: string;
  readonly at: string;
}

/** Around the end of the day, another second may be another day. */
const MIDNIGHT = /T2[01]:(59|00):/;

/** A statement as lines of cells. */
export class PlantedStatement {
  readonly plants: Plant[] = [];
  private readonly header: readonly string[];
  private readonly rows: string[][];
  /** Rows of money that came back. */
  private readonly reversals = new Set<readonly string[]>();

  /** @param unknownFees References of payments whose fee nobody here knows: a wrong one could only be guessed from the balance. */
  constructor(
    csv: string,
    private readonly unknownFees: ReadonlySet<string>,
  ) {
    if (!csv.startsWith(HEADER)) throw new Error(`The emulator's statement begins with ${csv.slice(0, 40)}.`);
    const [header = '', ...lines] = csv.split(/\r?\n/).filter((line) => line !== '');
    this.header = header.split(',');
    this.rows = lines.map((line) => line.split(','));
  }

  /** The references of all rows that moved the money of payments, as the gateway wrote them or as they were planted. */
  get references(): readonly string[] {
    return this.rows
      .filter((row) => this.cell(row, 'Status') !== 'failed' && !this.reversals.has(row))
      .map((row) => this.cell(row, 'Reference'));
  }

  /** Says of a payout that it failed. */
  tellFailed(payout: FailedPayout): void {
    this.tell(payout, 'failed');
    this.plants.push({ kind: 'told failed', reference: payout.reference });
  }

  /** Says the contrary of what an earlier statement says of a payout. */
  contradict(payout: FailedPayout, status: 'failed' | 'paid'): void {
    this.tell(payout, status);
    this.plants.push({ kind: 'contradicted', reference: payout.reference });
  }

  private tell({ reference, amount, at }: FailedPayout, status: 'failed' | 'paid'): void {
    const cells = new Map(
      Object.entries({
        Date: at,
        Type: 'Payout',
        Reference: reference,
        Amount: amount,
        Currency: 'TZS',
        Status: status,
      }),
    );
    this.rows.push(this.header.map((column) => cells.get(column) ?? ''));
  }

  /** Nobody says that money left without a payment. */
  hideAdjustments(): void {
    for (const [at, row] of [...this.rows.entries()].reverse()) {
      if (this.cell(row, 'Reference') === '') this.rows.splice(at, 1);
    }
  }

  text(): string {
    return [this.header, ...this.rows].map((row) => row.join(',')).join('\n');
  }

  /** @param failed References of payments of which the journal says that they failed. */
  plant(random: Random, failed: readonly string[], number: number): void {
    const paid = [...this.rows.entries()]
      .filter(
        ([, row]) =>
          this.cell(row, 'Reference') !== '' &&
          this.cell(row, 'Status') !== 'failed' &&
          !this.reversals.has(row),
      )
      .map(([index]) => index);
    const at = paid.length === 0 ? undefined : random.pick(paid);
    const row = at === undefined ? undefined : this.rows[at];
    const kinds = [
      'missing-here',
      ...(row
        ? (['amount', 'fee', 'duplicate', 'removed', 'failed before', 'taken back', 'reversed'] as const)
        : []),
      ...(row && failed.length > 0 ? (['status'] as const) : []),
    ] as const;
    const kind = random.pick(kinds);
    const stranger = `stranger-${number}`;
    switch (kind) {
      case 'missing-here':
        if (row) this.rows.push(this.changed(row, 'Reference', stranger));
        if (row) this.plants.push({ kind, reference: stranger });
        return;
      case 'status': {
        const reference = random.pick(failed);
        if (row)
          this.rows.push(this.changed(this.changed(row, 'Reference', reference), 'Type', 'Collection'));
        this.plants.push({ kind, reference });
        return;
      }
      default:
        if (row && at !== undefined) this.spoil(kind, row, at);
    }
  }

  private spoil(
    kind: 'amount' | 'fee' | 'duplicate' | 'removed' | 'failed before' | 'taken back' | 'reversed',
    row: readonly string[],
    at: number,
  ): void {
    const reference = this.cell(row, 'Reference');
    // One error a payment: of two nobody could say which one was found.
    if (this.plants.some((plant) => plant.reference === reference)) return;
    if (kind === 'fee' && this.unknownFees.has(reference)) return;
    if (kind === 'failed before' || kind === 'taken back' || kind === 'reversed') {
      const date = this.cell(row, 'Date');
      if (MIDNIGHT.test(date)) return;
      const other = new Date(Date.parse(date) + (kind === 'failed before' ? -1_000 : 1_000)).toISOString();
      const later = this.changed(row, 'Date', other);
      const opposite = this.cell(row, 'Type') === 'Payout' ? 'Collection' : 'Payout';
      const isReversal = kind === 'reversed';
      const planted = isReversal
        ? this.changed(later, 'Type', opposite)
        : this.changed(later, 'Status', 'failed');
      if (isReversal) this.reversals.add(planted);
      this.rows.splice(at, 0, planted);
    } else if (kind === 'duplicate') this.rows.splice(at, 0, [...row]);
    else if (kind === 'removed') this.rows.splice(at, 1);
    else
      this.rows[at] = this.changed(
        row,
        kind === 'fee' ? 'Fee' : 'Amount',
        addMoney(this.cell(row, kind === 'fee' ? 'Fee' : 'Amount'), 1),
      );
    this.plants.push({ kind, reference });
  }

  private cell(row: readonly string[], column: string): string {
    return row[this.header.indexOf(column)] ?? '';
  }

  private changed(row: readonly string[], column: string, value: string): string[] {
    const changed = [...row];
    changed[this.header.indexOf(column)] = value;
    return changed;
  }
}
