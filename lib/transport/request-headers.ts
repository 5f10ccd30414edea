import { type ResolvedPaymentsOptions } from '../config/resolved-options.js';

/** The headers that carry the credentials, in either of the two forms (specification, "Authentication" 2 and 5). */
export function credentialHeaders(
  options: Pick<ResolvedPaymentsOptions, 'auth' | 'apiKey' | 'apiSecret'>,
): Readonly<Record<string, string>> {
  if (options.auth === 'bearer') return { Authorization: `Bearer ${options.apiKey}` };
  return { 'X-API-KEY': options.apiKey, 'X-API-SECRET': options.apiSecret ?? '' };
}

/** The headers of one call (specification, "Endpoints"). */
export function requestHeaders(
  credentials: Readonly<Record<string, string>>,
  hasBody: boolean,
  idempotencyKey: string | undefined,
): Record<string, string> {
  return {
    ...credentials,
    Accept: 'application/json',
    ...(hasBody && { 'Content-Type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  };
}
