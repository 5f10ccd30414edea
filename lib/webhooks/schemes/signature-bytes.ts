import { createHmac, timingSafeEqual } from 'node:crypto';
import { type RawWebhook } from '../../common/webhook-scheme.js';
import { type HmacOptions } from './hmac-options.js';

/** Longer than any header of a known scheme with several signatures. */
const LONGEST_HEADER = 4_096;

/** The only value of a header; undefined where it is absent, empty, over-long or sent more than once. */
export function singleHeader(webhook: RawWebhook, name: string): string | undefined {
  const [value, ...others] = webhook.headers.get(name) ?? [];
  if (value === undefined || value === '' || others.length > 0) return undefined;
  return value.length > LONGEST_HEADER ? undefined : value;
}

/** A header's value as the bytes that crossed the wire: Node reads them as Latin-1. */
export function headerBytes(value: string): Uint8Array {
  return Buffer.from(value, 'latin1');
}

/** The signature of some bytes, as it stands in the header. */
export function writeSignature(
  { algorithm, encoding, prefix = '' }: Pick<HmacOptions, 'algorithm' | 'encoding' | 'prefix'>,
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
  const left = Buffer.from(given, 'latin1');
  const right = Buffer.from(expected, 'latin1');
  return left.length === right.length && timingSafeEqual(left, right);
}
