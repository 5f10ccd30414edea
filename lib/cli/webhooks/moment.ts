import { instantOf } from '../../common/instant.js';
import { UsageError } from '../usage-error.js';

/**
 * Parses the moment of `--at` into milliseconds since 1970; without text, returns now.
 *
 * @throws UsageError if it is neither ISO 8601 with a zone nor seconds nor milliseconds since 1970.
 */
export function momentOf(text: string | undefined): number {
  if (text === undefined) return Date.now();
  if (/^\d{9,10}$/.test(text)) return Number(text) * 1_000;
  if (/^\d{12,13}$/.test(text)) return Number(text);
  const moment = instantOf(text);
  if (moment !== undefined) return moment;
  throw new UsageError('--at is not a moment with its time zone: write for example 2026-01-31T08:00:00Z.');
}
