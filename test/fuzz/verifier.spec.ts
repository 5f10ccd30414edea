import { describe, expect, it } from 'vitest';
import { SCHEME_CASES } from '../support/scheme-cases.js';
import { fuzz, type FuzzReport } from './fuzz.js';
import { SOUND, WEAK } from './weak-schemes.js';

const { FUZZ_RUNS, FUZZ_SEED } = process.env;
const runs = Number(FUZZ_RUNS ?? 20_000);
const seed = Number(FUZZ_SEED ?? Date.now() % 2 ** 31);

describe('mutated webhooks', () => {
  it(
    `are refused unless they are what was signed, and break no scheme, in ${runs} requests`,
    () => {
      tell(`The same requests again: npm run test:fuzz -- --runs ${runs} --seed ${seed}`);
      const report = fuzz(SCHEME_CASES, runs, seed);
      tell(`${totalOf(report).sent} requests, ${totalOf(report).accepted} accepted, as they were signed.`);
      if (FUZZ_RUNS !== undefined)
        report.tallies.forEach(({ sent, accepted }, name) => {
          tell(`${String(sent).padStart(9)} ${String(accepted).padStart(7)} ${name}`);
        });
      expect(report.finding).toBeUndefined();
      expect(totalOf(report).sent).toBe(runs);
      for (const [name, { sent }] of report.tallies) expect([name, sent]).not.toEqual([name, 0]);
      expect(report.tallies.get('nothing changed')!.accepted).toBeGreaterThan(runs / 100);
    },
    30_000 + runs,
  );

  it.each(WEAK)('show that a verifier %s', (_weakness, subject) => {
    expect(fuzz([subject], 50_000, seed).finding).toBeDefined();
  });

  it('find nothing in the same verifier without a weakness', () => {
    expect(fuzz([SOUND], 20_000, seed).finding).toBeUndefined();
  });
});

function totalOf({ tallies }: FuzzReport): { sent: number; accepted: number } {
  const all = [...tallies.values()];
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  return { sent: sum(all.map(({ sent }) => sent)), accepted: sum(all.map(({ accepted }) => accepted)) };
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
