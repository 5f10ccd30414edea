import { compareMoney, type JournalEntry } from 'nestjs-payments';
import { type SentLine } from '../journal/sent-lines.js';
import { isOut, resultOf } from '../pay/line-state.js';
import { recipientKey, type SalaryRow } from '../salaries/salary-row.js';

/**
 * Finds changes of an edited file in lines whose money is, or may be, out. Another reference or account would
 * pay the same person twice.
 *
 * @param previous The lines that the run has sent or tried to send.
 */
export function changedSinceSent(
  rows: readonly SalaryRow[],
  previous: readonly SentLine[],
  entries: ReadonlyMap<string, JournalEntry>,
): readonly string[] {
  const now = new Map(rows.map((row) => [row.reference, row]));
  const recipients = new Map(previous.map(({ reference, recipient }) => [reference, recipient]));
  return [...entries].flatMap(([reference, entry]) => {
    if (!isOut(resultOf(entry))) return [];
    const row = now.get(reference);
    if (!row) return [`${reference} was sent in this run and has left the file: put its line back`];
    const where = `line ${row.line}: ${reference} was sent in this run`;
    if (compareMoney(entry.amount, row.amount) !== 0) {
      return [`${where} with the amount ${entry.amount}: put it back`];
    }
    const before = recipients.get(reference);
    return before === undefined || before === recipientKey(row.recipient)
      ? []
      : [`${where} to another account or phone: put it back`];
  });
}
