import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { isRecord } from '../../common/json-object.js';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { type SealingKey } from './sealed-value.js';

/**
 * What seals personal data before a storage gets it. Make one with `aesGcm()` or `envelope()`.
 *
 * @publicApi
 */
export interface PaymentsEncryption {
  /** Id of the key with which values are sealed now. */
  readonly current: string;
}

/** The same, as the package uses it. */
export interface Encryption extends PaymentsEncryption {
  /** The beginnings of the names of all its keys, to notice that two encryptions share one. */
  readonly names: readonly string[];
  /** Whether a value that is not sealed is refused. */
  readonly requireSealed: boolean;
  /** The key for the next value. Rejects with a `KeyServiceError` if it cannot be had now. */
  sealingKey(): SealingKey | Promise<SealingKey>;
  /**
   * The key of this name; undefined if it is certain that there is none. Rejects with a `KeyServiceError` if it cannot be
   * had now.
   *
   * @param listEndsAt For an entry of a list: until when it waits, by `performance.now()`. It waits behind payments and
   * webhooks.
   */
  openingKey(name: string, listEndsAt?: number): KeyObject | undefined | Promise<KeyObject | undefined>;
  /** Whether values are sealed now with this key, or with another one that the same key of a key service wraps. */
  isCurrent(name: string): boolean;
  /**
   * Keyed hashes that stand for a text, the one of the current key first. The others find what was written under an
   * earlier key.
   */
  fingerprints(text: string): readonly [string, ...string[]];
}

/** A key service cannot be reached, refuses, or is too slow: neither lost nor damaged, so try again later. */
export class KeyServiceError extends PaymentsStorageError {
  constructor(message: string) {
    super(
      message,
      { hint: 'Check the key service, then do it again: nothing was lost.' },
      'not-by-this-call',
    );
  }
}

const METHODS = ['sealingKey', 'openingKey', 'isCurrent', 'fingerprints'];

/** Whether the package made it: another copy of the package counts, too. */
export function isEncryption(value: unknown): value is Encryption {
  return isRecord(value) && METHODS.every((method) => typeof value[method] === 'function');
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
