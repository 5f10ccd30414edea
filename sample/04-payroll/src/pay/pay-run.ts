import { Injectable } from '@nestjs/common';
import { Interruption } from '../console/interruption.js';
import { Screen } from '../console/screen.js';
import { inParallel } from '../in-parallel.js';
import { Settings } from '../settings.js';
import { type ApprovedLine } from './approved-lines.js';
import { LinePayer } from './line-payer.js';
import { type LineResult } from './line-state.js';
import { PayProgress } from './pay-progress.js';

/** This many new unknown outcomes are not an accident: send the rest when the gateway works again. */
const MOST_UNKNOWN = 3;

/** Sends lines in parallel until all are sent, or there is a reason to stop. */
@Injectable()
export class PayRun {
  constructor(
    private readonly payer: LinePayer,
    private readonly settings: Settings,
    private readonly screen: Screen,
    private readonly interruption: Interruption,
  ) {}

  /**
   * @param lines The lines to call.
   * @param results The earlier results of all lines of the run, by line; `payAll` updates them.
   * @returns Why it stopped before the end, if it did.
   */
  async payAll(
    run: string,
    lines: readonly ApprovedLine[],
    results: Map<number, LineResult>,
  ): Promise<string | undefined> {
    const called = new Set(lines.map(({ row }) => row.line));
    const before = [...results].filter(([line]) => !called.has(line)).map(([, { state }]) => state);
    const progress = new PayProgress(this.screen, { total: results.size, before });
    let stop: string | undefined;
    let newlyUnknown = 0;
    const forget = this.interruption.listen(() => {
      stop ??= 'Stopped by Ctrl-C.';
      this.screen.line(
        'Stopping: what is under way is being finished. Once more ends at once and leaves it unknown.',
      );
    });
    const pay = async (line: ApprovedLine): Promise<void> => {
      const before = results.get(line.row.line);
      const { result, stop: reason } = await this.payer.pay(run, line, before);
      results.set(line.row.line, result);
      progress.show(line.row, result);
      stop ??= reason;
      if (result.state === 'unknown' && before?.state !== 'unknown') newlyUnknown += 1;
      if (newlyUnknown >= MOST_UNKNOWN) {
        stop ??= `${newlyUnknown} outcomes are unknown: something is wrong at the gateway.`;
      }
    };
    try {
      await inParallel(lines, this.settings.atOnce, pay, () => stop === undefined);
      return stop;
    } finally {
      progress.end();
      forget();
    }
  }
}
