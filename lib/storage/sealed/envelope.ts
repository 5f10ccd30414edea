import { isRecord } from '../../common/json-object.js';
import { LONGEST_TIMER_MS } from '../../common/timing.js';
import { callOptionErrors, refuseUnknown } from '../../errors/option-errors.js';
import { checkSwitches } from '../check-switches.js';
import { DataKeys } from './data-keys.js';
import { derivedKey, type Encryption, keyedHash, keyIdIn, type PaymentsEncryption } from './encryption.js';
import { checkKeyId, type EncryptionKey, keyBytes, wrong } from './key-bytes.js';
import { type KeyManagementService } from './key-management.js';

/**
 * The keys of {@link envelope}.
 *
 * @publicApi
 */
export interface EnvelopeOptions {
  /** The key management service, which wraps and opens data keys. */
  readonly kms: KeyManagementService;
  /**
   * Every key of the key service that wrapped a data key of something that is still stored: its name there, for example an
   * ARN, by its id. An id is stored beside each sealed value: never give it to another key. It is 1 to 64 letters, digits,
   * dots, dashes or underscores.
   */
  readonly keys: Readonly<Record<string, string>>;
  /** Id of the key that wraps data keys from now on. */
  readonly current: string;
  /**
   * A key of 32 bytes of its own for keyed hashes, by which repeated unrecognized events are found. It seals nothing. Keep it
   * when the keys of the key service change.
   */
  readonly fingerprintKey: EncryptionKey;
  /** How many values a data key seals before the next one is made. @default 1_000_000 */
  readonly maxUses?: number;
  /**
   * How long a data key is used in milliseconds, before the next one is made, or before the key service is asked again
   * whether it still opens. @default 3_600_000
   */
  readonly maxAgeMs?: number;
  /**
   * How long beyond `maxAgeMs` the data keys in memory stay in use in milliseconds while the key service does not answer; 0:
   * not at all. @default 3_600_000
   */
  readonly staleIfErrorMs?: number;
  /** How many data keys are kept in memory at most. @default 1_000 */
  readonly cacheSize?: number;
  /** How long the key service may take for one answer in milliseconds, 4,000 at most. @default 2_000 */
  readonly timeoutMs?: number;
  /** Refuses values that are not sealed, as that of `aesGcm()`. @default false */
  readonly requireSealed?: boolean;
}

const OPTIONS: readonly (keyof EnvelopeOptions)[] = [
  'kms',
  'keys',
  'current',
  'fingerprintKey',
  'maxUses',
  'maxAgeMs',
  'staleIfErrorMs',
  'cacheSize',
  'timeoutMs',
  'requireSealed',
];

/** A storage has five seconds for one answer, and the key service is a part of it. */
const LONGEST_ANSWER_MS = 4_000;

/**
 * Encryption with keys that a key management service holds and never gives away. The package makes data keys, which the
 * service wraps; each sealed value carries its wrapped data key. Data keys are cached, so that a payment costs no call of
 * the service.
 *
 * @throws PaymentsConfigError if an option is wrong or unknown. The error shows no key.
 *
 * @example
 * ```ts
 * declare const kms: KeyManagementService; // encryption.md shows those of AWS, Google Cloud and Vault
 * PaymentsModule.forRootAsync({
 *   isGlobal: true,
 *   ...paymentsConfig.asProvider(),
 *   encryption: envelope({
 *     kms,
 *     keys: { '2026': 'alias/payments-2026' },
 *     current: '2026',
 *     fingerprintKey: process.env['PAYMENTS_FINGERPRINT_KEY'] ?? '',
 *   }),
 * })
 * ```
 *
 * @publicApi
 */
export function envelope(options: EnvelopeOptions): PaymentsEncryption {
  refuseUnknown(options, OPTIONS, callOptionErrors('envelope()'));
  const { kms, current, fingerprintKey, requireSealed = false } = options;
  checkService(kms);
  const keys = checkedNames(options.keys);
  if (!keys.has(current)) {
    const known = [...keys.keys()].map((id) => `'${id}'`).join(' or ');
    throw wrong('current of envelope()', `names a key that is not in keys: write ${known}, or add that key.`);
  }
  checkSwitches('envelope()', { requireSealed });
  const marking = derivedKey(keyBytes(fingerprintKey, 'fingerprintKey of envelope()'), 'fingerprint');
  const dataKeys = new DataKeys(kms, {
    keys,
    current,
    maxUses: wholeNumber(options, 'maxUses', 1, Number.MAX_SAFE_INTEGER, 1_000_000),
    maxAgeMs: wholeNumber(options, 'maxAgeMs', 1, LONGEST_TIMER_MS, 3_600_000),
    staleIfErrorMs: wholeNumber(options, 'staleIfErrorMs', 0, LONGEST_TIMER_MS, 3_600_000),
    cacheSize: wholeNumber(options, 'cacheSize', 1, 1_000_000, 1_000),
    timeoutMs: wholeNumber(options, 'timeoutMs', 1, LONGEST_ANSWER_MS, 2_000),
  });
  // Closures, so that the inspected options show no key.
  const encryption: Encryption = {
    current,
    names: [...keys.keys()].map((id) => `${id}~`),
    requireSealed,
    isCurrent: (name) => name.startsWith(`${current}~`),
    sealingKey: () => dataKeys.sealingKey(),
    openingKey: (name, listEndsAt) =>
      name.includes('~') && keys.has(keyIdIn(name)) ? dataKeys.openingKey(name, listEndsAt) : undefined,
    fingerprints: (text) => [keyedHash(marking, text)],
  };
  return encryption;
}

/** @throws PaymentsConfigError */
function checkService(kms: unknown): void {
  if (isRecord(kms) && ['wrap', 'unwrap'].every((method) => typeof kms[method] === 'function')) return;
  throw wrong('kms of envelope()', 'must have the methods wrap and unwrap of KeyManagementService.');
}

/** @throws PaymentsConfigError */
function checkedNames(keys: unknown): ReadonlyMap<string, string> {
  const example = "{ '2026': 'alias/payments-2026' }";
  if (!isRecord(keys) || Object.keys(keys).length === 0) {
    throw wrong('keys of envelope()', `must be an object of names by their ids: write ${example}.`);
  }
  const checked = new Map<string, string>();
  for (const [id, name] of Object.entries(keys)) {
    checkKeyId(id, 'keys of envelope()');
    if (typeof name !== 'string' || name === '') {
      throw wrong(
        `keys['${id}'] of envelope()`,
        `must be the name of a key at the key service: write ${example}.`,
      );
    }
    checked.set(id, name);
  }
  return checked;
}

/** @throws PaymentsConfigError */
function wholeNumber(
  options: EnvelopeOptions,
  name: 'maxUses' | 'maxAgeMs' | 'staleIfErrorMs' | 'cacheSize' | 'timeoutMs',
  min: number,
  max: number,
  byDefault: number,
): number {
  const value: unknown = options[name] ?? byDefault;
  if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value);
  throw wrong(
    `${name} of envelope()`,
    `must be a whole number from ${min} to ${max}: write for example ${byDefault}, the default.`,
  );
}
