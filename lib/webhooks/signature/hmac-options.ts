/**
 * One signed part of a delivery, in the order of signing: the body's bytes, the timestamp or id header's
 * value, the request's method, its path and query as the sender asked for them (`url`), any other header's
 * value (`header`), or fixed text between them (`literal`). A gateway that signs the whole address signs a
 * literal and `url`: `[{ literal: 'https://shop.example' }, 'url', 'body']`.
 *
 * @publicApi
 */
export type SignedPart =
  'body' | 'timestamp' | 'id' | 'method' | 'url' | { readonly header: string } | { readonly literal: string };

/**
 * The signed time of a delivery. It keeps an old delivery from being replayed, so it must be among the signed
 * parts.
 *
 * @publicApi
 */
export interface SignatureTimestampOptions {
  /** Header that carries the time, in any case. */
  readonly header: string;
  /** `s`: seconds since 1970, `ms`: milliseconds since 1970, `iso`: ISO 8601 with an offset or `Z`. */
  readonly unit: 's' | 'ms' | 'iso';
  /** How far the sender's clock may be off, in both directions. */
  readonly toleranceSeconds: number;
}

/**
 * How the gateway signs. The specification does not show it ("Events" rule 3): take the values from the
 * gateway's portal or its support.
 *
 * @publicApi
 */
export interface HmacOptions {
  /** Header that carries the signature, in any case. */
  readonly header: string;
  /** Hash function of the HMAC. */
  readonly algorithm: 'sha256' | 'sha384' | 'sha512';
  /** How the signature is written. Hexadecimal is taken in lower case or in upper case, not in a mixture. */
  readonly encoding: 'hex' | 'base64' | 'base64url';
  /**
   * Text before every signature, for example `sha256=`.
   * @default ''
   */
  readonly prefix?: string;
  /** What is signed, in order. The body is always among it. */
  readonly payload: readonly SignedPart[];
  /** The signed time, if the gateway sends one. */
  readonly timestamp?: SignatureTimestampOptions;
  /** The signed delivery id, if the gateway sends one. */
  readonly id?: {
    /** Header that carries the id, in any case. */
    readonly header: string;
  };
  /** Several signatures in one header; one that matches is enough. */
  readonly signatures?: {
    /** The text between them, for example `,`. */
    readonly separator: string;
  };
}
