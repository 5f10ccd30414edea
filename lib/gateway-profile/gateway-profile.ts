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
  /** How webhooks are signed, as `hmac()` takes it; left out if it is not known. */
  readonly webhooks?: WebhookFacts;
}

/**
 * How webhooks are signed, as `hmac()` takes it.
 *
 * @publicApi
 */
export interface WebhookFacts {
  /** The header with the signature, in lower case. */
  readonly header: string;
  /** The hash function. */
  readonly algorithm: 'sha256' | 'sha384' | 'sha512';
  /** How the signature is written. */
  readonly encoding: 'hex' | 'base64' | 'base64url';
  /** Text before the signature; left out if there is none. */
  readonly prefix?: string;
  /** What is signed: `body`, or the signed time, a dot and the body. */
  readonly payload: 'body' | 'timestamp.body';
  /** The header with the signed time and its unit; only with `timestamp.body`. */
  readonly timestamp?: { readonly header: string; readonly unit: 's' | 'ms' | 'iso' };
}
