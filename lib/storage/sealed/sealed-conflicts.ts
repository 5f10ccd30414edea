import { accountsIn } from '../account-page.js';
import { PAYMENT_EVENT_NAMES } from '../../common/events.js';
import { jsonObject } from '../../common/json-object.js';
import { type ConflictStore, type InboxConflict, type SetAsideDelivery } from '../conflict-store.js';
import { keyedFingerprints } from './keyed-fingerprint.js';
import { isSealed, type SealedPlace } from './sealed-value.js';
import { cannotOpenNow, type ValueSealer } from './value-sealer.js';

const NAMES: readonly string[] = PAYMENT_EVENT_NAMES;

/** Conflicts whose store gets every payload sealed, and keyed hashes in place of hashes of whole bodies. */
export function sealedConflicts(conflicts: ConflictStore, sealer: ValueSealer): ConflictStore {
  return {
    setAside: async (delivery) => conflicts.setAside(await sealDelivery(delivery, sealer)),
    list: async (scope, page) => {
      const listed = await conflicts.list(scope, page);
      const opener = sealer.forList();
      return Promise.all(listed.map((stored) => openListed(stored, opener)));
    },
    get: async (scope, id) => {
      const stored = await conflicts.get(scope, id);
      return stored && openConflict(stored, sealer);
    },
    replacePayload: async (entry, payload) => {
      const stored = await conflicts.get(entry, entry.id);
      if (!stored) return false;
      const sealed = await sealPayload(stored, { ...entry, payload }, sealer);
      return conflicts.replacePayload({ ...stored, seen: entry.seen }, sealed);
    },
    remove: (scope, id) => conflicts.remove(scope, id),
    purge: (scope, kind, olderThanMs) => conflicts.purge(scope, kind, olderThanMs),
    accounts: (page) => accountsIn(conflicts, 'conflicts', page),
  };
}

async function sealDelivery(delivery: SetAsideDelivery, sealer: ValueSealer): Promise<SetAsideDelivery> {
  const stored = { ...delivery, fingerprint: storedFingerprint(delivery, sealer) };
  return { ...stored, payload: await sealPayload(stored, delivery, sealer) };
}

/** The sealed payload of an entry. Its release needs the fingerprint that the inbox knows. */
export async function sealPayload(
  stored: SetAsideDelivery,
  { payload, fingerprint }: SetAsideDelivery,
  sealer: ValueSealer,
): Promise<string> {
  return sealer.seal(JSON.stringify({ payload, fingerprint }), placeOf(stored));
}

/** Only an event that nobody knows is told apart by its whole body. The hash of others holds no personal data. */
function storedFingerprint(delivery: SetAsideDelivery, sealer: ValueSealer): string {
  const { event, fingerprint } = delivery;
  return NAMES.includes(event) ? fingerprint : keyedFingerprints(delivery, fingerprint, sealer)[0];
}

/** An event whose key cannot be had now does not keep back the others. */
async function openListed(stored: InboxConflict, sealer: ValueSealer): Promise<InboxConflict> {
  try {
    return await openConflict(stored, sealer);
  } catch (error) {
    return { ...stored, damaged: cannotOpenNow(error) };
  }
}

/** Rejects with a `KeyServiceError` if the key cannot be had now. */
export async function openConflict(stored: InboxConflict, sealer: ValueSealer): Promise<InboxConflict> {
  if (!isSealed(stored.payload)) {
    const problem = sealer.plainProblem('payload');
    return problem === undefined ? stored : { ...stored, damaged: problem };
  }
  const { text, problem } = await sealer.open(stored.payload, placeOf(stored), 'payload');
  if (problem !== undefined) return { ...stored, damaged: problem };
  const { payload, fingerprint } = jsonObject(text) ?? {};
  return { ...stored, payload: String(payload), fingerprint: String(fingerprint) };
}

function placeOf({
  account,
  environment,
  kind,
  fingerprint,
  event,
  reference,
}: SetAsideDelivery): SealedPlace {
  return ['conflicts', account, environment, kind, fingerprint, event, reference, 'payload'];
}
