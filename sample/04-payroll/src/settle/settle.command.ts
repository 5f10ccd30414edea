import { Injectable } from '@nestjs/common';
import { isPaymentsError, PaymentsJournal } from 'nestjs-payments';
import { type SettleOrder } from '../command-line.js';
import { Screen } from '../console/screen.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { PayrollProblem } from '../payroll.problem.js';
import { paymentReference } from '../salaries/names.rule.js';
import { openSalaries } from '../salaries/read-salaries.js';

/** `payroll settle`: stores the outcome of a line that an operator got from the gateway's support. */
@Injectable()
export class SettleCommand {
  constructor(
    private readonly journal: PaymentsJournal,
    private readonly screen: Screen,
  ) {}

  async run({ file, run, reference, outcome }: SettleOrder): Promise<ExitCode> {
    const { rows } = await openSalaries(file);
    const row = rows.find((candidate) => candidate.reference === reference);
    if (!row)
      throw new PayrollProblem(
        `The file has no row with the reference ${reference}: write the staff number.`,
      );
    try {
      await this.journal.settle('disbursement', paymentReference(run, reference), outcome);
    } catch (error) {
      if (isPaymentsError(error)) throw new PayrollProblem(`${reference}: ${error.message}`);
      throw error;
    }
    this.screen.line(`${reference} ${row.name}: ${outcome}.`);
    return EXIT.fine;
  }
}
