import { accountsIn } from '../account-page.js';
import {
  type ClaimResult,
  type InboxClaim,
  type InboxDelivery,
  type InboxKey,
  type InboxStore,
} from '../inbox-store.js';
import { keyedFingerprints } from './keyed-fingerprint.js';
import { sealedJournal } from './sealed-journal.js';
import { type ValueSealer } from './value-sealer.js';

/**
 * An inbox whose store gets keyed hashes in place of hashes of whole bodies. Everything else that an inbox holds is no
 * personal data.
 */
export function sealedInbox(inbox: InboxStore, sealer: ValueSealer): InboxStore {
  return {
    claim: async (delivery, leaseMs) => sealedClaim(await claim(inbox, delivery, leaseMs, sealer), sealer),
    waitForRelease: async (key, timeoutMs) => {
      await Promise.all(keysOf(key, sealer).map((stored) => inbox.waitForRelease(stored, timeoutMs)));
    },
    purge: (scope, olderThanMs) => inbox.purge(scope, olderThanMs),
    accounts: (page) => accountsIn(inbox, 'inbox', page),
  };
}

/** What was handled under an earlier key, or before encryption was turned on, is found first. */
async function claim(
  inbox: InboxStore,
  delivery: InboxDelivery,
  leaseMs: number,
  sealer: ValueSealer,
): Promise<ClaimResult> {
  const [current, ...earlier] = keysOf(delivery.key, sealer);
  for (const key of earlier) {
    const found = await inbox.claim({ ...delivery, key, mustExist: true }, leaseMs);
    if (found.result !== 'missing') return found;
  }
  return inbox.claim({ ...delivery, key: current }, leaseMs);
}

function keysOf(key: InboxKey, sealer: ValueSealer): readonly [InboxKey, ...InboxKey[]] {
  if (key.kind !== 'unrecognized') return [key];
  const [current, ...earlier] = keyedFingerprints(key, key.reference, sealer);
  return [{ ...key, reference: current }, ...earlier.map((reference) => ({ ...key, reference }))];
}

function sealedClaim(result: ClaimResult, sealer: ValueSealer): ClaimResult {
  return result.result === 'claimed' && result.claim.journal
    ? { ...result, claim: withSealedJournal(result.claim, sealer) }
    : result;
}

function withSealedJournal(claim: InboxClaim, sealer: ValueSealer): InboxClaim {
  const { attempt, finished, transaction, journal } = claim;
  return {
    attempt,
    finished,
    transaction,
    ...(journal && { journal: sealedJournal(journal, sealer) }),
    ...(claim.within && { within: claim.within.bind(claim) }),
    mark: (handler) => claim.mark(handler),
    finish: () => claim.finish(),
    fail: () => claim.fail(),
    withdraw: () => claim.withdraw(),
  };
}
