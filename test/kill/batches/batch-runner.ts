// The runner of a batch, in a process that Nest can run in: the kill test itself has no types of constructors.
import 'reflect-metadata';
import { type BatchSize } from './batch-plan.js';
import { runBatch } from './run-batch.js';

const { size, program } = JSON.parse(process.argv[2] ?? '') as {
  readonly size: BatchSize;
  readonly program: string;
};
const run = await runBatch(size, program);
process.send?.(run, () => process.exit());
