import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import {
  type RawWebhook,
  type SignatureVerdict,
  type WebhookScheme,
  type WebhookSecretForm,
  type WebhookSigningInput,
} from '../../common/webhook-scheme.js';
import { isSecret } from '../../common/webhook-secret.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type HmacOptions, type SignatureTimestampOptions, type SignedPart } from './hmac-options.js';

/** A rotation sends two or three signatures. More would only cost comparisons. */
const MOST_CANDIDATES = 16;

/** The signed time and id of a delivery. */
interface SignedValues {
  readonly timestamp?: string | undefined;
  readonly id?: string | undefined;
}

/** The signature of a delivery before it is checked. */
export interface ShownSignature extends SignedValues {
  /** Possible signatures; one that matches is enough. */
  readonly candidates: readonly string[];
}

/** How a signature is computed and written. */
type Mac = Required<Pick<HmacOptions, 'algorithm' | 'encoding' | 'prefix'>> & {
  /** Whether hexadecimal in upper case is the same signature. */
  readonly upperCaseToo?: boolean;
};

/** How a scheme signs, and in which headers. */
interface SignatureForm {
  readonly name: string;
  readonly secretForm?: WebhookSecretForm;
  /** The headers that `read` looks at, in any case; those of `payload` are added. */
  readonly headers: readonly string[];
  readonly mac: Mac;
  readonly payload: readonly SignedPart[];
  readonly timestamp?: Pick<SignatureTimestampOptions, 'unit' | 'toleranceSeconds'> | undefined;
  /** Finds the signature, or says why there is none. */
  readonly read: (webhook: RawWebhook) => ShownSignature | string;
  /** The headers that carry a signature and its values, by lower-case name. */
  readonly write: (signature: string, values: SignedValues) => Record<string, string>;
}

/** The form of a scheme with a header for every value. */
export function hmacForm(options: HmacOptions): SignatureForm {
  const { header, algorithm, encoding, prefix = '', payload, timestamp, id } = options;
  return {
    name: `hmac-${algorithm}`,
    mac: { algorithm, encoding, prefix, upperCaseToo: encoding === 'hex' },
    headers: [header, timestamp?.header, id?.header].filter((name) => name !== undefined),
    payload,
    timestamp,
    read: (webhook) => readHeaders(options, webhook),
    write: (signature, values) => writeHeaders(options, signature, values),
  };
}

