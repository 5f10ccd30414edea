import { createHmac } from 'node:crypto';
import { bodyVariants } from './body-variants.js';
import { keyVariants } from './key-variants.js';
import { BODY, type Headers, payloadVariants, type TimestampUnit } from './payload-variants.js';

const ALGORITHMS = ['sha256', 'sha512', 'sha384', 'sha1'] as const;
const ENCODINGS = ['hex', 'base64', 'base64url', 'HEX'] as const;

/** A way of signing that gives a signature which stands in the headers. */
export interface FoundSignature {
  readonly header: string;
  /** What stands in the header before the signature. */
  readonly before: string;
  /** `sha1` is among them although the package takes no such signature. */
  readonly algorithm: (typeof ALGORITHMS)[number];
  /** `HEX`: upper-case hexadecimal. */
  readonly encoding: (typeof ENCODINGS)[number];
  /** How the secret became the key. */
  readonly secret: 'utf8' | 'base64' | 'hex' | 'after whsec_ as base64';
  /** What was signed, in the form of `--payload`. */
  readonly payload: string;
  /** Header of the signed time, where one is signed; a time inside the signature's own header has none. */
  readonly timestampHeader: string | undefined;
  readonly timestampUnit: TimestampUnit | undefined;
  readonly idHeader: string | undefined;
  /** What was done to the body; undefined: nothing. */
  readonly bodyChange: string | undefined;
}

/** Tries the usual ways of signing, the plainest first, and gives the first whose signature stands in the headers. */
export function searchSignature(headers: Headers, body: Buffer, secret: string): FoundSignature | undefined {
  for (const { change, body: bytes } of bodyVariants(body)) {
    for (const { parts, ...payload } of payloadVariants(headers)) {
      for (const { bytes: key, ...how } of keyVariants(secret)) {
        for (const algorithm of ALGORITHMS) {
          const mac = createHmac(algorithm, key);
          for (const part of parts) mac.update(part === BODY ? bytes : part);
          const place = placeOf(mac.digest(), headers);
          if (place) return { ...place, ...payload, ...how, algorithm, bodyChange: change };
        }
      }
    }
  }
  return undefined;
}

function placeOf(
  signature: Buffer,
  headers: Headers,
): Pick<FoundSignature, 'header' | 'before' | 'encoding'> | undefined {
  for (const encoding of ENCODINGS) {
    const text = encoding === 'HEX' ? signature.toString('hex').toUpperCase() : signature.toString(encoding);
    for (const [header, values] of headers) {
      const value = values.find((candidate) => candidate.includes(text));
      if (value !== undefined) return { header, before: value.slice(0, value.indexOf(text)), encoding };
    }
  }
  return undefined;
}
