import { LONGEST_MS } from './duration.js';
import { LAST_MOMENT } from './timestamp.js';

/** What a clock needs to continue after a restart. */
export interface ClockState {
  readonly kind: 'real' | 'manual';
  /** How far the clock is ahead of its base: real time, or the start of every manual clock. */
  readonly skew: number;
  /** Where a frozen real clock stands. */
  readonly stoppedAt?: number | undefined;
}

/** A manual clock starts here, so that the same seed gives the same run on any day. */
const MANUAL_START = Date.UTC(2026, 0, 1, 9);
/** Where every clock ends: what it plans from there on still needs a date. */
export const LAST_NOW = LAST_MOMENT - 3 * LONGEST_MS;

/** Whether a clock can continue from there. */
export function isPossibleClock(state: ClockState): boolean {
  return Math.abs(momentOf(state)) <= LAST_NOW;
}

/** The time that a clock shows. */
export function momentOf({ kind, skew, stoppedAt }: ClockState): number {
  return stoppedAt ?? baseOf(kind) + skew;
}

/** What a clock's skew is added to. */
export function baseOf(kind: ClockState['kind']): number {
  return kind === 'real' ? Date.now() : MANUAL_START;
}
