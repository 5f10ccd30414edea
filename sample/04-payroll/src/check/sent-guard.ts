import { Injectable } from '@nestjs/common';
import { formatTzs, type JournalEntry } from 'nestjs-payments';
import { RunJournal } from '../journal/run-journal.js';
import { SentLines } from '../journal/sent-lines.js';
import { isOut, resultOf } from '../pay/line-state.js';
import { PayrollProblem } from '../payroll.problem.js';
import { recipientKey, type SalaryRow } from '../salaries/salary-row.js';
import { changedSinceSent } from './sent-before.js';

/** A recent payment of another run to a row's account or phone, certain or possible. */
export interface PaidElsewhere {
  readonly run: string;
  /** For people. */
  readonly text: string;
}

/** Prevents double payments from edited, copied or renamed files. */
@Injectable()
export class SentGuard {
  constructor(
    private readonly journal: RunJournal,
    private readonly sent: SentLines,
  ) {}

  /**
   * The journal's entries of the rows, by reference.
   *
   * @throws PayrollProblem if the file contradicts what the run has sent.
   */
  async entries(run: string, rows: readonly SalaryRow[]): Promise<ReadonlyMap<string, JournalEntry>> {
    const previous = await this.sent.ofRun(run);
    const entries = await this.journal.entries(run, [...rows, ...previous]);
    const changed = changedSinceSent(rows, previous, entries);
    if (changed.length === 0) return entries;
    throw new PayrollProblem(`The file differs from what the run ${run} has sent already:`, changed);
  }

  async paidElsewhere(run: string, rows: readonly SalaryRow[]): Promise<readonly PaidElsewhere[]> {
    const lines = new Map(rows.map(({ line, recipient }) => [recipientKey(recipient), line]));
    const paid: PaidElsewhere[] = [];
    for (const { run: other, reference, recipient } of await this.sent.inOtherRuns(run, rows)) {
      const entry = (await this.journal.entries(other, [{ reference }])).get(reference);
      if (!entry || !isOut(resultOf(entry))) continue;
      const text = `line ${lines.get(recipient)}: ${formatTzs(entry.amount)} as ${reference} of the run ${other}`;
      paid.push({ run: other, text });
    }
    return paid;
  }

  /**
   * Stores the recipients before sending anything.
   *
   * @param again Other runs whose recipients may be paid again.
   * @throws PayrollProblem if another run paid one of the recipients recently.
   */
  async begin(run: string, rows: readonly SalaryRow[], again: readonly string[]): Promise<void> {
    const unexpected = (await this.paidElsewhere(run, rows)).filter((paid) => !again.includes(paid.run));
    if (unexpected.length === 0) return this.sent.note(run, rows);
    throw new PayrollProblem(
      'Nothing was sent: another run paid these not long ago. If they are to be paid again, name that run with --again <run>.',
      unexpected.map(({ text }) => text),
    );
  }
}
