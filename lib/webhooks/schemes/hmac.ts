import { type RawWebhook, type WebhookScheme } from '../../common/webhook-scheme.js';
import { checkHmacOptions } from './hmac-checks.js';
import { type HmacOptions } from './hmac-options.js';
import { singleHeader } from './signature-bytes.js';
import { type ShownSignature, type SignatureForm, signedScheme, type SignedValues } from './signed-scheme.js';

/**
 * Webhooks signed with an HMAC over parts of the delivery.
 *
 * @throws PaymentsConfigError where the description could not be checked, or would protect less than it says.
 *
 * @example
 * ```ts
 * hmac({ header: 'x-webhook-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] })
 * ```
 *
 * @example A signed time, and v0= before the signature
 * ```ts
 * hmac({
 *   header: 'x-signature', algorithm: 'sha256', encoding: 'hex', prefix: 'v0=',
 *   timestamp: { header: 'x-timestamp', unit: 's', toleranceSeconds: 300 },
 *   payload: [{ literal: 'v0:' }, 'timestamp', { literal: ':' }, 'body'],
 * })
 * ```
 *
 * @publicApi
 */
export function hmac(options: HmacOptions): WebhookScheme {
  checkHmacOptions(options);
  return signedScheme(hmacForm(options));
}

/** What the options of `hmac()` say, where every value has a header of its own. */
export function hmacForm(options: HmacOptions): SignatureForm {
  const { header, algorithm, encoding, prefix = '', payload, timestamp, id } = options;
  return {
    name: `hmac-${algorithm}`,
    mac: { algorithm, encoding, prefix, upperCaseToo: encoding === 'hex' },
    headers: [header, timestamp?.header, id?.header].filter((name) => name !== undefined),
    payload,
    timestamp,
    read: (webhook) => read(options, webhook),
    write: (signature, values) => write(options, signature, values),
  };
}

function read(
  { header, signatures, timestamp, id }: HmacOptions,
  webhook: RawWebhook,
): ShownSignature | string {
  const given = singleHeader(webhook, header);
  if (given === undefined) return 'the signature header is absent, empty, over-long, repeated or garbled';
  return {
    candidates: signatures ? given.split(signatures.separator) : [given],
    timestamp: timestamp && singleHeader(webhook, timestamp.header),
    id: id && singleHeader(webhook, id.header),
  };
}

function write(
  { header, timestamp, id }: HmacOptions,
  signature: string,
  values: SignedValues,
): Record<string, string> {
  const headers = { [header.toLowerCase()]: signature };
  if (timestamp) headers[timestamp.header.toLowerCase()] = values.timestamp ?? '';
  if (id) headers[id.header.toLowerCase()] = values.id ?? '';
  return headers;
}
