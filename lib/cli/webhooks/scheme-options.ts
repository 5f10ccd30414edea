import { type WebhookScheme } from '../../common/webhook-scheme.js';
import { isPaymentsError } from '../../errors/payments-errors.js';
import { hmac } from '../../webhooks/signature/hmac.js';
import { standardWebhooks } from '../../webhooks/signature/standard-webhooks.js';
import { stripeStyle } from '../../webhooks/signature/stripe-style.js';
import { type OptionSpecs } from '../command.js';
import { oneOf, wholeNumber } from '../option-values.js';
import { UsageError } from '../usage-error.js';
import { payloadParts } from './payload-template.js';

/** The options that describe a signature. Their defaults are the sandbox's scheme. */
export const SCHEME_OPTIONS = {
  scheme: { type: 'string', value: '<name>', says: 'hmac, standard-webhooks or stripe (default: hmac)' },
  header: { type: 'string', value: '<name>', says: 'header of the signature (default: x-webhook-signature)' },
  algorithm: { type: 'string', value: '<name>', says: 'hmac: sha256, sha384 or sha512 (default: sha256)' },
  encoding: { type: 'string', value: '<name>', says: 'hmac: hex, base64 or base64url (default: hex)' },
  prefix: { type: 'string', value: '<text>', says: 'hmac: text before the signature, such as sha256=' },
  payload: {
    type: 'string',
    value: '<parts>',
    says: "hmac: what is signed, such as '{timestamp}.{body}'; {id}, {method}, {url} or {x-any-header} too (default: {body})",
  },
  'timestamp-header': { type: 'string', value: '<name>', says: 'hmac: header of the signed time' },
  'timestamp-unit': { type: 'string', value: '<unit>', says: 'hmac: s, ms or iso (default: s)' },
  'id-header': { type: 'string', value: '<name>', says: 'hmac: header of the signed delivery id' },
  separator: { type: 'string', value: '<text>', says: 'hmac: text between several signatures in the header' },
  tolerance: {
    type: 'string',
    value: '<seconds>',
    says: 'how far a signed time may be from now (default: 300)',
  },
} as const satisfies OptionSpecs;

/** The values of the options. */
export type SchemeValues = { readonly [Option in keyof typeof SCHEME_OPTIONS]?: string };

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
    return { scheme: built(() => stripeStyle({ header, toleranceSeconds })), signsTime: true };
  }
  refuse(['header'], values, `--scheme ${name}`);
  return { scheme: built(() => standardWebhooks({ toleranceSeconds })), signsTime: true };
}

function hmacOf(values: SchemeValues): WebhookScheme {
  const timestampHeader = values['timestamp-header'];
  if (timestampHeader === undefined) {
    refuse(['timestamp-unit', 'tolerance'], values, 'no --timestamp-header');
  }
  return built(() =>
    hmac({
      header: values.header ?? DEFAULT_HEADER,
      algorithm: oneOf('--algorithm', values.algorithm, ['sha256', 'sha384', 'sha512']) ?? 'sha256',
      encoding: oneOf('--encoding', values.encoding, ['hex', 'base64', 'base64url']) ?? 'hex',
      payload: payloadParts(values.payload ?? 'body'),
      ...(values.prefix === undefined ? {} : { prefix: values.prefix }),
      ...(timestampHeader === undefined ? {} : { timestamp: timestampOf(timestampHeader, values) }),
      ...(values['id-header'] === undefined ? {} : { id: { header: values['id-header'] } }),
      ...(values.separator === undefined ? {} : { signatures: { separator: values.separator } }),
    }),
  );
}

function timestampOf(header: string, values: SchemeValues) {
  return {
    header,
    unit: oneOf('--timestamp-unit', values['timestamp-unit'], ['s', 'ms', 'iso']) ?? 's',
    toleranceSeconds: toleranceOf(values),
  } as const;
}

function toleranceOf({ tolerance }: SchemeValues): number {
  return wholeNumber('--tolerance', tolerance, [1, 31_536_000]) ?? 300;
}

function refuse(options: readonly (keyof SchemeValues)[], values: SchemeValues, beside: string): void {
  const option = options.find((name) => values[name] !== undefined);
  if (option !== undefined) throw new UsageError(`--${option} has no meaning with ${beside}: leave it out.`);
}

function built(make: () => WebhookScheme): WebhookScheme {
  try {
    return make();
  } catch (error) {
    throw isPaymentsError(error) ? new UsageError(error.message) : error;
  }
}
