import { Injectable } from '@nestjs/common';
import { readReport } from '../check/check-report.js';
import { SentGuard } from '../check/sent-guard.js';
import { type PayOrder } from '../command-line.js';
import { Screen } from '../console/screen.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { PayrollProblem } from '../payroll.problem.js';
import { writePrivately } from '../private-file.js';
import { openSalaries } from '../salaries/read-salaries.js';
import { Settings } from '../settings.js';
import { runTotal, WalletCover } from '../wallet-cover.js';
import {
  type ApprovedLine,
  approvedLines,
  demandAcceptedNames,
  demandNeededAccepts,
} from './approved-lines.js';
import { isOpen, type LineResult, NOT_SENT, resultOf } from './line-state.js';
import { countsText } from './pay-progress.js';
import { PayRun } from './pay-run.js';
import { writeResult } from './result-file.js';
import { summaryCsv, summaryOf, summaryTable } from './run-summary.js';
import { adviceOn, countStates, exitCodeOf } from './run-end.js';

/** `payroll pay`: sends the checked lines that are not out yet, and asks again about unknown ones. */
@Injectable()
export class PayCommand {
  constructor(
    private readonly guard: SentGuard,
    private readonly cover: WalletCover,
    private readonly payRun: PayRun,
    private readonly settings: Settings,
    private readonly screen: Screen,
  ) {}

  async run({ file, run, accepted, again }: PayOrder): Promise<ExitCode> {
    const salaries = await openSalaries(file);
    const report = await readReport(this.settings.fileOf(run, 'check.json'));
    const lines = approvedLines(salaries, report, { gateway: this.settings.gateway, now: Date.now() });
    demandNeededAccepts(lines, accepted);
    const results = await this.existing(run, lines);
    const resultOfLine = ({ row }: ApprovedLine): LineResult => results.get(row.line) ?? NOT_SENT;
    const open = lines.filter((line) => isOpen(resultOfLine(line)));
    demandAcceptedNames(open, accepted);
    this.screen.line(runTotal(run, salaries.rows));
    this.sayWhatIsOut(lines.length - open.length, lines.length);
    if (open.length > 0) await this.demandCover(open);
    await this.guard.begin(
      run,
      open.map(({ row }) => row),
      again,
    );
    const toCall = lines.filter((line) => open.includes(line) || resultOfLine(line).state === 'unknown');
    const stop = await this.payRun.payAll(run, toCall, results);
    return this.finish(run, lines, results, stop);
  }

  private async existing(run: string, lines: readonly ApprovedLine[]): Promise<Map<number, LineResult>> {
    const rows = lines.map(({ row }) => row);
    const entries = await this.guard.entries(run, rows);
    return new Map(rows.map(({ line, reference }) => [line, resultOf(entries.get(reference))]));
  }

  private sayWhatIsOut(out: number, total: number): void {
    if (out > 0)
      this.screen.line(`${out} of ${total} lines are out, or may be: nothing is sent a second time.`);
  }

  private async demandCover(open: readonly ApprovedLine[]): Promise<void> {
    const { isEnough, text } = await this.cover.of(open.map(({ row }) => row));
    this.screen.line(text);
    if (isEnough) return;
    throw new PayrollProblem('The wallet holds too little: top it up. Nothing was sent.', [], EXIT.stopped);
  }

  private async finish(
    run: string,
    lines: readonly ApprovedLine[],
    results: ReadonlyMap<number, LineResult>,
    stop: string | undefined,
  ): Promise<ExitCode> {
    const resultFile = this.settings.fileOf(run, 'result.csv');
    const rows = lines.map(({ row }) => row);
    const counts = countStates(results.values());
    const summary = summaryOf(rows, results);
    if (stop !== undefined) this.screen.problem({ look: 'red', text: stop });
    this.screen.line({ look: 'bold', text: `${lines.length} lines: ${countsText(counts)}.` });
    for (const text of summaryTable(summary)) this.screen.line(text);
    for (const advice of adviceOn(counts)) this.screen.line(advice);
    const code = exitCodeOf(counts);
    const summaryFile = this.settings.fileOf(run, 'summary.csv');
    await writeResult(resultFile, run, rows, results).catch(notWritten(resultFile, code));
    await writePrivately(summaryFile, summaryCsv(run, summary)).catch(notWritten(summaryFile, code));
    this.screen.line(`Written to ${resultFile}; by state and bank, without names, to ${summaryFile}.`);
    return code;
  }
}

function notWritten(file: string, code: ExitCode): (error: unknown) => never {
  return (error) => {
    throw new PayrollProblem(
      `${file} cannot be written (${(error as NodeJS.ErrnoException).code}): the journal has it all, and the same command writes it.`,
      [],
      code === EXIT.fine ? EXIT.stopped : code,
    );
  };
}
