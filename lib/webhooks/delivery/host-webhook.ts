import { isAnyArrayBuffer, isUint8Array } from 'node:util/types';
import { type RawWebhook } from '../../common/webhook-scheme.js';
import { PaymentsConfigError } from '../../errors/payments-config.error.js';

/**
 * Headers of a delivery as a host gives them: Node's `request.headers`, the `headers` or `multiValueHeaders` of a Lambda
 * event, a `Headers` of the Fetch API, a Map, or a list of pairs. Names are in any case; one that comes twice, or has a list of
 * values, was sent more than once.
 *
 * @publicApi
 */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [name: string, value: string]>;

/**
 * The exact bytes of a delivery's body; a text stands for its UTF-8 bytes.
 *
 * @publicApi
 */
export type WebhookBody = string | Uint8Array | ArrayBuffer;

/**
 * The request's line, where the scheme signs what stands in it.
 *
 * @publicApi
 */
export interface WebhookRequestLine {
  /** Method of the request. @default 'POST' */
  readonly method?: string;
  /** Path and query, exactly as the sender asked for them. @default not known: a scheme that signs them refuses */
  readonly url?: string;
}

/**
 * A delivery of any host, in the form that schemes check.
 *
 * @throws PaymentsConfigError where the body was parsed, so that its bytes are lost, or there are no headers.
 */
export function hostWebhook(
  rawBody: unknown,
  headers: WebhookHeaders,
  { method = 'POST', url }: WebhookRequestLine,
): RawWebhook {
  return { headers: headerMap(headers), body: bytesOf(rawBody), method, url };
}

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
  for (const [name, given] of pairsOf(headers)) {
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

function pairsOf(
  headers: WebhookHeaders,
): Iterable<readonly [string, string | readonly string[] | undefined]> {
  return isIterable(headers) ? headers : Object.entries(headers);
}

function isIterable(headers: WebhookHeaders): headers is Iterable<readonly [string, string]> {
  return Symbol.iterator in headers;
}

/** @throws PaymentsConfigError where it is neither bytes nor text. */
export function bytesOf(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return Buffer.from(rawBody, 'utf8');
  // By their kind, not their class: a host may have made them in a realm of its own.
  if (isUint8Array(rawBody)) return rawBody;
  if (isAnyArrayBuffer(rawBody)) return new Uint8Array(rawBody);
  throw new PaymentsConfigError(
    'The body of a webhook is neither bytes nor text: pass the raw body. A signature is over its exact bytes, which a parsed ' +
      'body has lost.',
  );
}
