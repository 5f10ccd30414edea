import { type Locator, type Page } from 'playwright-core';

/** The views at the right of the emulator's page. */
export const VIEWS = [
  'payments',
  'payouts',
  'webhooks',
  'requests',
  'balance',
  'clock',
  'faults',
  'banks',
  'setup',
] as const;

export type View = (typeof VIEWS)[number];

/** What a reader finds on the emulator's page, in English. */
export function sandboxPage(page: Page) {
  const row = (view: View, words: string): Locator => page.locator(`#rows-${view} tr`, { hasText: words });
  return {
    cards: page.locator('.prompt'),
    card: (reference: string) => page.locator('.prompt', { hasText: reference }),
    row,
    /** Opens a view by its tab. */
    turnTo: async (view: View) => {
      await page.locator(`#tab-${view}`).click();
      await page.locator(`#panel-${view}`).waitFor();
    },
    /** Waits until a row says this. */
    rowSays: (view: View, ...words: readonly string[]) => {
      const [first = '', ...others] = words;
      const found = others.reduce((rows, word) => rows.filter({ hasText: word }), row(view, first));
      return found.waitFor();
    },
    live: () => page.locator('#link[data-state=live]').waitFor(),
  };
}
