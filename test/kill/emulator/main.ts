import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runEmulatorKills } from './run-emulator-kills.js';

export async function main(args: readonly string[], folder: string): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { kills: { type: 'string', default: '20' }, seed: { type: 'string' } },
  });
  const seed = Number(values.seed ?? Date.now() % 2 ** 32);
  say(`seed ${seed}`);
  const result = await runEmulatorKills(join(folder, 'emulator-process.mjs'), Number(values.kills), seed);
  const { kills, answered, webhooks, problems, slowestStartMs } = result;
  say(
    `${kills} kills, ${answered} answered changes, ${webhooks} webhooks, slowest start ${Math.round(slowestStartMs)} ms`,
  );
  problems.forEach(say);
  return problems.length === 0 && answered > 0 ? 0 : 1;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
