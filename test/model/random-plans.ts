import fc from 'fast-check';
import { often } from './chance.js';
import { type Interceptor, type Plan, type Step } from './plan.js';
import { anySteps } from './random-steps.js';
import { situations } from './situations.js';

const steps: fc.Arbitrary<readonly Step[]> = fc.oneof(
  { weight: 2, arbitrary: situations },
  { weight: 1, arbitrary: anySteps },
  { weight: 2, arbitrary: fc.tuple(situations, situations).map((each) => each.flat()) },
);

export const plans: fc.Arbitrary<Plan> = fc.record({
  probe: fc.record({ collections: often(true, false), disbursements: fc.boolean() }),
  asksForStatus: fc.constantFrom(false, false, true),
  journalSize: often<2 | undefined>(undefined, 2),
  interceptor: fc.oneof(
    { weight: 5, arbitrary: fc.constant<Interceptor>('none') },
    {
      weight: 5,
      arbitrary: fc.constantFrom<Interceptor>(
        'harmless',
        'sends again',
        'sends again',
        'sends elsewhere',
        'sends elsewhere',
        'another key',
        'throws',
      ),
    },
  ),
  steps,
  lastWaitMs: fc.constantFrom(100_000, 2_000_000),
});
