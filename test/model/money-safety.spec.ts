import { afterAll, beforeAll, describe, it } from '@jest/globals';
import fc from 'fast-check';
import { plans, type Plan } from './plan.js';
import { World } from './world.js';

const { MODEL_RUNS, MODEL_SEED, MODEL_PATH } = process.env;
const runs = Number(MODEL_RUNS ?? 60);
const seed = Number(MODEL_SEED ?? Date.now() % 2 ** 31);

/** A gateway that never had it, an operator who says so, and two calls at once that meet a redirect. */
const LET_GO_TWICE: Plan = (() => {
  const first = { family: 'collection', reference: 'first', channel: 0 } as const;
  const asked = { ...first, amount: '1000.00', options: 'plain' } as const;
  const other = { ...first, amount: '2500.50', options: 'own key' } as const;
  const whole = { death: undefined, outage: undefined };
  return {
    probe: { collections: false, disbursements: false },
    steps: [
      { do: 'call', call: asked, faults: ['dropBefore'], ...whole },
      { do: 'settle', slot: { family: 'collection', reference: 'first' } },
      { do: 'two calls at once', elsewhere: false, calls: [other, other], faults: ['status 307'] },
      { do: 'call', call: asked, faults: [], ...whole },
      { do: 'let late requests arrive' },
    ],
    lastWaitMs: 100_000,
  };
})();

describe('money is never sent twice, and never called failed when it may have moved', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.open();
  });
  afterAll(() => world.close());

  it('when a reference is let go twice', () => world.play(LET_GO_TWICE));

  it(
    `whatever breaks, in ${runs} random stories`,
    async () => {
      tell(`The same stories again: npm run test:model -- --runs ${runs} --seed ${seed}`);
      await fc.assert(
        fc.asyncProperty(plans, (plan) => world.play(plan)),
        { numRuns: runs, seed, ...(MODEL_PATH !== undefined && { path: MODEL_PATH }) },
      );
      if (MODEL_RUNS === undefined) return;
      const ends = [...world.seen].sort(([, one], [, other]) => other - one);
      for (const [what, times] of ends) tell(`${String(times).padStart(7)} ${what}`);
    },
    30_000 + runs * 500,
  );
});

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
