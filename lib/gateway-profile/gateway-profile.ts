import { type FactName, type GatewayFacts } from './facts.js';

/**
 * What was learnt about a gateway: the content of `gateway.json`. It has no keys, names, phone numbers or account numbers.
 *
 * @publicApi
 */
export interface GatewayProfile {
  /** The form of the file. */
  readonly version: 1;
  /** When it was observed, ISO 8601 in UTC. */
  readonly observedAt: string;
  /** What the gateway does, by the name of the fact. */
  readonly facts: GatewayFacts;
  /** The gateway's request ids that show each fact. A refusal may have none. */
  readonly evidence: { readonly [Name in FactName]?: readonly string[] };
  /** How webhooks are signed; left out if it is not known. */
  readonly webhooks?: WebhookFacts;
}

/**
 * How webhooks are signed, as the scheme of that name takes it.
 *
 * @publicApi
 */
export type WebhookFacts = HmacFacts | StandardWebhooksFacts | StripeStyleFacts;

/**
 * A signature that `hmac()` describes.
 *
 * @publicApi
 */
export interface HmacFacts {
  /** The function of the package. */
  readonly scheme: 'hmac';
  /** The header with the signature, in lower case. */
  readonly header: string;
  /** The hash function. */
  readonly algorithm: 'sha256' | 'sha384' | 'sha512';
  /** How the signature is written. */
  readonly encoding: 'hex' | 'base64' | 'base64url';
  /** Text before the signature; left out if there is none. */
  readonly prefix?: string;
  /** What is signed, in order. */
  readonly payload: readonly SignedPartFact[];
  /** The header with the signed time and its unit; left out if no time is signed. */
  readonly timestamp?: {
    /** In lower case. */
    readonly header: string;
    /** Seconds or milliseconds since 1970, or ISO 8601. */
    readonly unit: 's' | 'ms' | 'iso';
  };
  /** The header with the signed delivery id; left out if none is signed. */
  readonly id?: {
    /** In lower case. */
    readonly header: string;
  };
  /** How the secret is written; left out if the whole text is the key. */
  readonly secretEncoding?: 'base64' | 'hex';
}

/**
 * One signed part of a delivery.
 *
 * @publicApi
 */
export type SignedPartFact =
  | 'body'
  | 'timestamp'
  | 'id'
  | {
      /** Fixed text. */
      readonly literal: string;
    };

/**
 * A signature that `standardWebhooks()` describes.
 *
 * @publicApi
 */
export interface StandardWebhooksFacts {
  /** The function of the package. */
  readonly scheme: 'standardWebhooks';
  /** Start of the three header names; left out if it is `webhook`. */
  readonly prefix?: string;
  /** How the secret is written; left out if it is base64, with or without `whsec_` before it. */
  readonly secretEncoding?: 'utf8' | 'hex';
}

/**
 * A signature that `stripeStyle()` describes.
 *
 * @publicApi
 */
export interface StripeStyleFacts {
  /** The function of the package. */
  readonly scheme: 'stripeStyle';
  /** The header with the time and the signature, in lower case. */
  readonly header: string;
  /** Unit of the time; left out if it is seconds. */
  readonly unit?: 'ms';
  /** Name of the signature in the header; left out if it is `v1`. */
  readonly signatureKey?: string;
  /** Signed text between the time and the body; left out if it is a full stop. */
  readonly separator?: string;
  /** How the secret is written; left out if the whole text is the key. */
  readonly secretEncoding?: 'base64' | 'hex';
}
