import { PaymentsValidationError } from '../../errors/payments-errors.js';
import { type CloseToReport } from './close-to-report.js';
import { exceptionsCsv } from './exceptions-csv.js';
import { type JournalAccounts, journalAccounts } from './journal-accounts.js';
import { journalLines } from './journal-lines.js';
import { markdown } from './markdown.js';
import { plainText } from './plain-text.js';

/**
 * - `table`: a summary and the exceptions as text for a terminal.
 * - `markdown`: the same as Markdown.
 * - `csv`: the exceptions, a row each.
 * - `journal`: the day as double entries, a CSV row each.
 *
 * @publicApi
 */
export type CloseReportFormat = 'table' | 'markdown' | 'csv' | 'journal';

/**
 * How a close is written.
 *
 * @publicApi
 */
export interface CloseReportOptions {
  /** What comes out. */
  readonly format: CloseReportFormat;
  /** With `journal`: the names of accounts that are called otherwise in your books. */
  readonly accounts?: Partial<JournalAccounts>;
}

const FORMATS: Readonly<
  Record<CloseReportFormat, (close: CloseToReport, options: CloseReportOptions) => string>
> = {
  table: plainText,
  markdown,
  csv: exceptionsCsv,
  journal: ({ summary }, { accounts }) => journalLines(summary, journalAccounts(accounts)),
};

/**
 * Writes a close for people, for a spreadsheet, or for your books. Ends with a line break.
 *
 * @throws PaymentsValidationError if there is no such format, or a name cannot be one of an account.
 *
 * @publicApi
 */
export function closeReport(close: CloseToReport, options: CloseReportOptions): string {
  const { format } = options;
  if (Object.hasOwn(FORMATS, format)) return FORMATS[format](close, options);
  const problem = `there is no such format: write one of ${Object.keys(FORMATS).join(', ')}`;
  throw new PaymentsValidationError({ format: [problem] });
}
