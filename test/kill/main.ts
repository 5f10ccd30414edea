import { parseArgs } from 'node:util';
import { buildChildProgram } from '../support/child-program.js';
import { STORAGES, type StorageMode } from './plan.js';
import { printReport } from './report.js';
import { runKillTest } from './run-kill-test.js';
import { missingProgram } from './servers.js';

/** What guards main: the numbers of the first are the promise, the others are as many as the time allows. */
const CI_SIZE: Readonly<Record<StorageMode, { readonly events: number; readonly kills: number }>> = {
  postgres: { events: 2_000, kills: 210 },
  redis: { events: 600, kills: 60 },
  'postgres-plain': { events: 300, kills: 30 },
  bullmq: { events: 300, kills: 30 },
};

/** Resolves to the exit code: 1 where a promise was broken, 2 where the test could not run. */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      storage: { type: 'string', multiple: true, default: ['postgres', 'redis'] },
      events: { type: 'string' },
      kills: { type: 'string' },
      seed: { type: 'string', default: String(Date.now()) },
    },
  });
  const modes = values.storage.filter((name): name is StorageMode => STORAGES.some((mode) => mode === name));
  if (modes.length < values.storage.length) return complain(`--storage takes ${STORAGES.join(', ')}.`);
  for (const mode of modes) {
    const missing = missingProgram(mode);
    if (missing !== undefined) return complain(`${missing} is not installed: the storage ${mode} needs it.`);
  }
  const program = await buildChildProgram('test/kill/replica.ts');
  let broken = 0;
  try {
    for (const mode of modes) {
      const events = Number(values.events ?? CI_SIZE[mode].events);
      const kills = Number(values.kills ?? CI_SIZE[mode].kills);
      const run = await runKillTest(mode, { events, kills, seed: values.seed }, program.file);
      printReport(run, tell);
      broken += run.verdict.violations.length;
    }
  } finally {
    await program.remove();
  }
  return broken === 0 ? 0 : 1;
}

function complain(text: string): number {
  process.stderr.write(`${text}\n`);
  return 2;
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
