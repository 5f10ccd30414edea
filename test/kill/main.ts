import { parseArgs } from 'node:util';
import { buildChildProgram, type ChildProgram } from '../support/child-program.js';
import { buildReplica } from './build-replica.js';
import { type BatchSize } from './batches/batch-plan.js';
import { printBatch } from './batches/report-batch.js';
import { runBatchApart } from './batches/run-batch-apart.js';
import { printCalls } from './calls/report-calls.js';
import { runCalls } from './calls/run-calls.js';
import { type Size, STORAGES, type StorageMode } from './plan.js';
import { printReport, printViolations } from './report.js';
import { type KillRun, runKillTest } from './run-kill-test.js';
import { runPlants } from './run-plants.js';
import { missingProgram } from './servers.js';

/** As much as four minutes allow. `--events`, `--kills` and the like ask for more, and CI for less. */
const USUAL_SIZE: Readonly<Record<StorageMode, Omit<Size, 'seed'>>> = {
  postgres: { events: 1_000, kills: 108, stops: 24, networkFaults: 72, contradictions: true },
  redis: { events: 300, kills: 36, stops: 10, networkFaults: 24, contradictions: true },
  'postgres-plain': { events: 300, kills: 30, stops: 10, networkFaults: 24, contradictions: true },
  // A 200 says that the queue has it: an operator would release or purge before anything was handled. What the network breaks is the
  // inbox's: how the queue's own requests are written is its own affair, and they are lost with every kill and crash.
  typeorm: { events: 300, kills: 30, stops: 10, networkFaults: 24, contradictions: true },
  'typeorm-injected': { events: 300, kills: 30, stops: 10, networkFaults: 24, contradictions: true },
  'prisma-injected': { events: 300, kills: 30, stops: 10, networkFaults: 24, contradictions: true },
  bullmq: { events: 300, kills: 30, stops: 10, networkFaults: 24, contradictions: false },
};

/** Resolves to the exit code: 1 if a promise was broken, 2 if the test could not run. */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      storage: { type: 'string', multiple: true, default: ['postgres', 'redis'] },
      events: { type: 'string' },
      kills: { type: 'string' },
      stops: { type: 'string' },
      faults: { type: 'string' },
      seed: { type: 'string', default: String(Date.now()) },
      plants: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      calls: { type: 'string' },
      lines: { type: 'string' },
      replicas: { type: 'string', default: '3' },
      restarts: { type: 'string', default: '4' },
    },
  });
  if (values.lines !== undefined) {
    return payBatch({
      lines: Number(values.lines),
      kills: Number(values.kills ?? Math.ceil(Number(values.lines) / 200)),
      replicas: Number(values.replicas),
      restarts: Number(values.restarts),
      seed: values.seed,
    });
  }
  const modes = values.storage.filter((name): name is StorageMode => Object.hasOwn(STORAGES, name));
  if (modes.length < values.storage.length)
    return complain(`--storage takes ${Object.keys(STORAGES).join(', ')}.`);
  for (const mode of modes) {
    const missing = missingProgram(mode);
    if (missing !== undefined) return complain(`${missing} is not installed: the storage ${mode} needs it.`);
  }
  if (values.plants) {
    const missed = await runPlants(values.seed, values.only, tell);
    for (const { name, mode } of missed) tell(`NOT FOUND: ${name} (${mode}), seed ${values.seed}`);
    return missed.length === 0 ? 0 : 1;
  }
  if (values.calls !== undefined) return payAndDie(Number(values.calls), values.seed, modes);
  const programs: ChildProgram[] = [];
  const runs: KillRun[] = [];
  // If somebody ends a run that takes too long, the seed is printed.
  process.once('SIGTERM', () => {
    tell(`Ended from outside, seed ${values.seed}: ${runs.length} of ${modes.length} storages were done.`);
    process.exit(1);
  });
  try {
    for (const mode of modes) {
      const program = await buildReplica(mode);
      programs.push(program);
      const usual = USUAL_SIZE[mode];
      const run = await runKillTest(
        mode,
        {
          events: Number(values.events ?? usual.events),
          kills: Number(values.kills ?? usual.kills),
          stops: Number(values.stops ?? usual.stops),
          networkFaults: Number(values.faults ?? usual.networkFaults),
          contradictions: usual.contradictions,
          seed: values.seed,
        },
        program.file,
      );
      printReport(run, tell);
      runs.push(run);
    }
  } catch (error) {
    tell(
      `The run could not be made, seed ${values.seed}: ${error instanceof Error ? error.stack : String(error)}`,
    );
    return 1;
  } finally {
    for (const program of programs) await program.remove();
    for (const run of runs) printViolations(run, tell);
  }
  return runs.every(({ verdict }) => verdict.violations.length === 0) ? 0 : 1;
}

/** The other half: replicas make payments. Above they receive webhooks. */
async function payAndDie(payments: number, seed: string, modes: readonly StorageMode[]): Promise<number> {
  const program = await buildChildProgram('test/kill/calls/call-replica.ts');
  let broken = 0;
  try {
    for (const mode of modes) {
      if (mode !== 'postgres' && mode !== 'redis')
        return complain('--calls needs --storage postgres or redis.');
      const run = await runCalls(mode, { payments, seed }, program.file);
      printCalls(run, tell);
      broken += run.violations.length;
    }
  } finally {
    await program.remove();
  }
  return broken === 0 ? 0 : 1;
}

/** Replicas pay a batch. */
async function payBatch(size: BatchSize): Promise<number> {
  const missing = missingProgram('postgres') ?? missingProgram('redis');
  if (missing !== undefined) return complain(`${missing} is not installed: batches need it.`);
  const run = await runBatchApart(size);
  printBatch(run, tell);
  return run.violations.length === 0 ? 0 : 1;
}

function complain(text: string): number {
  process.stderr.write(`${text}\n`);
  return 2;
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
