import { type CsvReading, type CsvRow } from '../../common/csv-rows.js';
import { formatCents } from '../../common/money.js';
import { PaymentsConfigError, type PaymentsValidationError } from '../../errors/payments-errors.js';
import { amountReader, type CellValue, sameWord, textOf, timeReader } from './statement-cells.js';
import { type FoundColumns, type StatementField } from './statement-columns.js';
import { type ResolvedStatementOptions } from './statement-options.js';
import { type StatementRow, type StatementRowKind } from './statement-row.js';
import { wrongStatement } from './wrong-statement.js';

/** The problem of a file without even the names of the columns. A file with these alone says that nothing moved. */
export const EMPTY_FILE = 'the file is empty: its first line must name the columns';

const NO_FEE: readonly string[] = ['', '-'];
/** What a spreadsheet makes of a number without its last digit, too: `25571234567.0`. */
const DECIMAL = /^\d+\.0{1,2}$/;
const OTHER_STATUS = 'is in none of the lists: write its word in succeeded, failed or pending';
const OTHER_KIND = "is no word of kinds: write for example kinds: { 'the word': 'payout' }";
const OTHER_CURRENCY =
  'is not TZS: write columns: { currency: false } if every amount is in TZS, and read amounts of another currency by themselves, from another file';
const otherSign = (line: number): string =>
  `has another sign than in line ${line}: if this fee was given back, move it to a row of its own, of the kind fee, or read no fees: columns: { fee: false }`;
const NEGATIVE = 'is negative: write signed: true if what left the wallet has a minus in this file';
const NEGATIVE_PAYMENT = `${NEGATIVE}; if only payments that were taken back have one, read the file with a Statement of your own, which gives them the kind other`;

/** How to read the file of a statement. */
export function statementReading({ maxRowBytes }: ResolvedStatementOptions): CsvReading {
  return {
    refused: wrongStatement,
    noParser: () => new PaymentsConfigError('csvStatement() needs csv-parse: run npm install csv-parse.'),
    longestRow: maxRowBytes,
  };
}

/** Reads a row; undefined if it says nothing yet. Throws the error of a row that is wrong. */
export type RowReader = (row: CsvRow) => StatementRow | undefined;

/** A reader of the rows of a file whose columns were found. */
export function rowReader(columns: FoundColumns, options: ResolvedStatementOptions): RowReader {
  const cells = new Cells(columns);
  const timeOf = timeReader(options);
  const money = moneyReader(cells, options);
  return (row) => {
    const status = cells.of(row, 'status');
    const meaning = status === undefined ? 'moved' : options.statuses.get(sameWord(status));
    if (meaning === undefined) throw cells.error(row, 'status', OTHER_STATUS);
    if (meaning === 'pending') return undefined;
    const reference = cells.value(row, 'reference', textOf);
    const { kind, amount, fee } = money(row);
    return {
      row: row.line,
      kind,
      reference,
      amount,
      fee,
      at: cells.value(row, 'at', timeOf),
      recipient: recipientOf(cells.of(row, 'recipient') ?? ''),
      isFailed: meaning === 'failed',
    };
  };
}

/** Nothing depends on it for certain, so a number that a spreadsheet has changed is left out. */
function recipientOf(cell: string): string | undefined {
  const text = textOf(cell);
  return 'problem' in text || DECIMAL.test(cell)
    ? undefined
    : text.value?.replace(/[^\p{L}\p{N}]/gu, '') || undefined;
}

/** The cells of the fields of a row. */
class Cells {
  constructor(private readonly columns: FoundColumns) {}

  /** Undefined without such a column. Without the blanks around it, which a reader of files leaves inside of quotation marks. */
  of({ cells }: CsvRow, field: StatementField): string | undefined {
    const { index } = this.columns[field];
    return index === undefined ? undefined : cells[index]?.trim();
  }

  /** Without such a column, as if it were empty. */
  value<T>(row: CsvRow, field: StatementField, read: (cell: string) => CellValue<T>): T {
    const result = read(this.of(row, field) ?? '');
    if ('problem' in result) throw this.error(row, field, result.problem);
    return result.value;
  }

