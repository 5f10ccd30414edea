import { formatTzs } from 'nestjs-payments';
import { table } from '../console/table.js';
import { maskedRecipient, type SalaryRow } from '../salaries/salary-row.js';
import { type CheckedLine } from './check-report.js';

/** What somebody has to read comes first. */
const ORDER: readonly CheckedLine['name'][] = ['different', 'similar', 'same', 'sent'];

/** Every line with both names side by side: those that differ first, each kind in the order of the file. */
export function checkTable(rows: readonly SalaryRow[], lines: readonly CheckedLine[]): readonly string[] {
  const checked = new Map(lines.map((line) => [line.line, line]));
  const place = ({ line }: SalaryRow): number => ORDER.indexOf(checked.get(line)?.name ?? 'same');
  return table(
    ['line', 'reference', 'to', 'amount', 'name in the file', 'holder', 'names'],
    [...rows]
      .sort((one, other) => place(one) - place(other))
      .map(({ line, reference, recipient, amount, name }) => [
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
