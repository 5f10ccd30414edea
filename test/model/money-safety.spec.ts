import { afterAll, beforeAll, describe, it } from '@jest/globals';
import fc from 'fast-check';
import { plans } from './plan.js';
import { World } from './world.js';

const RUNS = Number(process.env['MODEL_RUNS'] ?? 60);
const SEED = Number(process.env['MODEL_SEED'] ?? Date.now() % 2 ** 31);
/** Where fast-check found a counterexample: replays it alone. */
const PATH = process.env['MODEL_PATH'];

describe('money is never sent twice, and never called failed when it may have moved', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.open();
  });
  afterAll(() => world.close());

  it(
    `whatever breaks, in ${RUNS} random stories`,
    async () => {
      tell(`Replay with MODEL_SEED=${SEED} MODEL_RUNS=${RUNS} npm run test:model`);
      await fc.assert(
        fc.asyncProperty(plans, (plan) => world.play(plan)),
        {
          numRuns: RUNS,
          seed: SEED,
          ...(PATH !== undefined && { path: PATH }),
          includeErrorInReport: true,
        } as never,
      );
      for (const [what, times] of [...world.seen].sort(([, one], [, other]) => other - one))
        tell(`${times} × ${what}`);
    },
    Math.max(60_000, RUNS * 1_000),
  );
});

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
