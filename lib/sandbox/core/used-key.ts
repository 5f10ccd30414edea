import { createHash } from 'node:crypto';
import { type ResolvedFacts } from '../../gateway-profile/resolved-facts.js';
import { type GatewayAnswer } from './gateway-answer.js';
import { type Merchant, type UsedKey } from './merchant.js';
import { OPERATIONS } from './operations.js';
import { type SandboxOperation } from './operation-name.js';
import { refused } from './refusal.js';

/** The same text for the same operation and body. */
export function requestDigest(operation: SandboxOperation, body: unknown): string {
  return createHash('sha256')
    .update(`${operation} ${JSON.stringify(body)}`)
    .digest('base64url');
}

/**
 * Where a merchant keeps a key. A gateway that takes another request with a used key remembers the key together with its
 * request.
 */
export function placeOfKey(key: string, request: string, facts: ResolvedFacts): string {
  return facts['repeated key, other body'] === 'accepted' ? `${key} ${request}` : key;
}

const HOUR_MS = 3_600_000;

/** Whether the gateway forgot a key that was used. It remembers one whose time nobody knows. */
export function isForgotten({ at }: UsedKey, now: number, facts: ResolvedFacts): boolean {
  return facts['key after an hour'] === 'forgotten' && at !== undefined && now - at >= HOUR_MS;
}

/** The answer to a call whose key was used; undefined if the gateway takes the call. */
export function answerToUsedKey(
  { request, answer }: UsedKey,
  { operation, body }: { readonly operation: SandboxOperation; readonly body: unknown },
  merchant: Merchant,
  facts: ResolvedFacts,
): GatewayAnswer | undefined {
  const isSame = request === undefined || request === requestDigest(operation, body);
  const rule = facts[isSame ? 'repeated key' : 'repeated key, other body'];
  switch (rule) {
    case 'accepted':
      return undefined;
    case 'first answer':
      return answer ?? refused('DUPLICATE_REQUEST');
    case 'DUPLICATE_REFERENCE':
      // The gateway looks at the reference first; a refused request left none.
      return refused(merchant.knows(OPERATIONS[operation].makes, body) ? rule : 'DUPLICATE_REQUEST');
    default:
      return refused(rule);
  }
}
