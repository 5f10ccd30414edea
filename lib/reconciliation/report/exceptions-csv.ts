import { type CsvCell, csvRow } from '../../common/csv-row.js';
import { addMoney } from '../../common/money.js';
import { type CloseException } from '../exceptions/close-exception.js';
import { type CloseToReport } from './close-to-report.js';
import { gravestFirst } from './exception-facts.js';

const HOUR_MS = 3_600_000;

const COLUMNS: readonly (readonly [
  name: string,
  cell: (exception: CloseException) => CsvCell | undefined,
])[] = [
  ['id', ({ id }) => id],
  ['kind', ({ kind }) => kind],
  ['state', ({ state }) => state],
  ['day', ({ day }) => day],
  ['age_hours', ({ ageMs }) => Math.floor(Math.max(ageMs, 0) / HOUR_MS)],
  ['family', ({ family }) => family],
  ['reference', ({ reference }) => reference],
  ['reason', ({ reason }) => reason],
  ['journal_status', ({ own }) => own?.status],
  ['journal_amount', ({ own }) => money(own?.amount)],
  ['journal_fee', ({ own }) => money(own?.fee)],
  ['journal_at', ({ own }) => own?.createdAt.toISOString()],
  ['statement', ({ theirs }) => theirs?.statement],
  ['statement_row', ({ theirs }) => theirs?.row],
  ['statement_kind', ({ theirs }) => theirs?.kind],
  ['statement_amount', ({ theirs }) => money(theirs?.amount)],
  ['statement_fee', ({ theirs }) => money(theirs?.fee)],
  ['statement_at', ({ theirs }) => theirs?.at.toISOString()],
  ['statement_failed', ({ theirs }) => theirs && String(theirs.isFailed)],
  ['proposal', ({ proposal }) => proposal?.outcome],
  ['hint', ({ hint }) => hint],
  ['note', ({ note }) => note?.text],
  ['note_by', ({ note }) => note?.by],
  ['note_at', ({ note }) => note?.at.toISOString()],
];

/** The exceptions of a close, a row each. Times are in UTC. */
export function exceptionsCsv({ exceptions }: CloseToReport): string {
  const rows = gravestFirst(exceptions).map((exception) =>
    csvRow(COLUMNS.map(([, cell]) => cell(exception) ?? '')),
  );
  return csvRow(COLUMNS.map(([name]) => name)) + rows.join('');
}

/** The journal may be unable to read an amount. */
function money(amount: string | undefined): CsvCell | undefined {
  return amount === undefined || amount === '' ? undefined : { number: addMoney(amount) };
}
