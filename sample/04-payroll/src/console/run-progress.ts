import { Format } from 'cli-progress';

const BAR_WIDTH = 24;
const BAR = {
  barsize: BAR_WIDTH,
  barCompleteString: '█'.repeat(BAR_WIDTH),
  barIncompleteString: '░'.repeat(BAR_WIDTH),
  barGlue: '',
};
const TIME = { autopaddingChar: '' };
/** `cli-progress` rounds longer times to so many seconds. */
const ROUNDED_TO = 5;

/** Where a long command is. */
export interface RunState {
  /** All lines of the run, those of earlier starts too. */
  readonly total: number;
  /** Lines that were done before this start. */
  readonly before: number;
  /** Lines that this start has done. */
  readonly done: number;
  /** Since this start, in milliseconds. */
  readonly elapsedMs: number;
}

/** The bar, the count and, once there is one, the rate of this start and the time that it leaves. */
export function progressText({ total, before, done, elapsedMs }: RunState): string {
  const count = before + done;
  const bar = Format.BarFormat(total === 0 ? 1 : count / total, BAR);
  const counted = `${bar} ${count}/${total}`;
  if (done === 0 || elapsedMs <= 0) return counted;
  const rate = done / (elapsedMs / 1000);
  const left = Format.TimeFormat(Math.ceil((total - count) / rate), TIME, ROUNDED_TO);
  return `${counted}, ${rate.toFixed(1)} a second, ${left} left`;
}
