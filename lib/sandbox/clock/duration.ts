import { PaymentsConfigError } from '../../errors/payments-errors.js';

/**
 * A span of time: milliseconds, or a number with its unit (`'250ms'`, `'90s'`, `'15m'`, `'6h'`, `'2d'`).
 *
 * @publicApi
 */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** A century: the longest duration. A `Date` cannot hold times much later. */
export const LONGEST_MS = 36_525 * 86_400_000;
const WRITTEN = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/**
 * A duration in milliseconds.
 *
 * @throws PaymentsConfigError if it is invalid.
 */
export function milliseconds(duration: Duration): number {
  const [, count, unit = ''] = WRITTEN.exec(String(duration)) ?? [];
  const value = typeof duration === 'number' ? duration : Number(count) * (UNITS[unit] ?? NaN);
  if (value >= 0 && value <= LONGEST_MS) return Math.round(value);
  throw new PaymentsConfigError(
    `A duration must be milliseconds from 0 on (a century at most), or a number with its unit: write '90s', '15m' or '6h', not ${JSON.stringify(duration)}.`,
  );
}
