import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Frame, type Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

/** The rules of axe whose verdict depends on the colours or the width of a page, not on its words and marks alone. */
export const RULES_OF_LOOKS = [
  'color-contrast',
  'link-in-text-block',
  'scrollable-region-focusable',
  'target-size',
] as const;

/** What axe is asked. */
export interface AxeOptions {
  /** @default all that axe runs by default */
  readonly rules?: readonly string[] | undefined;
  /** Selectors of what axe leaves out, for example rows that look like others. */
  readonly without?: readonly string[];
}

/** What axe finds wrong with a page as it is, and whether it must be scrolled sideways. */
export async function pageProblems(
  page: Page | Frame,
  place: string,
  { rules, without = [] }: AxeOptions = {},
): Promise<readonly unknown[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe);
  const asked = { resultTypes: ['violations'], ...(rules && { runOnly: rules, preload: false }) };
  const context = { exclude: without.map((selector) => [selector]) };
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>(
    `axe.run(${JSON.stringify(context)}, ${JSON.stringify(asked)})`,
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
