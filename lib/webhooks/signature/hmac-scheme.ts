import { type WebhookScheme } from '../../common/webhook-scheme.js';
import { type HmacOptions } from './hmac-options.js';
import { hmacForm, signedScheme } from './signed-scheme.js';
import {
  checkHeaderName,
  checkScheme,
  checkText,
  checkTolerance,
  checkUnit,
  hasPart,
  schemeOptions,
  type WrongOption,
} from './scheme-option-checks.js';

/**
 * Webhooks signed with an HMAC over parts of the delivery.
 *
 * @throws PaymentsConfigError if the options describe no signature, or one that would protect less than they
 * say.
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

const OPTIONS = [
  'header',
  'algorithm',
  'encoding',
  'prefix',
  'payload',
  'timestamp',
  'timestamp.header',
  'timestamp.unit',
  'timestamp.toleranceSeconds',
  'id',
  'id.header',
  'signatures',
  'signatures.separator',
];
const ALGORITHMS = ['sha256', 'sha384', 'sha512'];
const ALPHABETS: Readonly<Record<string, RegExp>> = {
  hex: /[\da-fA-F]/,
  base64: /[\w+/=]/,
  base64url: /[\w-]/,
};
const ENCODINGS = Object.keys(ALPHABETS);

const NAMED_PARTS = ['body', 'timestamp', 'id', 'method', 'url'];

/** @throws PaymentsConfigError that names every wrong option. */
function checkHmacOptions(options: HmacOptions): void {
  const { header, algorithm, encoding, prefix = '', signatures } = schemeOptions('hmac', options);
  checkScheme('hmac', options, OPTIONS, (wrong) => {
    if (!ALGORITHMS.includes(algorithm)) wrong('algorithm', `must be one of ${ALGORITHMS.join(', ')}`);
    if (!ENCODINGS.includes(encoding)) wrong('encoding', `must be one of ${ENCODINGS.join(', ')}`);
    checkText(wrong, 'prefix', prefix, 'sha256=');
    checkPayload(wrong, options);
    checkHeaderName(wrong, 'header', header);
    checkSignedValues(wrong, options);
    if (hasPart(wrong, 'signatures', signatures)) checkSeparator(wrong, options, signatures.separator);
  });
}

function checkSignedValues(wrong: WrongOption, { timestamp, id }: HmacOptions): void {
  const isTimed = hasPart(wrong, 'timestamp', timestamp);
  if (isTimed) checkHeaderName(wrong, 'timestamp.header', timestamp.header);
  if (hasPart(wrong, 'id', id)) checkHeaderName(wrong, 'id.header', id.header);
  if (!isTimed) return;
  checkUnit(wrong, 'timestamp.unit', timestamp.unit);
  checkTolerance(wrong, 'timestamp.toleranceSeconds', timestamp.toleranceSeconds);
}

function checkPayload(wrong: WrongOption, { payload, timestamp, id }: HmacOptions): void {
  if (!Array.isArray(payload) || !payload.every(isSignedPart)) {
    const parts = NAMED_PARTS.map((part) => `'${part}'`).join(', ');
    wrong('payload', `holds an unknown part: write ${parts}, { header } or { literal }`);
    return;
  }
  if (!payload.includes('body')) {
    wrong('payload', "must hold 'body': a signature that leaves the body out protects nothing");
  }
  for (const part of payload as HmacOptions['payload']) {
    if (typeof part === 'object' && 'header' in part) checkHeaderName(wrong, 'payload', part.header);
  }
  checkPaired(wrong, 'timestamp', timestamp !== undefined, payload.includes('timestamp'));
  checkPaired(wrong, 'id', id !== undefined, payload.includes('id'));
}

function isSignedPart(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return NAMED_PARTS.includes(part as string);
  return 'header' in part || ('literal' in part && typeof part.literal === 'string');
}

function checkPaired(
  wrong: WrongOption,
  part: 'timestamp' | 'id',
  described: boolean,
  signed: boolean,
): void {
  if (described && !signed) {
    wrong(part, `is not signed and would protect nothing: add '${part}' to payload, or leave ${part} out`);
  }
  if (signed && !described) wrong('payload', `signs '${part}': say in ${part} which header carries it`);
}

function checkSeparator(wrong: WrongOption, { encoding, prefix }: HmacOptions, separator: unknown): void {
  const alphabet = ENCODINGS.includes(encoding) ? ALPHABETS[encoding] : undefined;
  const ambiguous =
    typeof separator !== 'string' ||
    separator === '' ||
    (typeof prefix === 'string' && prefix.includes(separator)) ||
    Array.from(separator).every((character) => alphabet?.test(character));
  if (ambiguous) wrong('signatures.separator', "must be text that no signature contains, for example ' '");
}
