import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runEmulatorKills } from './run-emulator-kills.js';
import { runEmulatorPauses } from './run-emulator-pauses.js';

export async function main(args: readonly string[], folder: string): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kills: { type: 'string', default: '20' },
      pauses: { type: 'string', default: '0' },
      seed: { type: 'string' },
    },
  });
  const seed = Number(values.seed ?? Date.now() % 2 ** 32);
  say(`seed ${seed}`);
  const program = join(folder, 'emulator-process.mjs');
  const result = await runEmulatorKills(program, Number(values.kills), seed);
  const { kills, answered, webhooks, slowestStartMs } = result;
  const paused = await runEmulatorPauses(program, Number(values.pauses), seed);
  const problems = [...result.problems, ...paused.problems];
  say(
    `${kills} kills, ${answered} answered changes, ${webhooks} webhooks, slowest start ${Math.round(slowestStartMs)} ms`,
  );
  say(`${values.pauses} pauses, ${paused.answered} answered changes`);
  problems.forEach(say);
  return problems.length === 0 && answered + paused.answered > 0 ? 0 : 1;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
