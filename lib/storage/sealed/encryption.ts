import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { isRecord } from '../../common/json-object.js';
import { type SealingKey } from './sealed-value.js';

/**
 * What seals personal data before a storage gets it. Make one with `aesGcm()`.
 *
 * @publicApi
 */
export interface PaymentsEncryption {
  /** Id of the key with which values are sealed now. */
  readonly current: string;
}

/** The same, as the package uses it. */
export interface Encryption extends PaymentsEncryption {
  /** The key for the next value. */
  sealingKey(): SealingKey | Promise<SealingKey>;
  /** The key of this name; undefined if it is not known. Rejects if it cannot be had now. */
  openingKey(name: string): KeyObject | undefined | Promise<KeyObject | undefined>;
  /**
   * Keyed hashes that stand for a text, the one of the current key first. The others find what was written under an
   * earlier key.
   */
  fingerprints(text: string): readonly [string, ...string[]];
}

/** Whether the package made it: another copy of the package counts, too. */
export function isEncryption(value: unknown): value is Encryption {
  const methods = ['sealingKey', 'openingKey', 'fingerprints'];
  return isRecord(value) && methods.every((method) => typeof value[method] === 'function');
}

/** Derives the keys of two purposes, so that no key serves both. Shows no byte when it is inspected. */
export function derivedKey(key: Uint8Array, purpose: 'seal' | 'fingerprint'): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `nestjs-payments ${purpose} v1`, 32)));
}

/** HMAC-SHA-256 (hex). */
export function keyedHash(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

/** The id of the key in the name that a sealed value carries: a data key follows it behind a tilde. */
export function keyIdIn(name: string): string {
  return name.split('~', 1)[0] ?? '';
}
