import { UsageError } from '../usage-error.js';

/**
 * Parses a moment into milliseconds since 1970; without text, returns now.
 *
 * @throws UsageError if it is neither ISO 8601 nor seconds nor milliseconds since 1970.
 */
export function momentOf(option: string, text: string | undefined): number {
  if (text === undefined) return Date.now();
  if (/^\d{9,10}$/.test(text)) return Number(text) * 1_000;
  if (/^\d{12,13}$/.test(text)) return Number(text);
  const moment = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(moment)) return moment;
  throw new UsageError(`${option} is not a moment: write for example 2026-01-31T08:00:00Z.`);
}
