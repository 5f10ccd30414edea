import { Injectable } from '@nestjs/common';
import { type CheckOrder } from '../command-line.js';
import { Screen } from '../console/screen.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { isOut, resultOf } from '../pay/line-state.js';
import { openSalaries } from '../salaries/read-salaries.js';
import { type SalaryRow } from '../salaries/salary-row.js';
import { Settings } from '../settings.js';
import { runTotal, WalletCover } from '../wallet-cover.js';
import { type CheckedLine, readReport, writeReport } from './check-report.js';
import { checkTable } from './check-table.js';
import { LineChecker } from './line-checker.js';
import { type PaidElsewhere, SentGuard } from './sent-guard.js';

/** `payroll check`: makes all checks that are possible before money moves. */
@Injectable()
export class CheckCommand {
  constructor(
    private readonly checker: LineChecker,
    private readonly cover: WalletCover,
    private readonly guard: SentGuard,
    private readonly settings: Settings,
    private readonly screen: Screen,
  ) {}

  async run({ file, run }: CheckOrder): Promise<ExitCode> {
    const { rows, fingerprint } = await openSalaries(file);
    const reportFile = this.settings.fileOf(run, 'check.json');
    const previous = (await readReport(reportFile))?.lines ?? [];
    const out = await this.referencesOut(run, rows);
    const sent = previous.filter(({ reference }) => out.has(reference));
    const lines = await this.checker.check(rows, new Map(sent.map((line) => [line.reference, line])));
    const { gateway } = this.settings;
    const checkedAt = new Date().toISOString();
    await writeReport(reportFile, { version: 1, fingerprint, gateway, checkedAt, lines });
    this.screen.line(runTotal(run, rows));
    for (const text of checkTable(rows, lines)) this.screen.line(text);
    this.screen.line();
    const open = rows.filter(({ reference }) => !out.has(reference));
    await this.compareWithWallet(open);
    this.sayWhatNext(file, run, lines, await this.guard.paidElsewhere(run, open));
    return EXIT.fine;
  }

  /** The references of lines whose money is, or may be, out. */
  private async referencesOut(run: string, rows: readonly SalaryRow[]): Promise<ReadonlySet<string>> {
    const entries = await this.guard.entries(run, rows);
    const out = [...entries].filter(([, entry]) => isOut(resultOf(entry))).map(([reference]) => reference);
    if (out.length > 0) {
      this.screen.line(
        `The run ${run} has begun: ${out.length} of ${rows.length} lines are out and stay as they are. ` +
          'Another month needs another name: --run 2026-12.',
      );
    }
    return new Set(out);
  }

  private async compareWithWallet(open: readonly SalaryRow[]): Promise<void> {
    const { isEnough, text } = await this.cover.of(open);
    this.screen.line(text);
    if (!isEnough) this.screen.line({ look: 'yellow', text: 'That is too little: top the wallet up first.' });
  }

  private sayWhatNext(
    file: string,
    run: string,
    lines: readonly CheckedLine[],
    elsewhere: readonly PaidElsewhere[],
  ): void {
    const different = lines.filter(({ name }) => name === 'different').map(({ line }) => line);
    if (different.length > 0) {
      this.screen.line({
        look: 'yellow',
        text: `Different names in line ${different.join(', ')}: correct them and check again, or accept each.`,
      });
    }
    if (elsewhere.length > 0) {
      this.screen.line({
        look: 'yellow',
        text: 'Paid lately in another run: is this file a copy? If they are to be paid again, name that run.',
      });
      for (const { text } of elsewhere) this.screen.line(text);
    }
    const accepts = different.map((line) => ` --accept ${line}`);
    const again = [...new Set(elsewhere.map((line) => line.run))].map((other) => ` --again ${other}`);
    this.screen.line(`Next: payroll pay ${file} --run ${run}${[...accepts, ...again].join('')}`);
  }
}
