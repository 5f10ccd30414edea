import { PaymentsConfigError } from '../../errors/payments-errors.js';

const KEY_BYTES = 32;
const KEY_ID = /^[\w.-]{1,64}$/;
const HEX = /^[\da-f]{64}$/i;
const BASE64 = /^[\w+/-]{43}=?$/;
const MAKE_ONE =
  'make one with node -p "crypto.randomBytes(32).toString(\'base64\')" and read it from the environment';

/**
 * A key of 32 bytes, as bytes or as a text in base64, base64url or hex.
 *
 * @publicApi
 */
export type EncryptionKey = string | Uint8Array;

/**
 * The bytes of a key. No error shows a part of it.
 *
 * @throws PaymentsConfigError
 */
export function keyBytes(key: unknown, path: string): Uint8Array {
  const bytes = decoded(key);
  if (bytes === undefined) {
    throw wrong(path, `must be a Buffer, or a text in base64 or hex, of ${KEY_BYTES} bytes: ${MAKE_ONE}.`);
  }
  if (bytes.length !== KEY_BYTES) {
    throw wrong(path, `has ${bytes.length} bytes instead of ${KEY_BYTES}: ${MAKE_ONE}.`);
  }
  if (bytes.every((byte) => byte === bytes[0])) {
    throw wrong(path, `is the same byte ${KEY_BYTES} times, which anyone can guess: ${MAKE_ONE}.`);
  }
  return bytes;
}

/**
 * What could be a key is no id, because messages show ids, and they are stored beside each sealed value.
 *
 * @throws PaymentsConfigError
 */
export function checkKeyId(id: unknown, path: string): void {
  if (typeof id === 'string' && KEY_ID.test(id)) {
    if (!HEX.test(id) && !BASE64.test(id)) return;
    throw wrong(
      path,
      "have an id that looks like a key: write the id first, for example { '2026-11': key }.",
    );
  }
  throw wrong(
    path,
    "must have ids of 1 to 64 letters, digits, dots, dashes or underscores: write for example '2026-11'.",
  );
}

export function wrong(path: string, problem: string): PaymentsConfigError {
  return new PaymentsConfigError(`The option ${path} ${problem}`);
}

function decoded(key: unknown): Uint8Array | undefined {
  if (key instanceof Uint8Array) return Uint8Array.from(key);
  if (typeof key !== 'string') return undefined;
  if (HEX.test(key)) return Buffer.from(key, 'hex');
  return BASE64.test(key) ? Buffer.from(key, 'base64') : undefined;
}
