import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chooseSample } from './choose-sample.js';
import { coveringSpecs } from './covering-specs.js';
import { codeAt, type EquivalentMutant, type Mutant, oneLine } from './mutant.js';
import { isNoticed, judgedMutants, shareNoticed, writeReport } from './report.js';
import { ALSO, specFolders } from './spec-folders.js';

function mutantAt(line: number, file = 'lib/common/money.ts'): Mutant {
  return { file, line, column: 3, kind: 'EqualityOperator', code: `a < ${line}`, became: `a <= ${line}` };
}

function readEquivalents(): EquivalentMutant[] {
  return JSON.parse(readFileSync('test/mutants/equivalents.json', 'utf8')) as EquivalentMutant[];
}

const MUTANTS = Array.from({ length: 100 }, (_, at) => mutantAt(at + 1));

describe('the sample', () => {
  const linesOf = (seed: number, size = 10): number[] =>
    chooseSample(MUTANTS.toReversed(), { size, seed, equivalents: [] }).map(({ line }) => line);

  it('is the same for a seed, whatever the order, and another for another seed', () => {
    expect(linesOf(7)).toEqual(
      chooseSample(MUTANTS, { size: 10, seed: 7, equivalents: [] }).map(({ line }) => line),
    );
    expect(linesOf(8)).not.toEqual(linesOf(7));
  });

  it.each([1, 7, 99])('takes mutants at equal distances (seed %d)', (seed) => {
    const lines = linesOf(seed);
    expect(lines).toHaveLength(10);
    expect(lines.slice(1).map((line, at) => line - lines[at]!)).toEqual(Array<number>(9).fill(10));
  });

  it('holds every mutant if there are no more, and none twice', () => {
    expect(linesOf(7, 100)).toEqual(MUTANTS.map(({ line }) => line));
    expect(linesOf(7, 1_000)).toHaveLength(100);
    expect(new Set(linesOf(7, 60)).size).toBe(60);
  });

  it('leaves out equivalent mutants: those of that very file, code and change', () => {
    const why = 'zero has no sign';
    const out: EquivalentMutant = { ...MUTANTS[4]!, why };
    const equivalents = [
      out,
      { ...MUTANTS[5]!, file: 'lib/a.ts', why },
      { ...MUTANTS[6]!, code: 'b', why },
      { ...MUTANTS[7]!, became: 'true', why },
    ];
    const sample = chooseSample(MUTANTS, { size: 100, seed: 1, equivalents });
    expect(sample.map(({ line }) => line)).toEqual(
      MUTANTS.map(({ line }) => line).filter((line) => line !== 5),
    );
  });
});

it.each(readEquivalents())(
  'the mutant of $file is one of code that is there: $code',
  ({ file, code, why }) => {
    expect(oneLine(readFileSync(file, 'utf8'))).toContain(code);
    expect(why).not.toBe('');
  },
);

describe('the code of a mutant', () => {
  it.each([
    ['within a line', { line: 2, column: 3 }, { line: 2, column: 6 }, 'def'],
    ['over lines, in one', { line: 1, column: 2 }, { line: 3, column: 2 }, 'b c def g'],
  ])('is read %s', (_, start, end, expected) => {
    expect(codeAt('ab\nc def\ngh', start, end)).toBe(expected);
  });
});

describe('the spec files for a mutant', () => {
  const coverage = [
    { spec: 'test/e2e/a.spec.ts', durationMs: 5, mutants: ['1', '2'] },
    { spec: 'test/unit/b.spec.ts', durationMs: 1, mutants: ['1'] },
    { spec: 'test/unit/c.spec.ts', durationMs: 2, mutants: ['1'] },
    { spec: 'test/integration/d.spec.ts', durationMs: 3, mutants: ['3'] },
  ];

  it('are those that run into it, unit specs first', () => {
    expect(coveringSpecs(coverage, '1')).toEqual([
      { specs: ['test/unit/b.spec.ts', 'test/unit/c.spec.ts'], durationMs: 3, isUnit: true },
      { specs: ['test/e2e/a.spec.ts'], durationMs: 5, isUnit: false },
    ]);
    expect(coveringSpecs(coverage, '9')).toEqual([]);
  });

  it('come from the folders that mirror its own, and from those that prove it too', () => {
    const there = ['test/unit/journal', 'test/integration/journal', 'test/e2e/webhooks'];
    const exists = (folder: string): boolean => there.includes(folder);
    expect(specFolders(['lib/journal'], exists)).toEqual(there);
    expect(
      specFolders(['lib/webhooks/signature/hmac-scheme.ts', 'lib/journal/purge-ages.ts'], exists),
    ).toEqual(['test/e2e/webhooks', 'test/unit/journal', 'test/integration/journal']);
  });

  it('are all of them for a path that has none of its own', () => {
    const everything = ['test/unit', 'test/integration', 'test/e2e'];
    expect(specFolders(['lib/payments.module.ts'], () => false)).toEqual(everything);
    expect(specFolders(['lib/wallet', 'lib/payments.module.ts'], existsSync)).toEqual([
      ...ALSO['wallet']!,
      ...everything,
    ]);
  });

  it.each(Object.keys(ALSO))('of lib/%s are there', (topic) => {
    expect([`lib/${topic}`, ...ALSO[topic]!].filter((folder) => !existsSync(folder))).toEqual([]);
  });
});

describe('the report', () => {
  const mutant = (status: string, line: number, replacement = 'true') => ({
    mutatorName: 'ConditionalExpression',
    replacement,
    status,
    location: { start: { line, column: 1 }, end: { line, column: 7 } },
  });
  const source = 'a || b\nc && d\n';
  const report = {
    files: {
      'lib/a/x.ts': {
        source,
        mutants: [mutant('Killed', 1), mutant('Timeout', 2), mutant('CompileError', 1)],
      },
      'lib/b/y.ts': {
        source,
        mutants: [mutant('Survived', 1, '!(\n  a\n)'), mutant('NoCoverage', 2), mutant('Killed', 2)],
      },
    },
  };

  it('counts by folder, and says of each survivor where it is and what it became', () => {
    expect(writeReport(judgedMutants(report)).split('\n')).toEqual([
      '| folder | mutants | noticed |',
      '|---|---|---|',
      '| lib/a | 2 | 100.0 % |',
      '| lib/b | 3 | 33.3 % |',
      '| all | 5 | 60.0 % |',
      '',
      '| place | kind | code | became |',
      '|---|---|---|---|',
      '| lib/b/y.ts:1 | ConditionalExpression | `a \\|\\| b` | `!( a )` |',
      '| lib/b/y.ts:2 | ConditionalExpression | `c && d` | `true` |',
    ]);
  });

  it.each([
    ['Killed', true],
    ['Timeout', true],
    ['Survived', false],
    ['NoCoverage', false],
    ['CompileError', undefined],
  ])('of a mutant that is %s', (status, noticed) => {
    expect(isNoticed(status)).toBe(noticed);
  });

  it('says that nothing survived', () => {
    expect(writeReport([])).toContain('No mutant survived.');
    expect(shareNoticed([])).toBe(100);
    expect(shareNoticed(judgedMutants(report))).toBe(60);
  });
});
