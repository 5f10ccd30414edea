import fc from 'fast-check';

/** What happens to one request between the caller and the gateway. */
export const FAULTS = [
  'none',
  // Never leaves the machine.
  'refused',
  // The gateway does not process it.
  'dropBefore',
  'html 502',
  'html 200',
  'status 200',
  'status 302',
  'status 307',
  'status 400',
  'status 400 BRAND_NEW',
  'status 400 INSUFFICIENT_BALANCE',
  'status 400 PROVIDER_ERROR',
  'status 401',
  'status 404',
  'status 408',
  'status 409',
  'status 429',
  'status 503',
  // The gateway processes it.
  'dropAfterProcessing',
  'malformedJson',
  'hang',
  'reset',
  'truncated',
  'webhook before the answer',
  // The gateway processes it long after the caller has given up.
  'late',
  // The caller gives up once it is sent.
  'aborted',
] as const;
export type Fault = (typeof FAULTS)[number];

/** The process ends around its nth request or its nth write to the journal. */
export interface Death {
  readonly at: 'request' | 'write';
  readonly nth: number;
  readonly side: 'before' | 'after';
}

/** The journal fails once, having written or not. */
export interface Outage {
  readonly nth: number;
  readonly side: 'before' | 'after';
}

export type Family = 'collection' | 'disbursement';

/** One reference of one family. */
export interface Slot {
  readonly family: Family;
  readonly reference: string;
}

export interface PlannedCall extends Slot {
  readonly channel: 0 | 1;
  readonly amount: string;
  readonly options: 'plain' | 'once' | 'own key' | 'attempt 2' | 'aborted before';
}

export type Step =
  | {
      readonly do: 'call';
      readonly call: PlannedCall;
      readonly faults: readonly Fault[];
      readonly death?: Death | undefined;
      readonly outage?: Outage | undefined;
    }
  | {
      readonly do: 'two calls at once';
      readonly calls: readonly [PlannedCall, PlannedCall];
      /** The second one is made by another process. */
      readonly elsewhere: boolean;
      readonly faults: readonly Fault[];
    }
  | {
      readonly do: 'recover';
      /** Another process recovers at the same time. */
      readonly twice: boolean;
      readonly faults: readonly Fault[];
      readonly death?: Death | undefined;
    }
  /** The customer or the provider brings the payment to its end. */
  | { readonly do: 'decide'; readonly slot: Slot; readonly how: 0 | 1 | 2 | 3 }
  /** An operator looks at the gateway's books and tells the journal. */
  | { readonly do: 'settle'; readonly slot: Slot }
  | { readonly do: 'let late requests arrive' }
  | { readonly do: 'restart' }
  | { readonly do: 'let time pass'; readonly ms: number };

/** One story, from an empty journal to its end. */
export interface Plan {
  readonly probe: { readonly collections: boolean; readonly disbursements: boolean };
  readonly steps: readonly Step[];
  /** How long the last recovery waits: inside the recovery window, or after it. */
  readonly lastWaitMs: number;
}

/** The last one is more than the wallet holds. */
export const AMOUNTS = ['1000.00', '2500.50', '5000000.00'] as const;

const slot = fc.record({
  family: fc.constantFrom<Family>('collection', 'disbursement'),
  reference: fc.constantFrom('first', 'second'),
});
const call: fc.Arbitrary<PlannedCall> = fc
  .tuple(
    slot,
    fc.record({
      channel: often<0 | 1>(0, 1),
      amount: often(...AMOUNTS),
      options: often<PlannedCall['options']>('plain', 'once', 'own key', 'attempt 2', 'aborted before'),
    }),
  )
  .map(([where, how]) => ({ ...where, ...how }));
const faults = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...FAULTS), { maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...FAULTS).map((fault): readonly Fault[] => [fault, fault, fault]),
  },
);
const side = fc.constantFrom<'before' | 'after'>('before', 'after');
const nth = fc.integer({ min: 1, max: 3 });
const death: fc.Arbitrary<Death | undefined> = rarely(
  fc.record({ at: fc.constantFrom<'request' | 'write'>('request', 'write'), nth, side }),
);
const outage: fc.Arbitrary<Outage | undefined> = rarely(fc.record({ nth, side }));

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('call' as const), call, faults, death, outage }) },
  { weight: 2, arbitrary: atOnce() },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('recover' as const), twice: fc.boolean(), faults, death }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      slot,
      how: fc.constantFrom<0 | 1 | 2 | 3>(0, 1, 2, 3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('settle' as const), slot }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'let late requests arrive' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'restart' }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('let time pass' as const),
      ms: fc.constantFrom(1_000, 100_000, 1_000_000),
    }),
  },
);

export const plans: fc.Arbitrary<Plan> = fc.record({
  probe: fc.record({ collections: often(true, false), disbursements: often(true, false) }),
  steps: fc.array(step, { minLength: 1, maxLength: 12 }),
  lastWaitMs: often(100_000, 2_000_000),
});

/** Two calls for one reference, mostly of the same payment. */
function atOnce(): fc.Arbitrary<Step> {
  return fc
    .tuple(call, call, fc.constantFrom('same', 'same', 'other'), fc.boolean(), faults)
    .map(([one, other, how, elsewhere, planned]) => ({
      do: 'two calls at once',
      elsewhere,
      calls: [one, how === 'same' ? one : { ...other, family: one.family, reference: one.reference }],
      faults: planned,
    }));
}

/** The first value in most cases. */
function often<T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
}

function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}
