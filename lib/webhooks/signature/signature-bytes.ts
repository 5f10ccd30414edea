import { createHmac, timingSafeEqual } from 'node:crypto';
import { type RawWebhook } from '../../common/webhook-scheme.js';
import { type HmacOptions } from './hmac-options.js';

/** Longer than any header of a known scheme with several signatures. */
const LONGEST_HEADER = 4_096;

/** How a signature is computed and written. */
export type Mac = Required<Pick<HmacOptions, 'algorithm' | 'encoding' | 'prefix'>> & {
  /** Whether hexadecimal in upper case is the same signature. */
  readonly upperCaseToo?: boolean;
};

/** No other character crosses the wire; one beyond U+00FF would lose its high bits in `wireBytes`. */
const WIRE_TEXT = /^[\t\x20-\x7e\x80-\xff]+$/;

/** The only value of a header, named in any case; undefined where it is absent, empty, over-long, repeated or garbled. */
export function singleHeader(webhook: RawWebhook, name: string): string | undefined {
  const [value, ...others] = webhook.headers.get(name.toLowerCase()) ?? [];
  return value !== undefined && others.length === 0 && isWireText(value) ? value : undefined;
}

/** Whether a text can have come over the wire in a request's line or a header, and is not over-long. */
export function isWireText(value: string): boolean {
  return value.length <= LONGEST_HEADER && WIRE_TEXT.test(value);
}

/** A header's value, a method or a URL as the bytes that crossed the wire: Node reads them as Latin-1. */
export function wireBytes(value: string): Uint8Array {
  return Buffer.from(value, 'latin1');
}

/** The signature of some bytes, as it stands in the header. */
export function writeSignature(
  { algorithm, encoding, prefix }: Mac,
  key: Uint8Array,
  parts: readonly Uint8Array[],
): string {
  const mac = createHmac(algorithm, key);
  for (const part of parts) mac.update(part);
  return prefix + mac.digest(encoding);
}

/** The spellings of one signature that are accepted. */
export function acceptedSignatures(
  mac: Mac,
  key: Uint8Array,
  parts: readonly Uint8Array[],
): readonly string[] {
  const signature = writeSignature(mac, key, parts);
  if (mac.upperCaseToo !== true) return [signature];
  return [signature, mac.prefix + signature.slice(mac.prefix.length).toUpperCase()];
}

/**
 * Whether two signatures are the same text, in constant time for equal lengths.
 * The encoded text is compared: decoding would let several spellings of one signature pass.
 */
export function sameSignature(given: string, expected: string): boolean {
  const left = Buffer.from(given, 'utf8');
  const right = Buffer.from(expected, 'utf8');
  return left.length === right.length && timingSafeEqual(left, right);
}
