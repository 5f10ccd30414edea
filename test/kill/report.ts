import { type KillRun } from './run-kill-test.js';

/** So many are printed; the rest is counted. */
const SHOWN = 50;

export function printReport(run: KillRun, tell: (line: string) => void): void {
  const { mode, size, verdict } = run;
  const killed = [...verdict.kills].map(([point, times]) => `${times} ${point}`).join(', ');
  tell(
    `\n${mode}: ${size.events} events, ${size.kills} kills, seed ${size.seed}, ${run.seconds.toFixed(0)} s`,
  );
  tell(`  kills          ${killed}`);
  tell(`  replicas       ${run.replicasStarted} started; the storage crashed ${run.crashes} times`);
  tell(`  journal        ${run.journalled} payments were written down before`);
  if (run.looks > 0) tell(`  looks          ${run.looks} at effects, inbox and journal together`);
  tell(`  repeats        ${verdict.repeats.length}`);
  for (const { reference, because } of verdict.repeats)
    tell(`    ${reference}: ${because ?? 'for no reason'}`);
  tell(`  violations     ${verdict.violations.length}`);
  if (verdict.violations.length > 0) tell(`    judged by ${run.history}`);
  for (const violation of verdict.violations.slice(0, SHOWN)) tell(`    ${violation}`);
}