  error({ line }: CsvRow, field: StatementField, problem: string): PaymentsValidationError {
    return wrongStatement(`line ${line}: '${this.columns[field].header ?? field}' ${problem}`);
  }
}

function moneyReader(
  cells: Cells,
  options: ResolvedStatementOptions,
): (row: CsvRow) => Pick<StatementRow, 'kind' | 'amount' | 'fee'> {
  const { signed, kinds } = options;
  const amountOf = amountReader(options);
  const feeOf = feeReader(cells, amountOf, signed);
  return (row) => {
    const currency = cells.of(row, 'currency');
    if (currency !== undefined && sameWord(currency) !== 'tzs') {
      throw cells.error(row, 'currency', OTHER_CURRENCY);
    }
    const amount = cells.value(row, 'amount', amountOf);
    const word = cells.of(row, 'kind');
    const kind = word === undefined ? kindBySign(amount) : kinds.get(sameWord(word));
    if (kind === undefined) throw cells.error(row, 'kind', OTHER_KIND);
    const wrongSign = signProblem(kind, amount, signed);
    if (wrongSign !== undefined) throw cells.error(row, 'amount', wrongSign);
    const fee = feeOf(row, kind);
    return {
      kind,
      amount: formatCents(rowAmount(kind, amount, signed)),
      fee: fee === undefined ? undefined : formatCents(fee),
    };
  };
}

/**
 * Reads fees without their sign: some files with signs give them a minus, others none, and others the sign of their row. A fee of
 * another sign than those of its kind may have been given back.
 */
function feeReader(
  cells: Cells,
  amountOf: (cell: string) => CellValue<bigint>,
  signed: boolean,
): (row: CsvRow, kind: StatementRowKind) => bigint | undefined {
  const firsts = new Map<StatementRowKind, { readonly line: number; readonly isNegative: boolean }>();
  return (row, kind) => {
    if (NO_FEE.includes(cells.of(row, 'fee') ?? '')) return undefined;
    const fee = cells.value(row, 'fee', amountOf);
    const isNegative = fee < 0n;
    if (isNegative && !signed) throw cells.error(row, 'fee', NEGATIVE);
    if (fee === 0n) return fee;
    const first = firsts.get(kind) ?? { line: row.line, isNegative };
    firsts.set(kind, first);
    if (first.isNegative !== isNegative) throw cells.error(row, 'fee', otherSign(first.line));
    return magnitude(fee);
  };
}

/** Nothing moved with an amount of 0, in no direction. */
function kindBySign(amount: bigint): StatementRowKind {
  if (amount === 0n) return 'other';
  return amount > 0n ? 'collection' : 'payout';
}

/** A reversal must not pass for a payment. */
function signProblem(kind: StatementRowKind, amount: bigint, signed: boolean): string | undefined {
  if (kind === 'other') return undefined;
  if (!signed && amount < 0n) return kind === 'fee' ? NEGATIVE : NEGATIVE_PAYMENT;
  if (!signed) return undefined;
  if (kind === 'collection' && amount < 0n) {
    return `is negative, so that this is no collection: ${ofOtherSign('money that was taken back', 'collections')}`;
  }
  if (kind === 'payout' && amount > 0n) {
    return `has no minus, so that this is no payout: ${ofOtherSign('money that came back', 'payouts')}`;
  }
  return undefined;
}

/** A close takes such a row as one that takes back the payment that it names. */
function ofOtherSign(what: string, payments: string): string {
  return `if ${what} has a word of its own, write kinds: { 'its word': 'other' }; if it has the word of ${payments}, read the sign alone: columns: { kind: false }`;
}

/** A fee that has no sign was taken. */
function rowAmount(kind: StatementRowKind, amount: bigint, signed: boolean): bigint {
  if (kind === 'fee') return signed ? amount : -amount;
  return kind === 'other' ? amount : magnitude(amount);
}

function magnitude(cents: bigint): bigint {
  return cents < 0n ? -cents : cents;
}
