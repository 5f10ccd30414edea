import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe } from 'vitest';
import { type Browser, chromium, type Page } from 'playwright-core';
import { describeSkipped } from './describe-skipped.js';

/** Where Debian puts Chromium. The shell draws the same pages for a third of the CPU. */
const DEBIAN = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;
const EXECUTABLE = process.env['CHROMIUM_PATH'] ?? DEBIAN.find((path) => existsSync(path)) ?? DEBIAN[0];
const ARGUMENTS = [
  // A name that somebody else may lead to this machine.
  '--host-resolver-rules=MAP foreign.example 127.0.0.1',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // One process draws all pages, none is kept for a step back, and no script runs long enough to be optimized.
  '--renderer-process-limit=1',
  '--disable-features=BackForwardCache,IsolateOrigins,site-per-process',
  '--js-flags=--no-opt',
];

export interface PageOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  readonly locale?: string;
  readonly reducedMotion?: 'reduce' | 'no-preference';
  readonly permissions?: readonly string[];
  /** What the page's user types if a server asks for a name and a password. */
  readonly httpCredentials?: { readonly username: string; readonly password: string };
}

/** A real browser for one file of specs. */
export interface BrowserUnderTest {
  /** A page that knows nothing of earlier ones. What it complained of is in `complaintsOf`. */
  open(url: string, options?: PageOptions): Promise<Page>;
  /** Ends what the page does and forgets what it stored. A later `open` may return it again. */
  close(page: Page): Promise<void>;
}

const complaints = new WeakMap<Page, string[]>();

/** Errors of the page's console, violations of its policy and exceptions, so far. */
export function complaintsOf(page: Page): readonly string[] {
  return complaints.get(page) ?? [];
}

/** Forgets the one complaint that a test has provoked; throws if there is none. */
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
      specs({ open: skipped, close: skipped });
    });
    return;
  }
  describe(name, () => {
    let browser: Browser | undefined;
    let profiles: Profiles;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
      profiles = new Profiles(browser);
    }, 60_000);
    afterAll(() => browser?.close());
    specs({
      open: async (url, { width = 1_280, height = 900, ...rest } = {}) => {
        const page = await profiles.page(rest);
        await page.setViewportSize({ width, height });
        note(page);
        await page.goto(url);
        return page;
      },
      close: (page) => profiles.release(page),
    });
  });
}

/** Keeps pages for the tests that follow: a new profile takes Chromium three times as long as emptying one. */
class Profiles {
  private readonly idle = new Map<string, Page[]>();
  private readonly kinds = new WeakMap<Page, string>();

  constructor(private readonly browser: Browser) {}

  async page({ permissions = [], ...rest }: Omit<PageOptions, 'width' | 'height'>): Promise<Page> {
    const options = { locale: 'en-GB', permissions: [...permissions], ...rest };
    const kind = JSON.stringify(options);
    const page = this.idle.get(kind)?.pop() ?? (await (await this.browser.newContext(options)).newPage());
    this.kinds.set(page, kind);
    return page;
  }

  async release(page: Page): Promise<void> {
    const kind = this.kinds.get(page)!;
    if (this.idle.get(kind)?.includes(page)) return;
    const { origin } = new URL(page.url());
    await page.unrouteAll();
    await page.evaluate('sessionStorage.clear()');
    await page.goto('about:blank');
    const session = await page.context().newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await session.detach();
    await page.context().clearCookies();
    page.removeAllListeners('pageerror').removeAllListeners('console');
    this.idle.set(kind, [...(this.idle.get(kind) ?? []), page]);
  }
}

const skipped = (): Promise<never> => Promise.reject(new Error('skipped'));

function note(page: Page): void {
  const heard: string[] = [];
  complaints.set(page, heard);
  page.on('pageerror', (error) => heard.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') heard.push(message.text());
  });
}
