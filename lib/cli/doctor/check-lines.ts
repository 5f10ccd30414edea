import { printable } from '../../common/printable.js';
import { type Look, type Paint } from '../terminal.js';
import { type CheckResult } from './check.js';

const SIGNS: Readonly<Record<CheckResult['state'], readonly [look: Look, sign: string]>> = {
  ok: ['green', '✔'],
  failed: ['red', '✖'],
  skipped: ['dim', '–'],
};

/** The lines of one check: what the doctor found and, below it, what to do, each on a line of its own. */
export function checkLines({ name, state, detail, fix }: CheckResult, paint: Paint): readonly string[] {
  const [look, sign] = SIGNS[state];
  const lines = [`${paint(look, sign)} ${paint('bold', name)}: ${printable(detail)}`];
  const fixes = fix?.split('\n') ?? [];
  return [...lines, ...fixes.map((one) => `    ${paint('cyan', '→')} ${printable(one)}`)];
}

/** The last line: the number of checks for each result. */
export function summaryLine(results: readonly CheckResult[], paint: Paint): string {
  const count = (state: CheckResult['state']): number =>
    results.filter((result) => result.state === state).length;
  const text = `${count('ok')} fine, ${count('failed')} failed, ${count('skipped')} not checked`;
  return paint(count('failed') > 0 ? 'red' : 'green', text);
}
