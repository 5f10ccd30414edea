import { readFileSync } from 'node:fs';
import { type Page } from 'playwright-core';

const measures = readFileSync(new URL('page-geometry.browser.js', import.meta.url), 'utf8');

/** Where a part of the page stands, in CSS pixels. */
export interface Place {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly width: number;
  readonly visible: boolean;
}

async function measured<Result>(page: Page, call: string): Promise<Result> {
  if (await page.evaluate("typeof geometryProblems === 'undefined'")) await page.evaluate(measures);
  return page.evaluate<Result>(call);
}

/** What a reader cannot read in the open view: broken words, wrapped amounts, what leaves its place. */
export async function geometryProblems(page: Page, place: string): Promise<readonly string[]> {
  const found = await measured<readonly string[]>(page, 'geometryProblems()');
  return found.map((problem) => `${place}: ${problem}`);
}

/** Where the list and the open record of a view stand. */
export function placesOf(page: Page, view: string): Promise<{ readonly list: Place; readonly one: Place }> {
  return measured(page, `placesOf(${JSON.stringify(view)})`);
}

/** Whether an element has more text than room. */
export function isCut(page: Page, selector: string): Promise<boolean> {
  return measured(page, `isCut(${JSON.stringify(selector)})`);
}
