import { type ResolvedPaymentsOptions } from '../config/resolved-options.js';

/** The headers that carry the credentials, in either of the two forms (specification, "Authentication" 2 and 5). */
export function credentialHeaders(
  options: Pick<ResolvedPaymentsOptions, 'auth' | 'apiKey' | 'apiSecret'>,
): Readonly<Record<string, string>> {
  if (options.auth === 'bearer') return { Authorization: `Bearer ${options.apiKey}` };
  return { 'X-API-KEY': options.apiKey, 'X-API-SECRET': options.apiSecret ?? '' };
}

/** Makes the headers of calls (specification, "Endpoints"). */
export type HeaderMaker = (hasBody: boolean, idempotencyKey: string | undefined) => Record<string, string>;

/** @param credentials What `credentialHeaders` gave. */
export function headerMaker(credentials: Readonly<Record<string, string>>): HeaderMaker {
  // Nothing is compressed: a small answer gains nothing, and only some adapters would unpack it.
  const plain = { ...credentials, Accept: 'application/json', 'Accept-Encoding': 'identity' };
  const withBody = { ...plain, 'Content-Type': 'application/json' };
  return (hasBody, idempotencyKey) => {
    const headers = hasBody ? withBody : plain;
    return idempotencyKey === undefined ? { ...headers } : { 'Idempotency-Key': idempotencyKey, ...headers };
  };
}
