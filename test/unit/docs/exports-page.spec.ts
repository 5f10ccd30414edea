import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENTRY_POINTS, exportsOf } from '../../support/public-exports.js';

/**
 * Every name that an entry point exports, by hand: a name that comes or goes is a promise made or broken. A name in
 * bold exists at run time.
 */
const PAGE = 'docs/exports.md';
/** Before its first heading: the requests and records of the services, which are classes, unless PAGE has them. */
const SERVICES_PAGE = 'docs/services.md';

interface Names {
  /** Classes, functions and constants. */
  readonly values: readonly string[];
  readonly types: readonly string[];
}

function namesOfPage(): ReadonlyMap<string, Names> {
  const [, ...sections] = readFileSync(PAGE, 'utf8').split(/^## /m);
  return new Map(
    sections.map((section) => [/^`nestjs-payments(.*)`/.exec(section)?.[1] ?? '', namesOfSection(section)]),
  );
}

function namesOfSection(section: string): Names {
  const names = [...section.matchAll(/(\*\*)?`(\w+)`/g)];
  const named = (isBold: boolean): string[] =>
    names.filter(([, bold]) => (bold !== undefined) === isBold).map(([, , name = '']) => name);
  return { values: named(true), types: named(false) };
}

/** The classes that only the page of the services names. */
function requestsAndRecords({ values, types }: Names): readonly string[] {
  const [table = ''] = readFileSync(SERVICES_PAGE, 'utf8').split(/^## /m);
  const names = [...table.matchAll(/`([A-Z]\w+)(?:\[\])?`/g)].map(([, name = '']) => name);
  return [...new Set(names)].filter((name) => ![...values, ...types].includes(name));
}

function promisedNames(): ReadonlyMap<string, Names> {
  const names = new Map(namesOfPage());
  const main = names.get('') ?? { values: [], types: [] };
  return names.set('', { ...main, values: [...main.values, ...requestsAndRecords(main)] });
}

/** What to write where, for every name that is not in both lists once. */
function differences(
  exported: readonly string[],
  promised: readonly string[],
  kind: string,
): readonly string[] {
  const gone = promised.filter((name) => !exported.includes(name));
  const added = exported.filter((name) => !promised.includes(name));
  const repeated = promised.filter((name, index) => promised.indexOf(name) !== index);
  const pages = `${PAGE} or the table of ${SERVICES_PAGE}`;
  return [
    ...gone.map(
      (name) =>
        `${name} is no ${kind} any more: export it from the index.ts as before, or change ${pages}, and CHANGELOG.md`,
    ),
    ...added.map(
      (name) => `${name} is a new ${kind}: name it in ${pages}, and in CHANGELOG.md, or do not export it`,
    ),
    ...repeated.map((name) => `${name} is twice in ${pages}`),
  ];
}

describe(PAGE, () => {
  const promised = promisedNames();
  const promisedBy = (entryPoint: string): Names =>
    promised.get(entryPoint.slice(1)) ?? { values: [], types: [] };

  it('has a section for every entry point', () => {
    expect([...promised.keys()].sort()).toEqual(ENTRY_POINTS.map((entryPoint) => entryPoint.slice(1)).sort());
  });

  it.each(ENTRY_POINTS)('names in bold what %s has at run time, each once', async (entryPoint) => {
    const loaded = (await import(join('nestjs-payments', entryPoint))) as object;
    const kind = 'class, function or constant (in bold)';
    expect(differences(Object.keys(loaded), promisedBy(entryPoint).values, kind)).toEqual([]);
  });

  it.each(ENTRY_POINTS)('names the types of %s, each once', (entryPoint) => {
    const types = exportsOf(entryPoint).filter(({ typeOnly }) => typeOnly);
    const names = types.map(({ name }) => name);
    expect(differences(names, promisedBy(entryPoint).types, 'type (not in bold)')).toEqual([]);
  });
});
