import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe } from 'vitest';
import { type Browser, chromium, type Page } from 'playwright-core';
import { describeSkipped } from './describe-skipped.js';

/** `CHROMIUM_PATH`, or where Debian puts it. */
const EXECUTABLE = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface PageOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  readonly locale?: string;
  readonly reducedMotion?: 'reduce' | 'no-preference';
  readonly permissions?: readonly string[];
  /** What the page's user types where a server asks for a name and a password. */
  readonly httpCredentials?: { readonly username: string; readonly password: string };
}

/** A real browser for one file of specs. */
export interface BrowserUnderTest {
  /** A page with a profile of its own. What it complained of is in `complaintsOf`. */
  open(url: string, options?: PageOptions): Promise<Page>;
}

const complaints = new WeakMap<Page, string[]>();

/** Errors of the page's console, violations of its policy and exceptions, so far. */
export function complaintsOf(page: Page): readonly string[] {
  return complaints.get(page) ?? [];
}

/** Forgets the one complaint that a test has provoked; throws where there is none such. */
export function forgiveComplaint(page: Page, part: string): void {
  const heard = complaints.get(page) ?? [];
  const index = heard.findIndex((complaint) => complaint.includes(part));
  if (index === -1) throw new Error(`The page has not complained of ${part}: ${heard.join(', ')}`);
  heard.splice(index, 1);
}

/**
 * A `describe` in headless Chromium. Without the browser its specs are skipped, and say why; with `REQUIRE_BROWSER=1`
 * they run and fail.
 */
export function describeWithBrowser(name: string, specs: (browser: BrowserUnderTest) => void): void {
  if (!existsSync(EXECUTABLE) && process.env['REQUIRE_BROWSER'] !== '1') {
    describeSkipped(name, `there is no browser at ${EXECUTABLE}`, () => {
      specs({ open: () => Promise.reject(new Error('skipped')) });
    });
    return;
  }
  describe(name, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
    }, 60_000);
    afterAll(() => browser?.close());
    specs({
      open: async (url, options = {}) => {
        const { width = 1_280, height = 900, permissions = [], ...rest } = options;
        const context = await browser!.newContext({
          viewport: { width, height },
          locale: 'en-GB',
          permissions: [...permissions],
          ...rest,
        });
        const page = await context.newPage();
        note(page);
        await page.goto(url);
        return page;
      },
    });
  });
}

function note(page: Page): void {
  const heard: string[] = [];
  complaints.set(page, heard);
  page.on('pageerror', (error) => heard.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') heard.push(message.text());
  });
}
