import { Injectable } from '@nestjs/common';
import { BanksService } from 'nestjs-payments';
import { progressText } from '../console/run-progress.js';
import { Screen } from '../console/screen.js';
import { inParallel } from '../in-parallel.js';
import { compareNames } from 'nestjs-payments/batches';
import { PayrollProblem } from '../payroll.problem.js';
import { recipientKey, type SalaryRow } from '../salaries/salary-row.js';
import { Settings } from '../settings.js';
import { type CheckedLine } from './check-report.js';
import { RecipientLookup } from './recipient-lookup.js';

type Checked = CheckedLine | { readonly problem: string };

/** Checks every line at the gateway: bank and account holder. */
@Injectable()
export class LineChecker {
  constructor(
    private readonly banks: BanksService,
    private readonly lookup: RecipientLookup,
    private readonly settings: Settings,
    private readonly screen: Screen,
  ) {}

  /**
   * @param sent The earlier results of lines that are out, by reference: a repeated call must be identical.
   * @throws PayrollProblem that lists every line that cannot be paid.
   */
  async check(
    rows: readonly SalaryRow[],
    sent: ReadonlyMap<string, CheckedLine>,
  ): Promise<readonly CheckedLine[]> {
    await this.demandKnownBanks(rows);
    const found = new Map<number, Checked>();
    const startedAt = Date.now();
    await inParallel(rows, this.settings.atOnce, async (row) => {
      const before = sent.get(row.reference);
      found.set(row.line, before ? { ...before, line: row.line, name: 'sent' } : await this.lookUp(row));
      const elapsedMs = Date.now() - startedAt;
      const state = { total: rows.length, before: 0, done: found.size, elapsedMs };
      this.screen.progress(`Looking up ${progressText(state)}`);
    });
    this.screen.progress('');
    const lines = rows.map(({ line }) => ({ line, checked: found.get(line) }));
    const problems = lines.flatMap(({ line, checked }) =>
      checked && 'problem' in checked ? [`line ${line}: ${checked.problem}`] : [],
    );
    if (problems.length > 0) throw new PayrollProblem('Some recipients cannot be paid:', problems);
    return lines.flatMap(({ checked }) => (checked && 'name' in checked ? [checked] : []));
  }

  private async demandKnownBanks(rows: readonly SalaryRow[]): Promise<void> {
    const known = new Set((await this.banks.list()).map(({ code }) => code));
    const problems = rows.flatMap(({ line, recipient }) =>
      recipient.kind === 'bank' && !known.has(recipient.bankCode)
        ? [`line ${line}: there is no bank ${recipient.bankCode}`]
        : [],
    );
    if (problems.length === 0) return;
    throw new PayrollProblem('The file cannot be paid:', [
      ...problems,
      `The banks are ${[...known].join(', ')}.`,
    ]);
  }

  private async lookUp({ line, reference, name, amount, recipient }: SalaryRow): Promise<Checked> {
    const holder = await this.lookup.holderOf(recipient);
    if ('problem' in holder) return holder;
    const { name: held, ...network } = holder;
    const match = compareNames(name, held);
    return {
      line,
      reference,
      amount,
      recipient: recipientKey(recipient),
      name: match,
      holder: held,
      ...network,
    };
  }
}
