import { type WebhookFacts } from '../../../gateway-profile/gateway-profile.js';
import { type SigningWay } from './delivery-ways.js';
import { signedSo } from './signed-so.js';

const OTHER_BASE64 = { base64: 'base64url', base64url: 'base64' } as const;

/**
 * Another way of reading the same signatures that explains the same deliveries: the signed time is in two headers, or no signature has
 * a letter in which the two kinds of base64 differ. Undefined: there is none, or the way has a name of its own.
 */
export function twinOf(
  { found, deliveries }: SigningWay,
  facts: WebhookFacts,
  ways: readonly SigningWay[],
  secrets: readonly string[],
): WebhookFacts | undefined {
  if (facts.scheme !== 'hmac') return undefined;
  const { encoding } = facts;
  if (encoding !== 'hex') {
    const other = { ...facts, encoding: OTHER_BASE64[encoding] };
    if (signedSo(deliveries, other, secrets).length === deliveries.length) return other;
  }
  return ways.find(
    (way) =>
      way.facts !== undefined &&
      way.found !== found &&
      way.found.algorithm === found.algorithm &&
      way.found.secret === found.secret &&
      way.found.payload === found.payload &&
      way.deliveries.length === deliveries.length,
  )?.facts;
}
