import { createHmac } from 'node:crypto';
import { bodyVariants } from './body-variants.js';
import { keyVariants, type KeyVariant } from './key-variants.js';
import { BODY, type Headers, payloadVariants, type PayloadVariant } from './payload-variants.js';

const ALGORITHMS = ['sha256', 'sha512', 'sha384', 'sha1'] as const;
const ENCODINGS = ['hex', 'base64', 'base64url', 'HEX'] as const;

/** A way of signing that produces a signature in the headers. */
export interface FoundSignature extends Omit<PayloadVariant, 'parts'>, Pick<KeyVariant, 'secret'> {
  readonly header: string;
  /** The text before the signature in its header. */
  readonly before: string;
  /** Includes `sha1`, although the package refuses such signatures. */
  readonly algorithm: (typeof ALGORITHMS)[number];
  /** `HEX`: upper-case hexadecimal. */
  readonly encoding: (typeof ENCODINGS)[number];
  /** The change of the body; undefined: none. */
  readonly bodyChange: string | undefined;
}

/**
 * Tries the usual ways of signing, the simplest first. Returns the first whose signature is in the headers.
 */
export function searchSignature(headers: Headers, body: Buffer, secret: string): FoundSignature | undefined {
  for (const found of signaturesIn(headers, body, secret)) return found;
  return undefined;
}

/** Every usual way of signing whose signature is in the headers, the simplest first. */
export function* signaturesIn(headers: Headers, body: Buffer, secret: string): Generator<FoundSignature> {
  for (const { change, body: bytes } of bodyVariants(body)) {
    for (const { parts, ...payload } of payloadVariants(headers)) {
      for (const { bytes: key, ...how } of keyVariants(secret)) {
        for (const algorithm of ALGORITHMS) {
          const mac = createHmac(algorithm, key);
          for (const part of parts) mac.update(part === BODY ? bytes : part);
          for (const place of placesOf(mac.digest(), headers))
            yield { ...place, ...payload, ...how, algorithm, bodyChange: change };
        }
      }
    }
  }
}

/** Every header with the signature, in its first encoding that any of them has. */
function placesOf(
  signature: Buffer,
  headers: Headers,
): readonly Pick<FoundSignature, 'header' | 'before' | 'encoding'>[] {
  for (const encoding of ENCODINGS) {
    const text = encoding === 'HEX' ? signature.toString('hex').toUpperCase() : signature.toString(encoding);
    const places = [...headers].flatMap(([header, values]) => {
      const value = values.find((candidate) => candidate.includes(text));
      return value === undefined ? [] : [{ header, before: value.slice(0, value.indexOf(text)), encoding }];
    });
    if (places.length > 0) return places;
  }
  return [];
}
