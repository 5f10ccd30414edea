import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENTRY_POINTS, exportsOf } from '../../support/public-exports.js';

interface Names {
  /** Classes, functions and constants. */
  readonly values: readonly string[];
  readonly types: readonly string[];
}

/** A name that comes or goes is a promise made or broken: it is written here by hand, and in CHANGELOG.md. */
const LIST = 'exported-names.json';
const promised = JSON.parse(readFileSync(join(import.meta.dirname, LIST), 'utf8')) as Readonly<
  Record<string, Names>
>;

function namesOf(entryPoint: string): Names {
  const names = (typeOnly: boolean): string[] =>
    exportsOf(entryPoint)
      .filter((exported) => exported.typeOnly === typeOnly)
      .map(({ name }) => name)
      .sort();
  return { values: names(false), types: names(true) };
}

describe(`the names of ${LIST}`, () => {
  it('are those of every entry point', () => {
    expect(ENTRY_POINTS).toEqual(Object.keys(promised));
  });

  it.each(ENTRY_POINTS)('are what %s exports, no more and no less', (entryPoint) => {
    expect(namesOf(entryPoint)).toEqual(promised[entryPoint]);
  });

  it.each(ENTRY_POINTS)('are there at run time in %s, and nothing else is', async (entryPoint) => {
    const loaded = (await import(join('nestjs-payments', entryPoint))) as object;
    expect(Object.keys(loaded).sort()).toEqual(promised[entryPoint]?.values);
  });
});
