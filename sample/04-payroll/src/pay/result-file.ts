import { stringify } from 'csv-stringify/sync';
import { writePrivately } from '../private-file.js';
import { paymentReference } from '../salaries/names.rule.js';
import { maskedRecipient, type SalaryRow } from '../salaries/salary-row.js';
import { type LineResult } from './line-state.js';

/** Writes the state of every line, for the accounts. */
export async function writeResult(
  file: string,
  run: string,
  rows: readonly SalaryRow[],
  results: ReadonlyMap<number, LineResult>,
): Promise<void> {
  const records = rows.map(({ line, reference, name, recipient, amount }) => {
    const { state = 'not-sent', detail = '' } = results.get(line) ?? {};
    const payment_reference = paymentReference(run, reference);
    return {
      line,
      reference,
      name,
      to: maskedRecipient(recipient),
      amount,
      state,
      detail,
      payment_reference,
    };
  });
  // A name that begins with "=" must not become a formula in the spreadsheet that opens the file.
  await writePrivately(file, stringify(records, { header: true, escape_formulas: true }));
}
