import { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

/** What a delivery must keep to before its signature is checked. */
export interface DeliveryLimits {
  readonly bodyLimit: number;
  readonly bodyTimeoutMs: number;
  readonly unverifiedBytesLimit: number;
  /** Lower-case names of headers without which no signature can be right. */
  readonly requiredHeaders: readonly string[];
}

/** What any of several routes takes, where only the router knows whose delivery it is. */
export function loosestLimits(ofRoutes: readonly (DeliveryLimits | undefined)[]): DeliveryLimits | undefined {
  const [first, ...others] = ofRoutes.filter((limits) => limits !== undefined);
  return others.reduce(looser, first);
}

function looser(one: DeliveryLimits | undefined, other: DeliveryLimits): DeliveryLimits {
  if (!one) return other;
  return {
    bodyLimit: Math.max(one.bodyLimit, other.bodyLimit),
    bodyTimeoutMs: Math.max(one.bodyTimeoutMs, other.bodyTimeoutMs),
    unverifiedBytesLimit: Math.max(one.unverifiedBytesLimit, other.unverifiedBytesLimit),
    requiredHeaders: one.requiredHeaders.filter((name) => other.requiredHeaders.includes(name)),
  };
}

/** Headers by lower-case name, as Node gives them; a host that makes a request up, and has no raw ones, may write them otherwise. */
export function headersOf({
  headers,
  rawHeaders = [],
}: Pick<IncomingMessage, 'headers'> & Partial<Pick<IncomingMessage, 'rawHeaders'>>): IncomingHttpHeaders {
  if (rawHeaders.length > 0) return headers;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** How a delivery is refused by its head alone, so that nothing of its body is read; undefined where it may be read. */
export function headRefusal(
  headers: IncomingHttpHeaders,
  { bodyLimit, requiredHeaders }: Pick<DeliveryLimits, 'bodyLimit' | 'requiredHeaders'>,
): 401 | 413 | 415 | undefined {
  if (!isReadableContent(headers)) return 415;
  if (announcedLength(headers) > bodyLimit) return 413;
  return requiredHeaders.every((name) => headers[name] !== undefined) ? undefined : 401;
}

/** NaN where it comes in chunks, or where there is no body. */
export function announcedLength(headers: IncomingHttpHeaders): number {
  return Number(headers['content-length'] ?? Number.NaN);
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/;
const CHARSET = /^charset="?utf-?8"?$/;

/**
 * Whether a body may be read as UTF-8 JSON without changing a byte of it: not compressed, no other charset, a JSON
 * content type or none.
 */
export function isReadableContent(headers: IncomingHttpHeaders): boolean {
  // Nearly every delivery: nothing to take apart.
  if (headers['content-type'] === 'application/json' && headers['content-encoding'] === undefined)
    return true;
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') return false;
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  if (type !== '' && !JSON_TYPE.test(type)) return false;
  return parameters.every((parameter) => !parameter.startsWith('charset') || CHARSET.test(parameter));
}
