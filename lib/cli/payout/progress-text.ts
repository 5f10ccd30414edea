import { type BatchProgress, type LineState } from '../../batches/index.js';

/** The states of lines that are still to be sent, or checked. */
const OPEN = { pay: ['waiting', 'checked', 'sending'], check: ['waiting'] } as const;
/** Shown by name while a batch is paid. */
const OUTCOMES: readonly LineState[] = ['accepted', 'paid', 'unknown', 'refused', 'failed'];
const MINUTE_S = 60;
const HOUR_S = 3_600;

/** How far something is, at one moment. */
interface Progress {
  readonly done: number;
  readonly total: number;
  /** `; accepted 3, unknown 1`, or empty. */
  readonly outcomes: string;
}

/** Blocked lines belong to the total of a check, and not to that of a run, which leaves them out. */
export function progressIn(kind: 'check' | 'pay', { total: all, byState }: BatchProgress): Progress {
  const linesIn = (state: LineState): number => byState[state]?.lines ?? 0;
  const total = all.lines - (kind === 'pay' ? linesIn('blocked') : 0);
  const open = OPEN[kind].reduce((sum, state) => sum + linesIn(state), 0);
  const shown = kind === 'check' ? (['blocked'] as const) : OUTCOMES;
  const named = shown.filter((state) => linesIn(state) > 0).map((state) => `${state} ${linesIn(state)}`);
  return { done: total - open, total, outcomes: named.length > 0 ? `; ${named.join(', ')}` : '' };
}

/** Knows how fast something goes since this process began with it. */
export class Pace {
  private first: { readonly done: number; readonly atMs: number } | undefined;

  /** `, 12.5 a second, 1 min 20 s left`; empty as long as nothing is known. */
  of({ done, total }: Progress, nowMs: number): string {
    this.first ??= { done, atMs: nowMs };
    const perSecond = (done - this.first.done) / ((nowMs - this.first.atMs) / 1_000);
    if (!Number.isFinite(perSecond) || perSecond <= 0) return '';
    const left = done < total ? `, ${durationText((total - done) / perSecond)} left` : '';
    return `, ${perSecond.toFixed(1)} a second${left}`;
  }
}

export function durationText(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < MINUTE_S) return `${whole} s`;
  if (whole < HOUR_S) return `${Math.floor(whole / MINUTE_S)} min ${whole % MINUTE_S} s`;
  return `${Math.floor(whole / HOUR_S)} h ${Math.floor((whole % HOUR_S) / MINUTE_S)} min`;
}
