import { formatTzs } from 'nestjs-payments';
import { progressText } from '../console/run-progress.js';
import { type Look, type Screen } from '../console/screen.js';
import { type SalaryRow } from '../salaries/salary-row.js';
import { type LineResult, type LineState } from './line-state.js';

const LOOKS: Readonly<Record<LineState, Look>> = {
  accepted: 'green',
  paid: 'green',
  unknown: 'yellow',
  refused: 'red',
  failed: 'red',
  cancelled: 'red',
  'not-sent': 'dim',
};

/** The lines of a run when this start of it begins. */
export interface RunLines {
  /** All lines, so that the total is the same at every start. */
  readonly total: number;
  /** The states of those that this start does not call. */
  readonly before: readonly LineState[];
}

/**
 * Shows the progress: on a terminal a bar and a line for each problem, elsewhere a line for each salary.
 */
export class PayProgress {
  private readonly counts = new Map<LineState, number>();
  private done = 0;
  private readonly startedAt: number;

  constructor(
    private readonly screen: Screen,
    private readonly lines: RunLines,
    private readonly now: () => number = Date.now,
  ) {
    this.startedAt = now();
    for (const state of lines.before) this.count(state);
  }

  show(row: SalaryRow, result: LineResult): void {
    this.done += 1;
    this.count(result.state);
    const wentWell = result.state === 'accepted' || result.state === 'paid';
    if (!this.screen.isTerminal || !wentWell) this.line(row, result);
    const { total, before } = this.lines;
    const elapsedMs = this.now() - this.startedAt;
    const state = { total, before: before.length, done: this.done, elapsedMs };
    this.screen.progress(`${progressText(state)}: ${countsText(this.counts)}`);
  }

  /** Removes the bar. */
  end(): void {
    this.screen.progress('');
  }

  private count(state: LineState): void {
    this.counts.set(state, (this.counts.get(state) ?? 0) + 1);
  }

  private line({ line, reference, name, amount }: SalaryRow, { state, detail }: LineResult): void {
    const { total, before } = this.lines;
    this.screen.line(
      `${before.length + this.done}/${total} line ${line} ${reference} ${name} ${formatTzs(amount)} `,
      { look: LOOKS[state], text: state },
      detail === '' ? '' : `: ${detail}`,
    );
  }
}

/** Counts by state, for example `7 accepted, 1 unknown`. */
export function countsText(counts: ReadonlyMap<LineState, number>): string {
  return [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
}
