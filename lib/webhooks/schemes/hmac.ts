import { randomUUID } from 'node:crypto';
import {
  type RawWebhook,
  type SignatureVerdict,
  type WebhookScheme,
  type WebhookSigningInput,
} from '../../common/webhook-scheme.js';
import { PaymentsConfigError } from '../../errors/payments-config.error.js';
import { checkHmacOptions } from './hmac-checks.js';
import { type HmacOptions, type SignedPart } from './hmac-options.js';
import { headerBytes, sameSignature, singleHeader, writeSignature } from './signature-bytes.js';
import { formatTimestamp, isTimely, parseTimestamp } from './signature-timestamp.js';

/**
 * Webhooks signed with an HMAC over parts of the delivery.
 *
 * @throws PaymentsConfigError where the description could not be checked, or would protect less than it says.
 *
 * @example
 * hmac({ header: 'x-webhook-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] })
 *
 * @example A signed time, and `v0=` before the signature
 * hmac({
 *   header: 'x-signature', algorithm: 'sha256', encoding: 'hex', prefix: 'v0=',
 *   timestamp: { header: 'x-timestamp', unit: 's', toleranceSeconds: 300 },
 *   payload: [{ literal: 'v0:' }, 'timestamp', { literal: ':' }, 'body'],
 * })
 *
 * @publicApi
 */
export function hmac(options: HmacOptions): WebhookScheme {
  checkHmacOptions(options);
  return {
    name: `hmac-${options.algorithm}`,
    verify: (webhook, keys, now) => verify(options, webhook, keys, now),
    sign: (input) => sign(options, input),
  };
}

function verify(
  options: HmacOptions,
  webhook: RawWebhook,
  keys: readonly Uint8Array[],
  now: number,
): SignatureVerdict {
  const given = singleHeader(webhook, options.header.toLowerCase());
  if (given === undefined) return refused('the signature header is absent, empty, over-long or repeated');
  const parts: Uint8Array[] = [];
  for (const part of options.payload) {
    const bytes = receivedBytes(options, part, webhook);
    if (!bytes) return refused('a signed header is absent, empty, over-long or repeated');
    parts.push(bytes);
  }
  const untimely = timestampProblem(options, webhook, now);
  if (untimely) return refused(untimely);
  const candidates = options.signatures ? given.split(options.signatures.separator) : [given];
  const matches = usable(keys)
    .map((key) => writeSignature(options, key, parts))
    .some((expected) => candidates.some((candidate) => sameSignature(candidate, expected)));
  return matches ? { ok: true } : refused('no signature matches');
}

function sign(
  options: HmacOptions,
  { body, key, now, id, headers }: WebhookSigningInput,
): Record<string, string> {
  if (key.length === 0) throw new PaymentsConfigError('A webhook cannot be signed with an empty secret.');
  const sent: Record<string, string> = { ...lowerCaseNames(headers ?? {}) };
  if (options.id) sent[options.id.header.toLowerCase()] = id ?? randomUUID();
  if (options.timestamp) {
    sent[options.timestamp.header.toLowerCase()] = formatTimestamp(now, options.timestamp.unit);
  }
  const webhook = { headers: new Map(Object.entries(sent).map(([name, value]) => [name, [value]])), body };
  const parts = options.payload.map((part) => receivedBytes(options, part, webhook) ?? missingPart(part));
  sent[options.header.toLowerCase()] = writeSignature(options, key, parts);
  return sent;
}

function receivedBytes(options: HmacOptions, part: SignedPart, webhook: RawWebhook): Uint8Array | undefined {
  if (part === 'body') return webhook.body;
  if (typeof part === 'object' && 'literal' in part) return Buffer.from(part.literal, 'utf8');
  const value = singleHeader(webhook, headerOf(options, part).toLowerCase());
  return value === undefined ? undefined : headerBytes(value);
}

function headerOf(options: HmacOptions, part: 'timestamp' | 'id' | { readonly header: string }): string {
  if (typeof part === 'object') return part.header;
  return options[part]?.header ?? '';
}

function timestampProblem({ timestamp }: HmacOptions, webhook: RawWebhook, now: number): string | undefined {
  if (!timestamp) return undefined;
  const text = singleHeader(webhook, timestamp.header.toLowerCase()) ?? '';
  const moment = parseTimestamp(text, timestamp.unit);
  if (moment === undefined) return 'the timestamp is malformed';
  return isTimely(moment, now, timestamp.toleranceSeconds) ? undefined : 'the timestamp is too far from now';
}

/** A signature made with an empty key is one that anybody can make. */
function usable(keys: readonly Uint8Array[]): readonly Uint8Array[] {
  return keys.filter((key) => key.length > 0);
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function missingPart(part: SignedPart): never {
  const name = typeof part === 'object' && 'header' in part ? part.header : 'a signed header';
  throw new PaymentsConfigError(`The scheme signs the header ${name}: pass its value in headers.`);
}

function refused(reason: string): SignatureVerdict {
  return { ok: false, reason };
}
