import { type WebhookFacts } from '../../../gateway-profile/gateway-profile.js';
import { payloadVariants } from '../../webhooks/payload-variants.js';
import { type FoundSignature, signaturesIn } from '../../webhooks/signature-search.js';
import { type CapturedDelivery } from './captured-delivery.js';
import { schemeFacts } from './scheme-facts.js';
import { signedSo } from './signed-so.js';

/** Strangers could keep the search busy: a longer body, or more payloads to try, is nobody's webhook. */
const LONGEST_BODY = 16_384;
const MOST_PAYLOADS = 64;
const MOST_SEARCHED = 100;

/** One way of signing, with the deliveries that it explains. */
export interface SigningWay {
  /** As it was found in one of them. */
  readonly found: FoundSignature;
  /** Undefined: the package has no options for it. */
  readonly facts: WebhookFacts | undefined;
  readonly deliveries: readonly CapturedDelivery[];
}

/** Every way of signing that explains a delivery, the simplest first. */
export function signingWays(
  deliveries: readonly CapturedDelivery[],
  secrets: readonly string[],
): readonly SigningWay[] {
  const foundByWay = new Map<string, { found: FoundSignature; deliveries: CapturedDelivery[] }>();
  for (const delivery of deliveries.filter(isSearchable).slice(0, MOST_SEARCHED)) {
    for (const found of secrets.flatMap((secret) => [
      ...signaturesIn(delivery.headers, delivery.body, secret),
    ])) {
      const way = foundByWay.get(nameOf(found)) ?? { found, deliveries: [] };
      if (!way.deliveries.includes(delivery)) way.deliveries.push(delivery);
      foundByWay.set(nameOf(found), way);
    }
  }
  return [...foundByWay.values()].map(({ found, deliveries: explained }) => {
    const facts = schemeFacts(found);
    const signed = facts ? signedSo(deliveries, facts, secrets).map(({ delivery }) => delivery) : [];
    return signed.length > 0
      ? { found, facts, deliveries: signed }
      : { found, facts: undefined, deliveries: explained };
  });
}

/** How many deliveries with different bodies it explains: the same bytes twice prove no more than once. */
export function differentBodies({ deliveries }: SigningWay): number {
  return new Set(deliveries.map(({ body }) => body.toString('latin1'))).size;
}

function isSearchable({ body, headers }: CapturedDelivery): boolean {
  return body.length <= LONGEST_BODY && payloadVariants(headers).length <= MOST_PAYLOADS;
}

/** The same for every delivery that is signed so: the text before a signature may hold a time or another signature. */
function nameOf({
  before,
  header,
  algorithm,
  encoding,
  bodyChange,
  secret,
  ...payload
}: FoundSignature): string {
  const { timestampHeader, timestampUnit, idHeader } = payload;
  const label = before.replaceAll(/[\w+/-]{16,}={0,2}/g, '…').replaceAll(/\d{10,}/g, '…');
  return JSON.stringify([
    label,
    header,
    algorithm,
    encoding,
    bodyChange,
    secret,
    payload.payload,
    timestampHeader,
    timestampUnit,
    idHeader,
  ]);
}
