import { type LuaScript } from './lua-script.js';
import { type ScriptRunner } from './script-runner.js';

/** Limits the deletions of one script, because a script blocks all other clients. */
export const PURGE_BATCH = 1_000;

/** Deletes what is older than `olderThanMs` in batches. Resolves to the number of deletions. */
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
