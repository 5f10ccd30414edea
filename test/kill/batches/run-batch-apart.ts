import { fork } from 'node:child_process';
import { once } from 'node:events';
import { buildChildProgram, type ChildProgramOptions } from '../../support/child-program.js';
import { type BatchSize } from './batch-plan.js';
import { type BatchRun } from './run-batch.js';

/**
 * Builds the programs and runs them.
 *
 * @param edit Breaks the package for the replicas.
 */
export async function runBatchApart(
  size: BatchSize,
  edit?: NonNullable<ChildProgramOptions['edit']>,
): Promise<BatchRun> {
  const replica = await buildChildProgram('test/kill/batches/batch-replica.ts', {
    startsOften: true,
    ...(edit && { edit }),
  });
  const runner = await buildChildProgram('test/kill/batches/batch-runner.ts');
  try {
    const child = fork(runner.file, [JSON.stringify({ size, program: replica.file })]);
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`The runner of the batch ended with ${String(code)}, seed ${size.seed}.`);
    });
    const [run] = (await Promise.race([once(child, 'message'), ended])) as [BatchRun];
    ended.catch(() => undefined);
    return run;
  } finally {
    await replica.remove();
    await runner.remove();
  }
}
