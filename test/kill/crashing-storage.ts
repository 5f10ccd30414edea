import {
  type ClaimResult,
  type InboxClaim,
  type InboxDelivery,
  type InboxStore,
  type PaymentsStorage,
} from 'nestjs-payments';
import { type Happening, type History } from './history.js';
import { type KillPoint, type Outcome, outcomeOf } from './plan.js';

/**
 * Dies or stands still here if that is planned for this event.
 *
 * @param told Is written down together with the death, so that no other one comes between the two.
 */
export type Reach = (point: KillPoint, reference: string, told?: Happening) => void | Promise<void>;

/** A storage that writes down what it is asked, and around which the process may die. */
export function crashingStorage(inner: PaymentsStorage, history: History, reach: Reach): PaymentsStorage {
  const claim = async (delivery: InboxDelivery, leaseMs: number): Promise<ClaimResult> => {
    // What was set aside is kept under another name, and none of it is planned to break.
    if (delivery.key.kind !== 'outcome') return inner.inbox.claim(delivery, leaseMs);
    const about = { reference: delivery.key.reference, outcome: outcomeOf(delivery.event) };
    await reach('before the claim', about.reference);
    const result = await inner.inbox.claim(delivery, leaseMs);
    if (result.result === 'done') history.add({ what: 'known', ...about });
    if (result.result !== 'claimed') return result;
    history.add({ what: 'claimed', ...about, attempt: result.claim.attempt });
    await reach('after the claim', about.reference);
    return { result: 'claimed', claim: crashingClaim(result.claim, about, history, reach) };
  };
  const inbox: InboxStore = Object.assign(Object.create(inner.inbox) as InboxStore, { claim });
  return { ...inner, inbox };
}

function crashingClaim(
  claim: InboxClaim,
  about: { readonly reference: string; readonly outcome: Outcome },
  history: History,
  reach: Reach,
): InboxClaim {
  const { attempt, finished, transaction, journal } = claim;
  const { reference } = about;
  const run = { ...about, attempt };
  return {
    attempt,
    finished,
    ...(transaction === undefined ? {} : { transaction }),
    ...(journal === undefined ? {} : { journal }),
    ...(claim.within === undefined ? {} : { within: claim.within.bind(claim) }),
    mark: async (handler) => {
      history.add({ what: 'marking', ...run, handler });
      const said = await heard(claim.mark(handler), (error) => {
        history.add({ what: 'marked', ...run, handler, said: error });
      });
      history.add({ what: 'marked', ...run, handler, said });
      return said;
    },
    finish: async () => {
      await reach('before the finish', reference);
      history.add({ what: 'ending', ...run, how: 'finish' });
      const said = await heard(claim.finish(), (error) => {
        history.add({ what: 'finished', ...run, said: error });
      });
      await reach('before the answer', reference, { what: 'finished', ...run, said });
      return said;
    },
    fail: () => {
      history.add({ what: 'ending', ...run, how: 'fail' });
      return claim.fail();
    },
    withdraw: () => {
      history.add({ what: 'ending', ...run, how: 'withdraw' });
      return claim.withdraw();
    },
  };
}

async function heard(work: Promise<boolean>, failed: (said: 'error') => void): Promise<boolean> {
  try {
    return await work;
  } catch (error) {
    failed('error');
    throw error;
  }
}
