import { type RawWebhook, type WebhookScheme } from '../../common/webhook-scheme.js';
import {
  checkHeaderName,
  checkScheme,
  checkTolerance,
  checkUnit,
  schemeOptions,
  type WrongOption,
} from './scheme-option-checks.js';
import { type ShownSignature, signedScheme, singleHeader } from './signed-scheme.js';

const KEY = /^[a-z]\w*$/i;
const TIMESTAMP_KEY = 't';
const OPTIONS = ['header', 'toleranceSeconds', 'unit', 'signatureKey', 'separator'];

/**
 * How a sender fills a signature header of the form `t=…,v1=…`.
 *
 * @publicApi
 */
export interface StripeStyleOptions {
  /** Header that carries time and signatures, in any case. */
  readonly header: string;
  /** How far the sender's clock may be off, in both directions. @default 300 */
  readonly toleranceSeconds?: number;
  /** Unit of `t`: seconds or milliseconds since 1970. @default 's' */
  readonly unit?: 's' | 'ms';
  /** Name of the signatures in the header. @default 'v1' */
  readonly signatureKey?: string;
  /** Signed text between the time and the body. @default '.' */
  readonly separator?: string;
}

/**
 * Webhooks signed the way Stripe does: one header `t=<time>,v1=<signature>`, HMAC-SHA256 in lower-case
 * hexadecimal over the time, a full stop and the body. `v1` may appear more than once, `t` may not;
 * other names are ignored. The key is the whole secret, `whsec_` included. Stripe's own library takes any
 * future time; here the tolerance holds both ways.
 *
 * @throws PaymentsConfigError if an option is wrong or unknown.
 *
 * @example
 * ```ts
 * stripeStyle({ header: 'x-webhook-signature' })
 * ```
 *
 * @example The time in milliseconds, signatures under s, and # between the time and the body
 * ```ts
 * stripeStyle({ header: 'x-webhook-signature', unit: 'ms', signatureKey: 's', separator: '#' })
 * ```
 *
 * @publicApi
 */
export function stripeStyle(options: StripeStyleOptions): WebhookScheme {
  const {
    header,
    toleranceSeconds = 300,
    unit = 's',
    signatureKey = 'v1',
    separator = '.',
  } = schemeOptions('stripeStyle', options);
  checkScheme('stripeStyle', options, OPTIONS, (wrong) => {
    checkHeaderName(wrong, 'header', header);
    checkTolerance(wrong, 'toleranceSeconds', toleranceSeconds);
    checkUnit(wrong, 'unit', unit, ['s', 'ms']);
    checkSignatureKey(wrong, signatureKey);
    checkSeparator(wrong, separator);
  });
  return signedScheme({
    name: 'stripe-style',
    headers: [header],
    mac: { algorithm: 'sha256', encoding: 'hex', prefix: '' },
    timestamp: { unit, toleranceSeconds },
    payload: ['timestamp', { literal: separator }, 'body'],
    read: (webhook) => read(webhook, header, signatureKey),
    write: (signature, { timestamp }) => ({
      [header.toLowerCase()]: `${TIMESTAMP_KEY}=${timestamp},${signatureKey}=${signature}`,
    }),
  });
}

function read(webhook: RawWebhook, header: string, signatureKey: string): ShownSignature | string {
  const given = singleHeader(webhook, header);
  if (given === undefined) return 'the signature header is absent, empty, over-long, repeated or garbled';
  // A proxy that joins two headers adds white space. The second half would be ignored as unknown names.
  if (/\s/.test(given)) return 'the signature header holds white space';
  const items = given.split(',');
  const valuesOf = (key: string): string[] =>
    items.filter((item) => item.startsWith(`${key}=`)).map((item) => item.slice(key.length + 1));
  const [timestamp, ...others] = valuesOf(TIMESTAMP_KEY);
  if (timestamp === undefined || others.length > 0) return 'the signature header does not hold one time';
  return { timestamp, candidates: valuesOf(signatureKey) };
}

function checkSignatureKey(wrong: WrongOption, key: unknown): void {
  if (typeof key !== 'string' || !KEY.test(key) || key === TIMESTAMP_KEY) {
    wrong('signatureKey', "must be a name of letters and digits other than 't': write 'v1'");
  }
}

function checkSeparator(wrong: WrongOption, separator: unknown): void {
  if (typeof separator !== 'string' || /^$|\d/.test(separator)) {
    wrong('separator', "must be text without a digit, or it could be read as part of the time: write '.'");
  }
}
