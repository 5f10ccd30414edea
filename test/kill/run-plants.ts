import { buildChildProgram, type ChildProgram } from '../support/child-program.js';
import { BATCH_PLANTS } from './batches/batch-plants.js';
import { runBatchApart } from './batches/run-batch-apart.js';
import { buildReplica } from './build-replica.js';
import { CALL_PLANTS } from './calls/call-plants.js';
import { runCalls } from './calls/run-calls.js';
import { edit, type Plant, PLANTS } from './plants.js';
import { type Size } from './plan.js';
import { runKillTest } from './run-kill-test.js';

/** Small, and with every stop that there is: a fault shows when one replica takes over from another. */
const SIZE: Omit<Size, 'seed'> = {
  events: 60,
  kills: 10,
  stops: 15,
  networkFaults: 0,
  contradictions: false,
};
const BATCH = { lines: 600, kills: 12, replicas: 3, restarts: 0 } as const;
/** A fault that shows only if two things coincide may need another run. */
const TRIES = 3;

/**
 * Runs the test once for each planted fault, and again if nothing was found. Resolves to the faults that were not found.
 *
 * @param only A part of the names of the plants that are tried.
 */
export async function runPlants(
  seed: string,
  only: string,
  tell: (line: string) => void,
): Promise<readonly Plant[]> {
  const missed: Plant[] = [];
  const listen = async (plant: Plant, run: (seed: string) => Promise<readonly string[]>): Promise<void> => {
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const violations = await run(`${seed}-${tries}`);
      const found = violations.filter((violation) => plant.found.test(violation));
      const [example = `nothing among ${violations.length} violations`] = found;
      tell(`${plant.mode}, ${plant.name}: ${found.length} found in run ${tries} (${example})`);
      if (found.length > 0) return;
    }
    missed.push(plant);
  };
  const listenWith = async (
    plant: Plant,
    build: () => Promise<ChildProgram>,
    run: (program: string, seed: string) => Promise<readonly string[]>,
  ): Promise<void> => {
    const program = await build();
    await listen(plant, (each) => run(program.file, each)).finally(() => program.remove());
  };
  for (const plant of PLANTS.filter(({ name }) => name.includes(only))) {
    const build = (): Promise<ChildProgram> => buildReplica(plant.mode, edit(plant));
    await listenWith(plant, build, async (program, each) => {
      const { verdict } = await runKillTest(plant.mode, { ...SIZE, seed: each }, program);
      return verdict.violations;
    });
  }
  for (const plant of CALL_PLANTS.filter(({ name }) => name.includes(only))) {
    const build = (): Promise<ChildProgram> =>
      buildChildProgram('test/kill/calls/call-replica.ts', { edit: edit(plant) });
    await listenWith(plant, build, async (program, each) => {
      const { violations } = await runCalls(plant.mode, { payments: plant.payments, seed: each }, program);
      return violations;
    });
  }
  for (const plant of BATCH_PLANTS.filter(({ name }) => name.includes(only))) {
    await listen(plant, async (each) => {
      const { violations } = await runBatchApart({ ...BATCH, seed: each }, edit(plant));
      return violations;
    });
  }
  return missed;
}
