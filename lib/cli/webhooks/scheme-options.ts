import { type WebhookScheme } from '../../common/webhook-scheme.js';
import { hmac } from '../../webhooks/signature/hmac-scheme.js';
import { standardWebhooks } from '../../webhooks/signature/standard-webhooks.js';
import { stripeStyle } from '../../webhooks/signature/stripe-style.js';
import { type ValuesOf } from '../command-line.js';
import { text } from '../command.js';
import { oneOf, wholeNumber } from '../option-values.js';
import { asUsage, UsageError } from '../usage-error.js';
import { payloadParts } from './payload-template.js';

/** The options that describe a signature. Their defaults are the sandbox's scheme. */
export const SCHEME_OPTIONS = {
  scheme: text('<name>', 'hmac, standard-webhooks or stripe (default: hmac)'),
  header: text('<name>', 'header of the signature (default: x-webhook-signature)'),
  algorithm: text('<name>', 'hmac: sha256, sha384 or sha512 (default: sha256)'),
  encoding: text('<name>', 'hmac: hex, base64 or base64url (default: hex)'),
  prefix: text('<text>', 'hmac: text before the signature, such as sha256='),
  payload: text(
    '<parts>',
    'hmac: what is signed, such as "{timestamp}.{body}"; {id}, {method}, {url} or {x-any-header} too (default: {body})',
  ),
  'timestamp-header': text('<name>', 'hmac: header of the signed time'),
  'timestamp-unit': text('<unit>', 'hmac: s, ms or iso (default: s)'),
  'id-header': text('<name>', 'hmac: header of the signed delivery id'),
  separator: text('<text>', 'hmac: text between several signatures in the header'),
  tolerance: text('<seconds>', 'how far a signed time may be from now (default: 300)'),
};

/** The values of the options. */
type SchemeValues = ValuesOf<typeof SCHEME_OPTIONS>;

/** A scheme, and what the commands need to know about it. */
export interface ChosenScheme {
  readonly scheme: WebhookScheme;
  /** Whether the scheme signs a time, so that a delivery can be too old. */
  readonly signsTime: boolean;
}

const HMAC_ONLY = [
  'algorithm',
  'encoding',
  'prefix',
  'payload',
  'timestamp-header',
  'timestamp-unit',
  'id-header',
  'separator',
] as const;
const DEFAULT_HEADER = 'x-webhook-signature';

/** @throws UsageError that names the option and what to write instead. */
export function chosenScheme(values: SchemeValues): ChosenScheme {
  const name = oneOf('--scheme', values.scheme, ['hmac', 'standard-webhooks', 'stripe']) ?? 'hmac';
  if (name === 'hmac') return { scheme: hmacOf(values), signsTime: values['timestamp-header'] !== undefined };
  refuse(HMAC_ONLY, values, `--scheme ${name}`);
  const toleranceSeconds = toleranceOf(values);
  if (name === 'stripe') {
    const header = values.header ?? DEFAULT_HEADER;
    return { scheme: asUsage(() => stripeStyle({ header, toleranceSeconds })), signsTime: true };
  }
  refuse(['header'], values, `--scheme ${name}`);
  return { scheme: asUsage(() => standardWebhooks({ toleranceSeconds })), signsTime: true };
}

function hmacOf(values: SchemeValues): WebhookScheme {
  const { 'timestamp-header': header } = values;
  if (header === undefined) refuse(['timestamp-unit', 'tolerance'], values, 'no --timestamp-header');
  const unit = oneOf('--timestamp-unit', values['timestamp-unit'], ['s', 'ms', 'iso']) ?? 's';
  const toleranceSeconds = toleranceOf(values);
  return asUsage(() =>
    hmac({
      header: values.header ?? DEFAULT_HEADER,
      algorithm: oneOf('--algorithm', values.algorithm, ['sha256', 'sha384', 'sha512']) ?? 'sha256',
      encoding: oneOf('--encoding', values.encoding, ['hex', 'base64', 'base64url']) ?? 'hex',
      payload: payloadParts(values.payload ?? 'body'),
      ...(values.prefix === undefined ? {} : { prefix: values.prefix }),
      ...(header === undefined ? {} : { timestamp: { header, unit, toleranceSeconds } }),
      ...(values['id-header'] === undefined ? {} : { id: { header: values['id-header'] } }),
      ...(values.separator === undefined ? {} : { signatures: { separator: values.separator } }),
    }),
  );
}

function toleranceOf({ tolerance }: SchemeValues): number {
  return wholeNumber('--tolerance', tolerance, [1, 31_536_000]) ?? 300;
}

function refuse(options: readonly (keyof SchemeValues)[], values: SchemeValues, beside: string): void {
  const option = options.find((name) => values[name] !== undefined);
  if (option !== undefined) throw new UsageError(`--${option} has no meaning with ${beside}: leave it out.`);
}
