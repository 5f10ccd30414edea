import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

/** What axe finds wrong with a page as it is, and whether it must be scrolled sideways. */
export async function pageProblems(page: Page, place: string): Promise<readonly unknown[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>(
    "axe.run({ resultTypes: ['violations'] })",
  );
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  return [
    ...violations.map(({ id, nodes }) => [
      place,
      id,
      nodes.map(({ failureSummary, target }) => [target, failureSummary]),
    ]),
    ...(wide > 0 ? [[place, `${wide} pixels too wide`]] : []),
  ];
}
