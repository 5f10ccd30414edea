import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENTRY_POINTS, exportsOf } from '../../support/public-exports.js';

const PAGE = 'docs/exports.md';

/** The names in backticks, by the entry point that their heading names. */
function namesOfPage(): ReadonlyMap<string, readonly string[]> {
  const [, ...sections] = readFileSync(join(process.cwd(), PAGE), 'utf8').split(/^## /m);
  return new Map(
    sections.map((section) => [
      /^`nestjs-payments(.*)`/.exec(section)?.[1] ?? '',
      [...section.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
    ]),
  );
}

describe(PAGE, () => {
  const onPage = namesOfPage();

  it.each(ENTRY_POINTS)('names what %s exports, each once', (entryPoint) => {
    const exported = exportsOf(entryPoint).map(({ name }) => name);
    const named = onPage.get(entryPoint.slice(1)) ?? [];
    expect(named.filter((name) => exported.includes(name)).sort()).toEqual([...exported].sort());
  });

  it.each(ENTRY_POINTS)('names no class, type or constant that %s does not export', (entryPoint) => {
    const exported = exportsOf(entryPoint).map(({ name }) => name);
    const named = onPage.get(entryPoint.slice(1)) ?? [];
    expect(named.filter((name) => /^[A-Z]/.test(name) && !exported.includes(name))).toEqual([]);
  });
});
