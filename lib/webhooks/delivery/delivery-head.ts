import { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { type RawWebhook } from '../../common/webhook-scheme.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';

/** What a delivery must keep to before its signature is checked. */
export interface DeliveryLimits {
  readonly bodyLimit: number;
  readonly bodyTimeoutMs: number;
  readonly unverifiedBytesLimit: number;
  /** Lower-case names of headers without which no signature can be right. */
  readonly requiredHeaders: readonly string[];
}

/** Requests that a host makes up of an event may have no raw headers, or none in them. */
type HostedRequest = Pick<IncomingMessage, 'headers'> & { readonly rawHeaders?: readonly string[] };

/** How a delivery is refused by its head alone, so that nothing of its body is read; or how long its body is to be. */
type CheckedHead =
  | { readonly refusedWith: 401 | 413 | 415 }
  /** NaN where it comes in chunks, or where there is no body. */
  | { readonly announced: number };

/** Checks the head of a delivery before anything of its body is read. */
export function checkHead(
  request: HostedRequest,
  { bodyLimit, requiredHeaders }: Pick<DeliveryLimits, 'bodyLimit' | 'requiredHeaders'>,
): CheckedHead {
  const headers = lowerCaseHeaders(request);
  const announced = Number(headers['content-length'] ?? Number.NaN);
  if (!isReadableContent(headers)) return { refusedWith: 415 };
  if (announced > bodyLimit) return { refusedWith: 413 };
  const isSigned = requiredHeaders.every((name) => headers[name] !== undefined);
  return isSigned ? { announced } : { refusedWith: 401 };
}

/** As Node gives them; a host that makes a request up, and has no raw ones, may write their names otherwise. */
function lowerCaseHeaders({ headers, rawHeaders = [] }: HostedRequest): IncomingHttpHeaders {
  if (rawHeaders.length > 0) return headers;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
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

/** A delivery in the form that schemes check. */
export function signedDelivery(request: IncomingMessage, body: Uint8Array): RawWebhook {
  return { headers: headerValues(request), body, method: request.method, url: requestedUrl(request) };
}

/** The URL as the sender asked for it: an application around this one may have taken the start of the path away. */
export function requestedUrl(request: IncomingMessage & { readonly originalUrl?: string }): string {
  return request.originalUrl ?? request.url ?? '';
}

/**
 * Header values by lower-case name, repeated ones apart: Node joins them in `headers`, which counts only
 * where the host gives no other.
 */
export function headerValues({
  headers,
  rawHeaders = [],
}: HostedRequest): ReadonlyMap<string, readonly string[]> {
  if (rawHeaders.length === 0) return headerMap(headers);
  const values = new Map<string, string[]>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    const others = values.get(name);
    if (others) others.push(value);
    else values.set(name, [value]);
  }
  return values;
}

/**
 * Headers of a delivery as a host gives them: Node's `request.headers`, the `headers` or `multiValueHeaders`
 * of a Lambda event, a `Headers` of the Fetch API, a Map, or a list of pairs. Names are in any case; one that
 * comes twice, or has a list of values, was sent more than once.
 *
 * @publicApi
 */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [name: string, value: string]>;

/** Header values by lower-case name, repeated ones apart. */
export function headerMap(
  headers: WebhookHeaders | null | undefined,
): ReadonlyMap<string, readonly string[]> {
  if (typeof headers !== 'object' || headers === null) {
    throw new PaymentsConfigError(
      "A webhook's headers are missing: pass those of its request, for example `event.headers ?? event.multiValueHeaders`.",
    );
  }
  const map = new Map<string, string[]>();
  for (const pair of pairsOf(headers)) {
    if (!isPair(pair)) {
      throw new PaymentsConfigError(
        "A webhook's headers are a list whose entries are no pairs: pass [name, value] for each, or an object. For a flat list " +
          'such as `request.rawHeaders`, pass `request.headers`.',
      );
    }
    const [name, given] = pair;
    const key = name.toLowerCase();
    map.set(key, [...(map.get(key) ?? []), ...valuesOf(given)]);
  }
  return map;
}

/** A host that makes a request up may have written a length as a number. */
function valuesOf(given: unknown): readonly string[] {
  if (given === undefined || given === null) return [];
  return (Array.isArray(given) ? given : [given]).map(String);
}

function isPair(pair: unknown): pair is readonly [name: string, value: unknown] {
  return Array.isArray(pair) && typeof pair[0] === 'string';
}

function pairsOf(headers: WebhookHeaders): Iterable<unknown> {
  return isIterable(headers) ? headers : Object.entries(headers);
}

function isIterable(headers: WebhookHeaders): headers is Iterable<readonly [string, string]> {
  return Symbol.iterator in headers;
}