function readHeaders(
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

function writeHeaders(
  { header, timestamp, id }: HmacOptions,
  signature: string,
  values: SignedValues,
): Record<string, string> {
  const headers = { [header.toLowerCase()]: signature };
  if (timestamp) headers[timestamp.header.toLowerCase()] = values.timestamp ?? '';
  if (id) headers[id.header.toLowerCase()] = values.id ?? '';
  return headers;
}

/** The scheme of a form. All schemes of the package verify and sign here. */
export function signedScheme(form: SignatureForm): WebhookScheme {
  return {
    name: form.name,
    ...(form.secretForm ? { secretForm: form.secretForm } : {}),
    signsTime: form.timestamp !== undefined,
    requiredHeaders: requiredHeaders(form),
    verify: (webhook, keys, now) => verify(form, webhook, keys, now),
    sign: (input) => sign(form, input),
  };
}

function requiredHeaders({ headers, payload }: SignatureForm): readonly string[] {
  const signed = payload.map(headerOf).filter((name) => name !== undefined);
  return [...new Set([...headers, ...signed].map((name) => name.toLowerCase()))];
}

/** The header that a part names. */
function headerOf(part: SignedPart): string | undefined {
  return typeof part === 'object' && 'header' in part ? part.header : undefined;
}

function verify(
  form: SignatureForm,
  webhook: RawWebhook,
  keys: readonly Uint8Array[],
  now: number,
): SignatureVerdict {
  const shown = form.read(webhook);
  if (typeof shown === 'string') return refused(shown);
  const { candidates } = shown;
  if (candidates.length > MOST_CANDIDATES) return refused('there are too many signatures');
  const parts: Uint8Array[] = [];
  for (const part of form.payload) {
    const bytes = signedBytes(part, shown, webhook);
    if (!bytes) return refused(`${nameOf(part)} is absent, empty, over-long, repeated or garbled`);
    parts.push(bytes);
  }
  const untimely = form.timestamp && timestampProblem(form.timestamp, shown.timestamp ?? '', now);
  if (untimely !== undefined) return refused(untimely);
  const matches = keys
    .filter(isSecret)
    .flatMap((key) => acceptedSignatures(form.mac, key, parts))
    .some((expected) => candidates.some((candidate) => sameSignature(candidate, expected)));
  return matches ? { ok: true } : refused('no signature matches');
}

function sign(
  form: SignatureForm,
  { body, key, now, id, headers, method = 'POST', url }: WebhookSigningInput,
): Record<string, string> {
  if (!isSecret(key)) throw new PaymentsConfigError('A webhook cannot be signed with an empty secret.');
  const others = lowerCaseNames(headers ?? {});
  const sent = new Map(Object.entries(others).map(([name, value]) => [name, [value]]));
  const webhook = { headers: sent, body, method, url };
  const values = {
    timestamp: form.timestamp && formatTimestamp(now, form.timestamp.unit),
    id: form.payload.includes('id') ? (id ?? randomUUID()) : undefined,
  };
  const parts = form.payload.map((part) => signedBytes(part, values, webhook) ?? missingPart(part));
  return { ...others, ...form.write(writeSignature(form.mac, key, parts), values) };
}

function signedBytes(part: SignedPart, values: SignedValues, webhook: RawWebhook): Uint8Array | undefined {
  if (part === 'body') return webhook.body;
  if (typeof part === 'object' && 'literal' in part) return Buffer.from(part.literal, 'utf8');
  const value = signedText(part, values, webhook);
  return value === undefined ? undefined : wireBytes(value);
}

function signedText(
  part: Exclude<SignedPart, 'body' | { readonly literal: string }>,
  values: SignedValues,
  webhook: RawWebhook,
): string | undefined {
  if (typeof part === 'object') return singleHeader(webhook, part.header);
  if (part === 'timestamp' || part === 'id') return values[part];
  const value = webhook[part];
  return value !== undefined && isWireText(value) ? value : undefined;
}

/** For logs and errors. */
function nameOf(part: SignedPart): string {
  if (part === 'method' || part === 'url') return `the signed ${part}`;
  const header = headerOf(part);
  return header === undefined ? 'a signed header' : `the signed header ${header}`;
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function missingPart(part: SignedPart): never {
  const where = part === 'method' || part === 'url' ? part : 'headers';
  throw new PaymentsConfigError(
    `A webhook cannot be signed without ${nameOf(part)}: pass its value in ${where}.`,
  );
}

function refused(reason: string): SignatureVerdict {
  return { ok: false, reason };
}

type Unit = SignatureTimestampOptions['unit'];

/** No leading zero, no sign, no fraction: one moment has one spelling. */
const WHOLE_NUMBER = /^[1-9]\d{0,14}$/;
const ISO_MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/** A signed time as milliseconds since 1970; undefined if it is not exactly in the form of its unit. */
export function parseTimestamp(text: string, unit: Unit): number | undefined {
  if (unit === 'iso') {
    const moment = ISO_MOMENT.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(moment) ? undefined : moment;
  }
  if (!WHOLE_NUMBER.test(text)) return undefined;
  return unit === 's' ? Number(text) * 1_000 : Number(text);
}

/** Writes a moment the way a sender would. */
function formatTimestamp(now: number, unit: Unit): string {
  if (unit === 'iso') return new Date(now).toISOString();
  return String(Math.floor(unit === 's' ? now / 1_000 : now));
}

/** What is wrong with a signed time; undefined if it is valid and near enough to now. */
function timestampProblem(
  { unit, toleranceSeconds }: Pick<SignatureTimestampOptions, 'unit' | 'toleranceSeconds'>,
  text: string,
  now: number,
): string | undefined {
  const moment = parseTimestamp(text, unit);
  if (moment === undefined) return 'the timestamp is malformed';
  return Math.abs(now - moment) <= toleranceSeconds * 1_000 ? undefined : 'the timestamp is too far from now';
}

/** Longer than any header of a known scheme with several signatures. */
const LONGEST_HEADER = 4_096;

/** Other characters cannot cross the wire. One beyond U+00FF would lose its high bits in `wireBytes`. */
const WIRE_TEXT = /^[\t\x20-\x7e\x80-\xff]+$/;

/** The only value of a header; undefined if it is absent, empty, over-long, repeated or garbled. */
export function singleHeader(webhook: RawWebhook, name: string): string | undefined {
  const [value, ...others] = webhook.headers.get(name.toLowerCase()) ?? [];
  return value !== undefined && others.length === 0 && isWireText(value) ? value : undefined;
}

/** Whether a text may come from a request's line or a header, and is not over-long. */
function isWireText(value: string): boolean {
  return value.length <= LONGEST_HEADER && WIRE_TEXT.test(value);
}

/** A header's value, a method or a URL as the bytes that crossed the wire: Node reads them as Latin-1. */
function wireBytes(value: string): Uint8Array {
  return Buffer.from(value, 'latin1');
}

/** The signature as the header holds it. */
function writeSignature(
  { algorithm, encoding, prefix }: Mac,
  key: Uint8Array,
  parts: readonly Uint8Array[],
): string {
  const mac = createHmac(algorithm, key);
  for (const part of parts) mac.update(part);
  return prefix + mac.digest(encoding);
}

/** The spellings of one signature that are accepted. */
function acceptedSignatures(mac: Mac, key: Uint8Array, parts: readonly Uint8Array[]): readonly string[] {
  const signature = writeSignature(mac, key, parts);
  if (mac.upperCaseToo !== true) return [signature];
  return [signature, mac.prefix + signature.slice(mac.prefix.length).toUpperCase()];
}

/**
 * Whether two signatures are the same text, in constant time for equal lengths.
 * The encoded text is compared: decoding would let several spellings of one signature pass.
 */
function sameSignature(given: string, expected: string): boolean {
  const left = Buffer.from(given, 'utf8');
  const right = Buffer.from(expected, 'utf8');
  return left.length === right.length && timingSafeEqual(left, right);
}
