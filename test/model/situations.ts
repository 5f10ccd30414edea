import fc from 'fast-check';
import { perhaps } from './chance.js';
import { type CallStep, type HowItEnds, type Slot, type Step, type StoreTrouble } from './plan.js';
import {
  busy,
  madeRequests,
  openRequests,
  probed,
  refusedAgain,
  refusedRequests,
  refusedWithoutCode,
} from './random-requests.js';
import { enlisted, recoveries, replicas, sameCall, slots } from './random-steps.js';

type Steps = fc.Arbitrary<readonly Step[]>;

const inOrder = (...parts: readonly Steps[]): Steps => fc.tuple(...parts).map((each) => each.flat());
const one = (step: fc.Arbitrary<Step>): Steps => step.map((each) => [each]);
const always = (step: Step): Steps => fc.constant([step]);

/** The call itself meets nothing beside what its requests say. */
const UNDISTURBED = { trouble: undefined, meanwhile: 'nothing', killedAfterwards: false } as const;

/** Longer than a call and its lease, and shorter than the recovery window. */
const LATER: Step = { do: 'let time pass', ms: 100_000 };

const decided = (slot: Slot): fc.Arbitrary<Step> =>
  fc.record({
    do: fc.constant('decide' as const),
    slot: fc.constant(slot),
    how: fc.constantFrom<HowItEnds>(0, 1),
  });
const operator = (slot: Slot): fc.Arbitrary<Step> => fc.constant({ do: 'settle', slot });

/**
 * What becomes of one payment, in the order in which it does, with gaps: a call that ends in the open, somebody who finds out,
 * an end, a journal that forgets, and the same call again. Chance alone hardly ever puts these together.
 */
const wholeLife = (slot: Slot): Steps =>
  inOrder(
    perhaps(sameCall(slot)),
    one(sameCall(slot)),
    perhaps(fc.constant(LATER)),
    perhaps(recoveries()),
    perhaps(decided(slot)),
    perhaps(operator(slot)),
    perhaps(fc.constantFrom<Step>({ do: 'purge' }, { do: 'other payments' }, { do: 'restart', replica: 0 })),
    one(sameCall(slot)),
    perhaps(recoveries()),
  );

/** The payment ends before the gateway answers. */
const endBeforeAnswer = (slot: Slot): Steps =>
  inOrder(
    one(
      fc
        .constantFrom<CallStep['meanwhile']>('webhook', 'operator')
        .chain((meanwhile) => sameCall(slot, { ...UNDISTURBED, meanwhile }, madeRequests(slot.family))),
    ),
    perhaps(recoveries()),
    one(sameCall(slot)),
  );

/** The same reference for another payment: another amount, or another operation. */
const anotherPayment = (slot: Slot): Steps =>
  inOrder(
    one(sameCall(slot, UNDISTURBED, madeRequests(slot.family))),
    perhaps(decided(slot)),
    one(
      sameCall(slot).chain((step) =>
        fc
          .constantFrom<Partial<CallStep['call']>>({ amount: '2500.50' }, { channel: 1 })
          .map((other): Step => ({ ...step, call: { ...step.call, ...other } })),
      ),
    ),
  );

/** A refusal lets the next attempt begin, which ends in the open, and is forgotten or not. */
const nextAttempt = (slot: Slot): Steps =>
  inOrder(
    one(sameCall(slot, UNDISTURBED, refusedRequests)),
    one(sameCall(slot, {}, fc.oneof(openRequests(slot.family), madeRequests(slot.family)))),
    perhaps(fc.constantFrom<Step>({ do: 'purge' }, { do: 'other payments' })),
    perhaps(operator(slot)),
    one(sameCall(slot)),
  );

/** The gateway refuses the one further try, or has no time for it. */
const probeInVain = (slot: Slot): Steps =>
  inOrder(
    one(sameCall(slot, UNDISTURBED, probed(slot.family))),
    always(LATER),
    one(recoveries({ trouble: undefined }, fc.oneof(busy(), refusedRequests))),
    perhaps(fc.constant(LATER)),
    perhaps(recoveries({}, busy())),
    one(sameCall(slot)),
  );

/** The call's process is gone, or cut off, and another replica finds what it left. */
const leftBehind = (slot: Slot): Steps =>
  inOrder(
    one(
      fc
        .record({
          nth: fc.constantFrom<1 | 2>(1, 1, 2),
          kind: fc.constantFrom<StoreTrouble['kind']>('late', 'late', 'answer lost', 'partition', 'cut off'),
          killedAfterwards: fc.boolean(),
        })
        .chain(({ killedAfterwards, ...trouble }) =>
          sameCall(slot, { trouble, killedAfterwards, meanwhile: 'nothing' }),
        ),
    ),
    perhaps(fc.constant<Step>({ do: 'let late requests and writes arrive' })),
    always(LATER),
    one(recoveries({ trouble: undefined })),
    perhaps(replicas.map((replica): Step => ({ do: 'restart', replica }))),
    one(sameCall(slot)),
  );

/** The gateway refuses, and the refusal is not written: for another process the call was cut off. */
const unwrittenRefusal = (slot: Slot): Steps =>
  inOrder(
    one(
      fc
        .record({
          // After the payment itself and the note that it left.
          nth: fc.constant<3>(3),
          // A process that lives writes it down later.
          kind: fc.constant<StoreTrouble['kind']>('cut off'),
        })
        .chain((trouble) =>
          sameCall(slot, { trouble, meanwhile: 'nothing', killedAfterwards: false }, refusedRequests),
        ),
    ),
    perhaps(replicas.map((replica): Step => ({ do: 'restart', replica }))),
    always(LATER),
    one(recoveries({ trouble: undefined }, fc.constant([]))),
    one(sameCall(slot)),
  );

