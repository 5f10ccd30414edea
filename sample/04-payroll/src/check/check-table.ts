import { formatTzs } from 'nestjs-payments';
import { table } from '../console/table.js';
import { maskedRecipient, type SalaryRow } from '../salaries/salary-row.js';
import { type CheckedLine } from './check-report.js';

/** Every line with both names side by side. */
export function checkTable(rows: readonly SalaryRow[], lines: readonly CheckedLine[]): readonly string[] {
  const checked = new Map(lines.map((line) => [line.line, line]));
  return table(
    ['line', 'reference', 'to', 'amount', 'name in the file', 'holder', 'names'],
    rows.map(({ line, reference, recipient, amount, name }) => [
      String(line),
      reference,
      maskedRecipient(recipient),
      formatTzs(amount),
      name,
      checked.get(line)?.holder ?? '',
      checked.get(line)?.name ?? '',
    ]),
    ['line', 'amount'],
  );
}
