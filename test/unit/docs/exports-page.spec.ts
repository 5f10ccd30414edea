import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENTRY_POINTS, exportsOf } from '../../support/public-exports.js';

// A name that comes or goes is a promise made or broken. So each is written by hand, and in CHANGELOG.md.
const PAGE = 'docs/exports.md';
/** Its table has the requests and records of the services. */
const SERVICES_PAGE = 'docs/services.md';

const namesIn = (text: string): readonly string[] => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name!);

/** The names in backticks, by the entry point that their heading names. */
function namesOfPage(): ReadonlyMap<string, readonly string[]> {
  const [, ...sections] = readFileSync(PAGE, 'utf8').split(/^## /m);
  const names = new Map(
    sections.map((section) => [/^`nestjs-payments(.*)`/.exec(section)?.[1] ?? '', namesIn(section)]),
  );
  const [table = ''] = readFileSync(SERVICES_PAGE, 'utf8').split(/^## /m);
  const elsewhere = names.get('') ?? [];
  const records = namesIn(table).filter((name) => /^[A-Z]/.test(name) && !elsewhere.includes(name));
  return names.set('', [...elsewhere, ...new Set(records)]);
}

describe(PAGE, () => {
  const onPage = namesOfPage();

  it('has a section for every entry point', () => {
    expect([...onPage.keys()].sort()).toEqual(ENTRY_POINTS.map((entryPoint) => entryPoint.slice(1)).sort());
  });

  it.each(ENTRY_POINTS)('names what %s exports, each once', (entryPoint) => {
    const exported = exportsOf(entryPoint).map(({ name }) => name);
    const named = onPage.get(entryPoint.slice(1)) ?? [];
    expect(
      named.filter((name) => exported.includes(name)).sort(),
      `name it in ${PAGE}; a request or record in the table of ${SERVICES_PAGE}`,
    ).toEqual([...exported].sort());
  });

  it.each(ENTRY_POINTS)('names no class, type or constant that %s does not export', (entryPoint) => {
    const exported = exportsOf(entryPoint).map(({ name }) => name);
    const named = onPage.get(entryPoint.slice(1)) ?? [];
    expect(
      named.filter((name) => /^[A-Z]/.test(name) && !exported.includes(name)),
      `export it from the index.ts of ${entryPoint}`,
    ).toEqual([]);
  });

  it.each(ENTRY_POINTS)(
    '%s has the names at run time that its source exports as values',
    async (entryPoint) => {
      const loaded = (await import(join('nestjs-payments', entryPoint))) as object;
      const values = exportsOf(entryPoint).filter(({ typeOnly }) => !typeOnly);
      expect(Object.keys(loaded).sort()).toEqual(values.map(({ name }) => name).sort());
    },
  );
});