/** A database loses the payment while its call is being made. */
const lostRow = (slot: Slot): Steps =>
  inOrder(
    one(sameCall(slot, { ...UNDISTURBED, meanwhile: 'row vanishes' })),
    perhaps(fc.constant(LATER)),
    perhaps(recoveries()),
    one(sameCall(slot)),
  );

/** The answer is lost, and the further try of the package, or of an interceptor, is refused. */
const refusedRepetition = (slot: Slot): Steps =>
  inOrder(one(sameCall(slot, UNDISTURBED, refusedAgain)), perhaps(recoveries()), one(sameCall(slot)));

/** A payout fails after the gateway took it, which an operator tells the journal. */
const failedPayout = ({ reference }: Slot): Steps => {
  const slot: Slot = { family: 'disbursement', reference };
  return inOrder(
    one(sameCall(slot, UNDISTURBED, fc.constant([{ answer: 'accepted', effect: 'now' }]))),
    always({ do: 'decide', slot, how: 1 }),
    one(operator(slot)),
    always(LATER),
    one(sameCall(slot, UNDISTURBED)),
  );
};

/** A call has no time for a further try, so that one is left to a recovery, which may come too late. */
const openProbe = ({ reference }: Slot): Steps => {
  const slot: Slot = { family: 'collection', reference };
  const call = sameCall(slot, UNDISTURBED, openRequests(slot.family));
  return inOrder(
    one(call.map((step): Step => ({ ...step, call: { ...step.call, options: 'short' } }))),
    perhaps(replicas.map((replica): Step => ({ do: 'restart', replica }))),
    fc.oneof(
      fc.constant([]),
      recoveries({ trouble: undefined }).map((step) => [LATER, step]),
    ),
  );
};

/** The caller's own key comes again after a refusal, with another amount. */
const keyAgain = (slot: Slot): Steps => {
  const withKey = (step: CallStep, amount: CallStep['call']['amount']): Step => ({
    ...step,
    call: { ...step.call, amount, options: 'own key' },
  });
  return inOrder(
    one(sameCall(slot, UNDISTURBED, refusedRequests).map((step) => withKey(step, '1000.00'))),
    one(sameCall(slot, UNDISTURBED).map((step) => withKey(step, '2500.50'))),
    one(sameCall(slot)),
  );
};

/** A call makes one try only, and nobody makes another one. */
const oneTry = (slot: Slot): Steps =>
  inOrder(
    one(
      sameCall(slot, UNDISTURBED, openRequests(slot.family)).map((step): Step => ({
        ...step,
        call: { ...step.call, options: 'once' },
      })),
    ),
    always(LATER),
    one(recoveries({ trouble: undefined })),
    one(sameCall(slot)),
  );

/** The gateway refuses a collection, takes the next call of it, and says that one of the two has failed. */
const failureAfterRefusal = ({ reference }: Slot): Steps => {
  const slot: Slot = { family: 'collection', reference };
  return inOrder(
    one(sameCall(slot, UNDISTURBED, fc.oneof(refusedRequests, refusedWithoutCode))),
    one(sameCall(slot, UNDISTURBED, madeRequests(slot.family))),
    perhaps(recoveries()),
    one(fc.constantFrom<HowItEnds>(1, 2, 3).map((how): Step => ({ do: 'decide', slot, how }))),
    perhaps(recoveries()),
  );
};

/** Another replica looks at a payment whose call still runs. */
const heldByAnother = (slot: Slot): Steps =>
  inOrder(
    one(sameCall(slot, { ...UNDISTURBED, meanwhile: 'others act' })),
    perhaps(recoveries()),
    one(sameCall(slot)),
  );

/** A payment that is enlisted, and whatever comes between its commit and its end. */
const enlistedLife = (slot: Slot): Steps =>
  inOrder(
    perhaps(sameCall(slot, UNDISTURBED, refusedRequests)),
    one(enlisted(slot)),
    perhaps(fc.constantFrom<Step>({ do: 'purge' }, { do: 'other payments' }, { do: 'settle', slot })),
    perhaps(enlisted(slot)),
    fc.constantFrom<readonly Step[]>([], [LATER], [{ do: 'let late requests and writes arrive' }, LATER]),
    perhaps(recoveries()),
    perhaps(sameCall(slot)),
    perhaps(decided(slot)),
  );

/** Stories that chance alone hardly ever puts together. */
export const situations: Steps = slots.chain((slot) =>
  fc.oneof(
    { weight: 4, arbitrary: wholeLife(slot) },
    { weight: 3, arbitrary: endBeforeAnswer(slot) },
    { weight: 2, arbitrary: anotherPayment(slot) },
    { weight: 3, arbitrary: nextAttempt(slot) },
    { weight: 3, arbitrary: probeInVain(slot) },
    { weight: 4, arbitrary: leftBehind(slot) },
    { weight: 3, arbitrary: unwrittenRefusal(slot) },
    { weight: 2, arbitrary: lostRow(slot) },
    { weight: 2, arbitrary: heldByAnother(slot) },
    { weight: 4, arbitrary: refusedRepetition(slot) },
    { weight: 1, arbitrary: failedPayout(slot) },
    { weight: 4, arbitrary: openProbe(slot) },
    { weight: 3, arbitrary: oneTry(slot) },
    { weight: 1, arbitrary: keyAgain(slot) },
    { weight: 3, arbitrary: failureAfterRefusal(slot) },
    { weight: 6, arbitrary: enlistedLife(slot) },
  ),
);
