import { afterAll, beforeAll, describe, it } from '@jest/globals';
import fc from 'fast-check';
import { plans } from './plan.js';
import { World } from './world.js';

const { MODEL_RUNS, MODEL_SEED, MODEL_PATH } = process.env;
const runs = Number(MODEL_RUNS ?? 60);
const seed = Number(MODEL_SEED ?? Date.now() % 2 ** 31);

describe('money is never sent twice, and never called failed when it may have moved', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.open();
  });
  afterAll(() => world.close());

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
