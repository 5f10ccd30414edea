import { stringify } from 'csv-stringify/sync';
import { addMoney, formatTzs } from 'nestjs-payments';
import { table } from '../console/table.js';
import { type SalaryRow } from '../salaries/salary-row.js';
import { type LineResult, type LineState, NOT_SENT } from './line-state.js';

/** The order of a summary: what needs somebody first. */
const STATES: readonly LineState[] = [
  'unknown',
  'not-sent',
  'refused',
  'failed',
  'cancelled',
  'accepted',
  'paid',
];
const PHONES = 'mobile money';
const ALL = 'total';

/** The lines of one bank in one state. */
export interface SummaryLine {
  /** The bank's code, `mobile money`, or `total`. */
  readonly bank: string;
  readonly state: LineState | 'all';
  readonly lines: number;
  /** Two-decimal string. */
  readonly amount: string;
}

/** Sums a run up by state and bank, without a name, an account or a phone: it can be forwarded. */
export function summaryOf(
  rows: readonly SalaryRow[],
  results: ReadonlyMap<number, LineResult>,
): readonly SummaryLine[] {
  const stateOf = ({ line }: SalaryRow): LineState => (results.get(line) ?? NOT_SENT).state;
  const groups = STATES.flatMap((state) => {
    const inState = rows.filter((row) => stateOf(row) === state);
    const banks = [...new Set(inState.map(bankOf))].sort();
    return banks.map((bank) =>
      summed(
        bank,
        state,
        inState.filter((row) => bankOf(row) === bank),
      ),
    );
  });
  return [...groups, summed(ALL, 'all', rows)];
}

/** For the screen. */
export function summaryTable(summary: readonly SummaryLine[]): readonly string[] {
  return table(
    ['state', 'bank', 'lines', 'amount'],
    summary.map(({ state, bank, lines, amount }) => [state, bank, String(lines), formatTzs(amount)]),
    ['lines', 'amount'],
  );
}

/** For a spreadsheet. */
export function summaryCsv(run: string, summary: readonly SummaryLine[]): string {
  const records = summary.map(({ state, bank, lines, amount }) => ({ run, state, bank, lines, amount }));
  return stringify(records, { header: true });
}

function bankOf({ recipient }: SalaryRow): string {
  return recipient.kind === 'bank' ? recipient.bankCode : PHONES;
}

function summed(bank: string, state: SummaryLine['state'], rows: readonly SalaryRow[]): SummaryLine {
  return { bank, state, lines: rows.length, amount: addMoney(...rows.map(({ amount }) => amount)) };
}
