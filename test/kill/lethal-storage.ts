import {
  type ClaimResult,
  type InboxClaim,
  type InboxDelivery,
  type InboxStore,
  type PaymentsStorage,
} from '../../lib/index.js';
import { type History, now } from './history.js';
import { type KillPoint } from './plan.js';

/** Dies here if this is where the event is deadly. */
export type Reach = (point: KillPoint, reference: string) => void;

/** A storage that writes down what it is asked, and around which the process may die. */
export function lethalStorage(inner: PaymentsStorage, history: History, reach: Reach): PaymentsStorage {
  const claim = async (delivery: InboxDelivery, leaseMs: number): Promise<ClaimResult> => {
    const { reference } = delivery.key;
    reach('before the claim', reference);
    const since = now();
    const result = await inner.inbox.claim(delivery, leaseMs);
    if (result.result === 'done') history.add({ what: 'known', reference });
    if (result.result !== 'claimed') return result;
    history.add({ what: 'claimed', reference, since, attempt: result.claim.attempt });
    reach('after the claim', reference);
    return { result: 'claimed', claim: lethalClaim(result.claim, reference, history, reach) };
  };
  const inbox: InboxStore = Object.assign(Object.create(inner.inbox) as InboxStore, { claim });
  return { ...inner, inbox };
}

function lethalClaim(claim: InboxClaim, reference: string, history: History, reach: Reach): InboxClaim {
  const { attempt, finished, transaction, journal } = claim;
  /** What follows comes at once: another event could be deadly in between. */
  const told = async (
    what: 'marked' | 'finished',
    work: Promise<boolean>,
    follows: () => void = () => undefined,
  ): Promise<boolean> => {
    const said = await work.catch((error: unknown) => {
      history.add({ what, reference, attempt, said: 'error' });
      throw error;
    });
    history.add({ what, reference, attempt, said });
    follows();
    return said;
  };
  return {
    attempt,
    finished,
    ...(transaction === undefined ? {} : { transaction }),
    ...(journal === undefined ? {} : { journal }),
    mark: (handler) => told('marked', claim.mark(handler)),
    finish: () => {
      reach('before the finish', reference);
      history.add({ what: 'ending', reference, how: 'finish' });
      return told('finished', claim.finish(), () => {
        reach('before the answer', reference);
      });
    },
    fail: () => {
      history.add({ what: 'ending', reference, how: 'fail' });
      return claim.fail();
    },
  };
}
