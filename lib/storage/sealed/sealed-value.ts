import { createCipheriv, createDecipheriv, createHmac, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'sealed:1:';
const FORM = /^sealed:1:([\w.-]{1,64}(?:~[\w-]+)?):([\w-]+)$/;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = SALT_BYTES + NONCE_BYTES;
const OVERHEAD_BYTES = HEAD_BYTES + TAG_BYTES;

/** What a value belongs to: its account, its entry and the kind of field. A value opens in no other place. */
export type SealedPlace = readonly (string | number)[];

/** A key and the name that a sealed value carries of it. */
export interface SealingKey {
  /** The id of a key; or the id of a key of a key service, `~`, and the data key that it wrapped, in base64url. */
  readonly name: string;
  /** Of 32 bytes. */
  readonly key: KeyObject;
}

/**
 * Seals a text with AES-256-GCM. Each value has a key of its own, which HKDF derives from a random salt: no key ever
 * meets the limit of random nonces.
 *
 * The result names the key, and holds salt, nonce, cipher text and tag in base64url.
 */
export function seal(text: string, place: SealedPlace, { name, key }: SealingKey): string {
  const head = randomBytes(HEAD_BYTES);
  const cipher = createCipheriv('aes-256-gcm', valueKey(key, head), head.subarray(SALT_BYTES));
  cipher.setAAD(associated(name, place));
  const sealed = Buffer.concat([head, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${PREFIX}${name}:${sealed.toString('base64url')}`;
}

/** The text in a sealed value; undefined if it was changed, belongs to another place, or the key is another one. */
export function open(sealed: string, place: SealedPlace, key: KeyObject): string | undefined {
  const [, name = '', encoded = ''] = FORM.exec(sealed) ?? [];
  const bytes = Buffer.from(encoded, 'base64url');
  // Several texts of base64 stand for the same bytes: only the one that `seal` writes is taken.
  if (bytes.length < OVERHEAD_BYTES || bytes.toString('base64url') !== encoded) return undefined;
  const nonce = bytes.subarray(SALT_BYTES, HEAD_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', valueKey(key, bytes), nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(associated(name, place));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(HEAD_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** Whether a text is sealed. What the package seals is JSON or a hash, which never begins like this. */
export function isSealed(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Why an account without an encryption cannot read what an account with one has written. */
export const SEALED_WITHOUT_KEYS = 'it is sealed, and the account has no option encryption';

/** The name of the key with which a value is sealed; undefined if it is not sealed, or damaged. */
export function keyNameOf(text: string): string | undefined {
  return FORM.exec(text)?.[1];
}

/** HKDF-Expand (RFC 5869) to one block: the key itself comes from HKDF, and the salt makes the value's own one. */
function valueKey(key: KeyObject, head: Buffer): Buffer {
  return createHmac('sha256', key).update(head.subarray(0, SALT_BYTES)).update('\u0001').digest();
}

function associated(name: string, place: SealedPlace): Buffer {
  return Buffer.from(JSON.stringify([name, ...place]));
}
