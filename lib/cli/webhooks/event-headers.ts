import { randomBytes } from 'node:crypto';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { printable } from '../../common/printable.js';
import { signWebhook } from '../../testing/sign-webhook.js';
import { asUsage, UsageError } from '../usage-error.js';
import { type Sender } from './signing-options.js';

/** How a delivery is signed: correctly, or in a way that a route must refuse. */
export type SignatureKind = 'good' | 'stale' | 'forged' | 'unsigned';

const A_DAY_MS = 86_400_000;

/**
 * The headers of a delivery, including the sender's own.
 *
 * @param now Time of signing in milliseconds since 1970.
 * @param url Address of the route, for a scheme that signs the address.
 * @throws UsageError if `kind` is `stale` and the scheme signs no time, a signed header is missing, or a
 * header is invalid.
 */
export function eventHeaders(
  kind: SignatureKind,
  body: string | Uint8Array,
  sender: Omit<Sender, 'keys'>,
  { now = Date.now(), url }: { readonly now?: number; readonly url?: URL | undefined } = {},
): Readonly<Record<string, string>> {
  const { scheme, secrets, signsTime, sent } = sender;
  const headers = { 'content-type': 'application/json', ...sent };
  if (kind === 'unsigned') return sendable(headers);
  if (kind === 'stale' && !signsTime) {
    throw new UsageError(
      '--stale needs a scheme that signs a time: write --timestamp-header with --payload, or another --scheme.',
    );
  }
  const secret = kind === 'forged' ? strangeSecret() : secrets[0];
  const asked = url && { url: url.pathname + url.search };
  const moment = kind === 'stale' ? now - A_DAY_MS : now;
  const signed = asUsage(
    () => signWebhook({ scheme, secret, body, now: moment, headers, ...asked }),
    (message) => message.replace('in headers', 'with -H').replace('in url', 'with --url'),
  );
  return sendable({ ...headers, ...signed });
}

function sendable(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      throw new UsageError(`The header ${printable(name)} holds characters that no header can hold.`);
    }
  }
  return headers;
}

function strangeSecret() {
  return { value: randomBytes(32).toString('base64'), encoding: 'base64' } as const;
}
