import { type LuaScript } from './lua-script.js';
import { type ScriptRunner } from './script-runner.js';

/** A script keeps everybody else waiting, so that one forgets only so many. */
export const PURGE_BATCH = 1_000;

/** Forgets what is older than `olderThanMs`, batch by batch. Resolves to how many. */
export async function purgeInBatches(
  scripts: ScriptRunner,
  script: LuaScript,
  keys: readonly string[],
  olderThanMs: number,
): Promise<number> {
  let all = 0;
  for (;;) {
    const forgotten = Number(await scripts.run(script, keys, [String(olderThanMs), String(PURGE_BATCH)]));
    all += forgotten;
    if (forgotten < PURGE_BATCH) return all;
  }
}
