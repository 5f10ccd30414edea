import { type IncomingMessage } from 'node:http';
import { type RawWebhook } from '../../common/webhook-scheme.js';
import { headerMap } from '../delivery/host-webhook.js';

/** A delivery in the form that schemes check. */
export function signedDelivery(request: IncomingMessage, body: Uint8Array): RawWebhook {
  return { headers: headerValues(request), body, method: request.method, url: requestedUrl(request) };
}

/** The URL as the sender asked for it: an application around this one may have taken the start of the path away. */
export function requestedUrl(request: IncomingMessage & { readonly originalUrl?: string }): string {
  return request.originalUrl ?? request.url ?? '';
}

/** Requests that a host makes up of an event may have no raw headers, or none in them. */
type HostedRequest = Pick<IncomingMessage, 'headers'> & { readonly rawHeaders?: readonly string[] };

/**
 * Header values by lower-case name, repeated ones apart: Node joins them in `headers`, which counts only where the host gives
 * no other.
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
