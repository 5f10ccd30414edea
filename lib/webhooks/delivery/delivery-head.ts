import { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { type RawWebhook } from '../../common/webhook-scheme.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';

/** The limits of a delivery before its signature is checked. */
export interface DeliveryLimits {
  readonly bodyLimit: number;
  readonly bodyTimeoutMs: number;
  readonly unverifiedBytesLimit: number;
  /** Lower-case names of the headers that every valid signature needs. */
  readonly requiredHeaders: readonly string[];
}

/** A host that creates the request from an event may leave raw headers out or empty. */
type HostedRequest = Pick<IncomingMessage, 'headers'> & { readonly rawHeaders?: readonly string[] };

/**
 * The status if the head alone refuses a delivery, so that its body is not read; else the length of the body.
 */
type CheckedHead =
  | { readonly refusedWith: 401 | 413 | 415 }
  /** NaN if the body comes in chunks, or if there is none. */
  | { readonly announced: number };

export function checkHead(
  request: HostedRequest,
  { bodyLimit, requiredHeaders }: Pick<DeliveryLimits, 'bodyLimit' | 'requiredHeaders'>,
): CheckedHead {
  const headers = lowerCaseHeaders(request);
  const announced = Number(headers['content-length'] ?? Number.NaN);
  if (!isReadableContent(headers)) return { refusedWith: 415 };
  if (announced > bodyLimit) return { refusedWith: 413 };
  return has(headers, requiredHeaders) ? { announced } : { refusedWith: 401 };
}

/** Whether a delivery has all headers of the scheme, so that it may be genuine. */
export function isSigned(
  request: HostedRequest,
  { requiredHeaders }: Pick<DeliveryLimits, 'requiredHeaders'>,
): boolean {
  return has(lowerCaseHeaders(request), requiredHeaders);
}

function has(headers: IncomingHttpHeaders, names: readonly string[]): boolean {
  return names.every((name) => headers[name] !== undefined);
}

/** Only a host that creates the request without raw headers may write names in another case. */
function lowerCaseHeaders({ headers, rawHeaders = [] }: HostedRequest): IncomingHttpHeaders {
  if (rawHeaders.length > 0) return headers;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/;
const CHARSET = /^charset="?utf-?8"?$/;

/** Whether a body is uncompressed JSON in UTF-8 by its headers. The content type may be absent. */
export function isReadableContent(headers: IncomingHttpHeaders): boolean {
  // A short cut for nearly every delivery.
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

export function signedDelivery(request: IncomingMessage, body: Uint8Array): RawWebhook {
  return { headers: headerValues(request), body, method: request.method, url: requestedUrl(request) };
}

/** The URL as the sender wrote it: an application around this one may have removed the start of the path. */
export function requestedUrl(request: IncomingMessage & { readonly originalUrl?: string }): string {
  return request.originalUrl ?? request.url ?? '';
}

/**
 * Header values by lower-case name. Uses raw headers if there are any, because Node joins repeated ones in
 * `headers`.
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
 * Headers of a delivery: Node's `request.headers`, the `headers` or `multiValueHeaders` of a Lambda event, a
 * `Headers` of the Fetch API, a Map, or a list of pairs. Names may be in any case. A name that comes twice,
 * or has a list of values, is a repeated header.
 *
 * @publicApi
 */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [name: string, value: string]>;

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

/** A host that creates the request may write a length as a number. */
function valuesOf(given: unknown): readonly string[] {
  if (given == null) return [];
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
