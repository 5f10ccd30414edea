import { type KillRun } from './run-kill-test.js';

/** So many are printed; the rest is counted. */
const SHOWN = 50;

export function printReport(run: KillRun, tell: (line: string) => void): void {
  const { mode, size, verdict, operations } = run;
  tell(
    `\n${mode}: ${size.events} events, ${size.kills} kills, ${size.stops} stops, ${size.networkFaults} network faults, ` +
      `seed ${size.seed}, ${run.seconds.toFixed(0)} s`,
  );
  tell(`  kills          ${counted(verdict.kills)}`);
  tell(`  stops          ${counted(verdict.stops)}`);
  tell(`  network        ${counted(verdict.networkFaults)}`);
  tell(`  replicas       ${run.replicasStarted} started; the storage crashed ${run.crashes} times`);
  tell(`  journal        ${run.journalled} payments were written down before`);
  tell(`  operator       ${operations.releases} releases, ${operations.purges} purges`);
  if (run.looks > 0) tell(`  looks          ${run.looks} at effects, inbox and journal together`);
  if (run.shared > 0) tell(`  shared         ${run.shared} claims in the commit of another`);
  tell(`  repeats        ${verdict.repeats.length}`);
  for (const { reference, because } of verdict.repeats) tell(`    ${reference}: ${because}`);
  tell(`  violations     ${verdict.violations.length}`);
}

/** What was broken, for the end of the output: often only that is kept. */
export function printViolations(run: KillRun, tell: (line: string) => void): void {
  const { mode, size, verdict } = run;
  if (verdict.violations.length === 0) return;
  tell(`\nBROKEN: ${mode}, history in ${run.history}`);
  for (const line of run.trace) tell(`  ${line}`);
  tell(`${verdict.violations.length} violations of ${mode}, the first ${SHOWN}:`);
  for (const violation of verdict.violations.slice(0, SHOWN)) tell(`  ${violation}`);
  tell(
    `Again: npm run test:kill -- --storage ${mode} --events ${size.events} --kills ${size.kills} --stops ${size.stops} ` +
      `--faults ${size.networkFaults} --seed ${size.seed}`,
  );
}

function counted(counts: ReadonlyMap<string, number>): string {
  const texts = [...counts].map(([what, times]) => `${times} ${what}`);
  return texts.length > 0 ? texts.join(', ') : 'none';
}
