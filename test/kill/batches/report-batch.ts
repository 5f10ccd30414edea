import { type BatchRun } from './run-batch.js';

const SHOWN = 50;

/** What was broken comes last: often only the end of an output is kept. */
export function printBatch(run: BatchRun, tell: (line: string) => void): void {
  const { size, violations, counts, memory } = run;
  tell(
    `\nbatch: ${size.lines} lines, ${size.replicas} replicas, seed ${size.seed}, ${run.seconds.toFixed(0)} s`,
  );
  for (const [what, times] of Object.entries(counts)) tell(`  ${what.padEnd(44)} ${times}`);
  if (memory)
    tell(
      `  memory at most, by halves (${memory.samples} samples): ${memory.firstKb} and ${memory.secondKb} kB`,
    );
  tell(`  violations ${violations.length}`);
  if (violations.length === 0) return;
  tell(`BROKEN: history in ${run.history}`);
  for (const line of run.trace) tell(`  ${line}`);
  for (const violation of violations.slice(0, SHOWN)) tell(`  ${violation}`);
  const { lines, kills, replicas, restarts, seed } = size;
  tell(
    `Again: npm run test:kill -- --lines ${lines} --kills ${kills} --replicas ${replicas} --restarts ${restarts} --seed ${seed}`,
  );
}
