import fc from 'fast-check';
import { type Death } from './mortal-storage.js';

/** What the gateway does with a line: `once` things end with the first request. */
export const FATES = [
  'is taken',
  'is taken, and the answer is lost once',
  'is refused once',
  'finds the wallet empty once',
  'meets an error of the gateway once',
  'goes to somebody with another name',
] as const;
export type Fate = (typeof FATES)[number];

/** How a job is run. */
export type Run =
  { readonly how: 'once' | 'twice' | 'on both' | 'lost' } | { readonly how: 'dies'; readonly death: Death };

/** One step of a story. `process`: which of the two processes does it. */
export type Step = { readonly process: 0 | 1 } & (
  | { readonly act: 'check' | 'start' | 'pause' | 'resume' | 'ask again' | 'restart' | 'a day passes' }
  | { readonly act: 'accept' | 'settle'; readonly line: number }
  | { readonly act: 'approve'; readonly by: string; readonly withoutBlocked: boolean }
  | { readonly act: 'cancel' }
  | { readonly act: 'run'; readonly job: number; readonly run: Run }
);

export interface BatchPlan {
  /** One for each line. */
  readonly fates: readonly Fate[];
  readonly steps: readonly Step[];
}

const place = fc.constantFrom(0, 1);
const line = fc.nat({ max: 8 });

const death: fc.Arbitrary<Death> = fc.record({ afterCalls: fc.nat({ max: 14 }), isDone: fc.boolean() });

const run: fc.Arbitrary<Run> = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ how: 'once' } as const) },
  { weight: 3, arbitrary: fc.constantFrom<Run>({ how: 'twice' }, { how: 'on both' }, { how: 'lost' }) },
  { weight: 3, arbitrary: death.map((each): Run => ({ how: 'dies', death: each })) },
);

const act = <Act extends string>(...acts: Act[]): fc.Arbitrary<{ process: 0 | 1; act: Act }> =>
  fc.record({ process: place, act: fc.constantFrom(...acts) });

const running: fc.Arbitrary<Step> = fc.record({
  process: place,
  act: fc.constant('run' as const),
  job: fc.nat({ max: 5 }),
  run,
});

const anything: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: running },
  { weight: 6, arbitrary: act('pause', 'resume', 'resume', 'start', 'ask again', 'restart', 'a day passes') },
  { weight: 2, arbitrary: fc.record({ process: place, act: fc.constantFrom('accept', 'settle'), line }) },
  {
    weight: 1,
    arbitrary: fc.record({
      process: place,
      act: fc.constant('approve' as const),
      by: fc.constantFrom('maker', 'checker'),
      withoutBlocked: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: act('check', 'cancel') },
);

/** The usual way, so that most stories come to the payment, with anything in between. */
export const USUAL: readonly Step[] = [
  { process: 0, act: 'check' },
  ...[0, 0, 0].map((job): Step => ({ process: 0, act: 'run', job, run: { how: 'once' } })),
  { process: 1, act: 'approve', by: 'maker', withoutBlocked: true },
  { process: 0, act: 'approve', by: 'checker', withoutBlocked: true },
  { process: 1, act: 'start' },
];

const early: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: anything },
  { weight: 2, arbitrary: fc.record({ process: place, act: fc.constant('accept' as const), line }) },
  {
    weight: 2,
    arbitrary: fc.record({ process: place, act: fc.constant('run' as const), job: fc.nat(), run }),
  },
);

const steps: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.array(early, { maxLength: 5 }), fc.array(anything, { minLength: 4, maxLength: 24 }))
  .chain(([between, after]) =>
    fc
      .array(fc.nat({ max: USUAL.length }), { minLength: between.length, maxLength: between.length })
      .map((places) => [
        ...USUAL.flatMap((step, index) => [...between.filter((_, number) => places[number] === index), step]),
        ...after,
      ]),
  );

const fates = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(FATES[0]) },
    { weight: 5, arbitrary: fc.constantFrom(...FATES) },
  ),
  { minLength: 1, maxLength: 8 },
);

export const batchPlans: fc.Arbitrary<BatchPlan> = fc.record({ fates, steps });
