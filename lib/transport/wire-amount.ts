import { type AmountFormat } from '../config/payments-options.js';

/**
 * An amount as it stands in the request. Below 10^13 a canonical amount has at most 15 significant digits, which a
 * JSON number holds exactly.
 */
export function wireAmount(canonical: string, format: AmountFormat): string | number {
  return format === 'string' ? canonical : Number(canonical);
}
