import { timingSafeEqual } from 'node:crypto';
import { isRecord } from '../../common/json-object.js';
import { callOptionErrors, refuseUnknown } from '../../errors/option-errors.js';
import { checkSwitches } from '../check-switches.js';
import { derivedKey, type Encryption, keyedHash, type PaymentsEncryption } from './encryption.js';
import { checkKeyId, type EncryptionKey, keyBytes, wrong } from './key-bytes.js';

/**
 * The keys of {@link aesGcm}.
 *
 * @publicApi
 */
export interface AesGcmOptions {
  /**
   * Every key that sealed something that is still stored, by its id. An id is stored beside each sealed value: never
   * give it to another key. It is 1 to 64 letters, digits, dots, dashes or underscores.
   */
  readonly keys: Readonly<Record<string, EncryptionKey>>;
  /** Id of the key with which values are sealed from now on. */
  readonly current: string;
  /**
   * Refuses values that are not sealed. Set it once `PaymentsJournal.reseal()` finds nothing more to seal: then nobody who
   * can write to the database, but has no key, can put a request, an answer or an event of their own in place of a sealed one.
   * @default false
   */
  readonly requireSealed?: boolean;
}

const OPTIONS: readonly (keyof AesGcmOptions)[] = ['keys', 'current', 'requireSealed'];

/**
 * Encryption with keys that the application holds: AES-256-GCM with a key of its own for each value.
 *
 * @throws PaymentsConfigError if a key has not 32 bytes, is all one byte or comes twice, `current` names none, or an option
 * is unknown. The error shows no key.
 *
 * @example
 * ```ts
 * PaymentsModule.forRootAsync({
 *   isGlobal: true,
 *   ...paymentsConfig.asProvider(),
 *   encryption: aesGcm({ keys: { '2026-11': process.env['PAYMENTS_KEY_2026_11'] ?? '' }, current: '2026-11' }),
 * })
 * ```
 *
 * @publicApi
 */
export function aesGcm(options: AesGcmOptions): PaymentsEncryption {
  refuseUnknown(options, OPTIONS, callOptionErrors('aesGcm()'));
  const { keys, current, requireSealed = false } = options;
  const bytes = checkedKeys(keys);
  checkSwitches('aesGcm()', { requireSealed });
  const currentBytes = bytes.get(current);
  if (!currentBytes) {
    const known = [...bytes.keys()].map((id) => `'${id}'`).join(' or ');
    throw wrong('current of aesGcm()', `names a key that is not in keys: write ${known}, or add that key.`);
  }
  const earlier = [...bytes].flatMap(([id, key]) => (id === current ? [] : [key]));
  // Closures, so that the inspected options show no key.
  const sealing = new Map([...bytes].map(([id, key]) => [id, derivedKey(key, 'seal')] as const));
  const now = { name: current, key: derivedKey(currentBytes, 'seal') };
  const marking = derivedKey(currentBytes, 'fingerprint');
  const markedEarlier = earlier.map((key) => derivedKey(key, 'fingerprint'));
  const encryption: Encryption = {
    current,
    names: [...bytes.keys()],
    requireSealed,
    isCurrent: (name) => name === current,
    sealingKey: () => now,
    openingKey: (name) => sealing.get(name),
    fingerprints: (text) => [keyedHash(marking, text), ...markedEarlier.map((key) => keyedHash(key, text))],
  };
  return encryption;
}

/** @throws PaymentsConfigError */
function checkedKeys(keys: unknown): ReadonlyMap<string, Uint8Array> {
  if (!isRecord(keys) || Object.keys(keys).length === 0) {
    throw wrong('keys of aesGcm()', "must be an object of keys by their ids: write { '2026-11': key }.");
  }
  const checked = new Map<string, Uint8Array>();
  for (const [id, key] of Object.entries(keys)) {
    checkKeyId(id, 'keys of aesGcm()');
    const path = `keys['${id}'] of aesGcm()`;
    const bytes = keyBytes(key, path);
    const same = [...checked].find(([, other]) => timingSafeEqual(other, bytes));
    if (same)
      throw wrong(path, `is the same key as '${same[0]}': make another one, or take one of the two out.`);
    checked.set(id, bytes);
  }
  return checked;
}
