import { formatTzs } from 'nestjs-payments';
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

/**
 * Shows the progress: on a terminal a counting line and a line for each problem, elsewhere a line for each
 * salary.
 */
export class PayProgress {
  private readonly counts = new Map<LineState, number>();
  private done = 0;

  constructor(
    private readonly screen: Screen,
    private readonly total: number,
  ) {}

  show(row: SalaryRow, result: LineResult): void {
    this.done += 1;
    this.counts.set(result.state, (this.counts.get(result.state) ?? 0) + 1);
    const wentWell = result.state === 'accepted' || result.state === 'paid';
    if (!this.screen.isTerminal || !wentWell) this.line(row, result);
    this.screen.progress(`Paying ${this.done}/${this.total}: ${countsText(this.counts)}`);
  }

  /** Removes the counting line. */
  end(): void {
    this.screen.progress('');
  }

  private line({ line, reference, name, amount }: SalaryRow, { state, detail }: LineResult): void {
    this.screen.line(
      `${this.done}/${this.total} line ${line} ${reference} ${name} ${formatTzs(amount)} `,
      { look: LOOKS[state], text: state },
      detail === '' ? '' : `: ${detail}`,
    );
  }
}

/** Counts by state, for example `7 accepted, 1 unknown`. */
export function countsText(counts: ReadonlyMap<LineState, number>): string {
  return [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
}
