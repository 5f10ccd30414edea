import { type CallRun } from './run-calls.js';

/** What was broken comes last: often only the end of an output is kept. */
export function printCalls(run: CallRun, tell: (line: string) => void): void {
  const { mode, size, violations, counts } = run;
  const counted = Object.entries(counts).map(([what, times]) => `${times} ${what}`);
  tell(`\n${mode}: ${size.payments} payments, seed ${size.seed}, ${run.seconds.toFixed(0)} s`);
  tell(`  ${counted.join(', ')}`);
  tell(`  violations ${violations.length}`);
  if (violations.length === 0) return;
  tell(`BROKEN: history in ${run.history}`);
  for (const line of run.trace) tell(`  ${line}`);
  for (const violation of violations) tell(`  ${violation}`);
  tell(`Again: npm run test:kill -- --storage ${mode} --calls ${size.payments} --seed ${size.seed}`);
}
