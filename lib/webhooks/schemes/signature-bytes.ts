import { createHmac, timingSafeEqual } from 'node:crypto';
import { type RawWebhook } from '../../common/webhook-scheme.js';
import { type HmacOptions } from './hmac-options.js';

/** Longer than any header of a known scheme with several signatures. */
const LONGEST_HEADER = 4_096;

/** How a signature is computed and written. */
export type Mac = Required<Pick<HmacOptions, 'algorithm' | 'encoding' | 'prefix'>>;

/** No other character crosses the wire in a header; one beyond U+00FF would lose its high bits in `headerBytes`. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]+$/;

/** The only value of a header, named in any case; undefined where it is absent, empty, over-long, repeated or garbled. */
export function singleHeader(webhook: RawWebhook, name: string): string | undefined {
  const [value, ...others] = webhook.headers.get(name.toLowerCase()) ?? [];
  if (value === undefined || value.length > LONGEST_HEADER || others.length > 0) return undefined;
  return HEADER_VALUE.test(value) ? value : undefined;
}

/** A header's value as the bytes that crossed the wire: Node reads them as Latin-1. */
export function headerBytes(value: string): Uint8Array {
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

/**
 * Whether two signatures are the same text, in constant time for equal lengths.
 * The encoded text is compared: decoding would let several spellings of one signature pass.
 */
export function sameSignature(given: string, expected: string): boolean {
  const left = Buffer.from(given, 'utf8');
  const right = Buffer.from(expected, 'utf8');
  return left.length === right.length && timingSafeEqual(left, right);
}
