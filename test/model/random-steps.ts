import fc from 'fast-check';
import { often, rarely } from './chance.js';
import {
  type CallStep,
  type EnlistStep,
  type Family,
  type HowItEnds,
  type Meanwhile,
  type PlannedCall,
  type RecoverStep,
  type Replica,
  type Slot,
  type Step,
  type StoreTrouble,
} from './plan.js';
import { recoveryRequests, requests, type Requests } from './random-requests.js';
import { operationsOf } from './send-payment.js';

// Mostly the same two payments: repetition is where money is lost.
export const slots: fc.Arbitrary<Slot> = fc.record({
  family: fc.constantFrom<Family>('collection', 'disbursement', 'disbursement'),
  reference: often<Slot['reference']>('first', 'second'),
});

export const replicas = fc.constantFrom<Replica>(0, 0, 1);

const troubles: fc.Arbitrary<StoreTrouble | undefined> = rarely(
  fc.record({
    nth: fc.constantFrom<StoreTrouble['nth']>(1, 1, 2, 2, 3),
    kind: fc.constantFrom<StoreTrouble['kind']>(
      'fails',
      'answer lost',
      'late',
      'partition',
      'cut off',
      'cut off',
      'dies before',
      'dies after',
    ),
  }),
);

const meanwhiles = often<Meanwhile>(
  'nothing',
  'webhook',
  'operator',
  'row vanishes',
  'others act',
  'process dies',
  'caller gives up',
);

const anyCall = ({ family, reference }: Slot): fc.Arbitrary<PlannedCall> => {
  const [, ...otherChannels] = operationsOf(family).keys();
  return fc.record({
    family: fc.constant(family),
    reference: fc.constant(reference),
    channel: often(0, ...otherChannels),
    amount: often<PlannedCall['amount']>('1000.00', '2500.50'),
    options: often<PlannedCall['options']>('plain', 'once', 'own key', 'attempt 2', 'aborted before'),
  });
};

const callSteps = (
  call: fc.Arbitrary<PlannedCall>,
  planned: Requests,
  unreachable: fc.Arbitrary<boolean>,
): fc.Arbitrary<CallStep> =>
  fc.record({
    do: fc.constant('call' as const),
    by: replicas,
    call,
    requests: planned,
    meanwhile: meanwhiles,
    trouble: troubles,
    unreachable,
    killedAfterwards: fc.constantFrom(false, false, false, false, false, false, true),
  });

/** The same call as every other one of this slot, with some of it said. */
export const sameCall = (
  where: Slot,
  said: Partial<Omit<CallStep, 'do' | 'call' | 'requests'>> = {},
  planned: Requests = requests(where.family),
): fc.Arbitrary<CallStep> =>
  callSteps(
    fc.constant({ ...where, channel: 0, amount: '1000.00', options: 'plain' }),
    planned,
    fc.constant(false),
  ).map((step) => ({ ...step, ...said }));

/** The payment of this slot, or with other options, enlisted in a transaction. */
export const enlisted = (
  where: Slot,
  said: Partial<Omit<EnlistStep, 'do' | 'call'>> = {},
): fc.Arbitrary<EnlistStep> =>
  fc
    .record({
      do: fc.constant('enlist' as const),
      by: replicas,
      call: fc.record({
        family: fc.constant(where.family),
        reference: fc.constant(where.reference),
        channel: fc.constant(0),
        amount: fc.constantFrom<PlannedCall['amount']>('1000.00', '1000.00', '1000.00', '2500.50'),
        options: often<PlannedCall['options']>('plain', 'own key', 'attempt 2'),
      }),
      twice: often(false, true),
      ends: often<EnlistStep['ends']>('commit', 'rollback', 'dies before', 'dies after'),
      then: fc.constantFrom<EnlistStep['then']>('nobody', 'send', 'both replicas'),
      requests: requests(where.family),
      trouble: troubles,
    })
    .map((step) => ({ ...step, ...said }));

export const recoveries = (
  said: Partial<Omit<RecoverStep, 'do' | 'requests'>> = {},
  planned: Requests = recoveryRequests,
): fc.Arbitrary<RecoverStep> =>
  fc
    .record({
      do: fc.constant('recover' as const),
      by: replicas,
      twice: fc.boolean(),
      requests: planned,
      trouble: troubles,
    })
    .map((step) => ({ ...step, ...said }));

/** Anything, without regard to what came before. */
const anyStep: fc.Arbitrary<Step> = slots.chain((where) =>
  fc.oneof(
    { weight: 10, arbitrary: callSteps(anyCall(where), requests(where.family), often(false, true)) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          anyCall(where),
          anyCall(where),
          fc.constantFrom('same', 'same', 'other'),
          fc.boolean(),
          requests(where.family),
        )
        .map(([one, other, how, elsewhere, planned]): Step => ({
          do: 'two calls at once',
          elsewhere,
          calls: [one, how === 'same' ? one : other],
          requests: planned,
        })),
    },
    { weight: 4, arbitrary: recoveries() },
    { weight: 4, arbitrary: enlisted(where) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('decide' as const),
        slot: fc.constant(where),
        how: fc.constantFrom<HowItEnds>(0, 1, 2, 3),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('settle' as const), slot: fc.constant(where) }) },
    { weight: 2, arbitrary: fc.constant<Step>({ do: 'let late requests and writes arrive' }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), replica: replicas }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('let time pass' as const),
        ms: fc.constantFrom(20_000, 100_000, 100_000, 1_000_000),
      }),
    },
    { weight: 1, arbitrary: fc.constant<Step>({ do: 'purge' }) },
    { weight: 1, arbitrary: fc.constant<Step>({ do: 'other payments' }) },
  ),
);

export const anySteps: fc.Arbitrary<readonly Step[]> = fc.array(anyStep, { minLength: 3, maxLength: 12 });
