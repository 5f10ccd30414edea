import { type InboxScope } from '../../common/vocabulary.js';
import { type ValueSealer } from './value-sealer.js';

/**
 * What stands for the hash of a whole body, which could be guessed by trying all phone numbers. The last one is the hash
 * itself, as it was stored before encryption was turned on.
 */
export function keyedFingerprints(
  { account, environment }: InboxScope,
  bodyHash: string,
  sealer: ValueSealer,
): readonly [string, ...string[]] {
  return [...sealer.fingerprints(JSON.stringify([account, environment, bodyHash])), bodyHash];
}
