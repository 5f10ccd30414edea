import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BrowserContext, type Page } from 'playwright-core';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { complaintsOf, describeWithBrowser } from '../../support/browser.js';
import { callerOf } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';
import { sandboxPage } from '../../support/sandbox-page.js';
import { WatchedProxy } from '../../support/watched-proxy.js';

const SLOW_MS = 60_000;
const EVENTS = '/_sandbox/v1/events';
const LIST = '/_sandbox/v1/payments';
/** A tab asks for it once each time it reads everything. */
const INFO = '/_sandbox/v1/info';

describeWithBrowser("many tabs of the emulator's page", (browser) => {
  let sandbox: PaymentsSandbox;
  let gateway: ReturnType<typeof callerOf>;
  let proxy: WatchedProxy;
  let first: Page;
  let context: BrowserContext;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual' });
    gateway = callerOf(sandbox);
    proxy = await WatchedProxy.before(sandbox.url);
    first = await browser.open(proxy.url);
    context = first.context();
    await sandboxPage(first).live();
  });
  afterEach(async () => {
    for (const page of context.pages()) if (page !== first) await page.close();
    if (!first.isClosed()) await browser.close(first);
    await proxy.close();
  });

  async function another(prepare?: (page: Page) => Promise<unknown>): Promise<Page> {
    const page = await context.newPage();
    await prepare?.(page);
    await page.goto(proxy.url);
    return page;
  }

  const streams = (): number => proxy.openAt(EVENTS);
  const reads = (): number => proxy.seen.filter(({ url }) => url === INFO).length;

  it(
    'are all live, ten at once, by one stream, and each sees a new payment',
    async () => {
      const tabs = [first];
      while (tabs.length < 10) tabs.push(await another());
      for (const tab of tabs) await sandboxPage(tab).live();
      await gateway.collect();
      for (const tab of tabs) await sandboxPage(tab).card('order-1').waitFor();
      expect(streams()).toBe(1);
      expect(complaintsOf(first)).toEqual([]);
    },
    SLOW_MS,
  );

  it(
    'continue without the tab that was first',
    async () => {
      const second = await another();
      await sandboxPage(second).live();
      const closed = first.close();
      await gateway.collect();
      await closed;
      await gateway.collect({ reference: 'order-2' });
      for (const order of ['order-1', 'order-2']) await sandboxPage(second).card(order).waitFor();
      expect(streams()).toBe(1);
      expect(reads()).toBe(2);
    },
    SLOW_MS,
  );

  it(
    'lose no event with their connection, and do not read the lists again for it',
    async () => {
      const second = await another();
      await sandboxPage(second).live();
      const readBefore = reads();
      proxy.cut();
      await gateway.collect();
      for (const tab of [first, second]) await sandboxPage(tab).card('order-1').waitFor();
      expect(proxy.seen.filter(({ url }) => url === EVENTS).at(-1)!.headers['last-event-id']).toMatch(/-0$/);
      expect(reads()).toBe(readBefore);
    },
    SLOW_MS,
  );

  it(
    'come back to an emulator that was started again, and show what it has',
    async () => {
      await gateway.collect();
      const tabs = [first, await another()];
      for (const tab of tabs) await sandboxPage(tab).card('order-1').waitFor();
      const port = Number(new URL(sandbox.url).port);
      await sandbox.stop();
      for (const tab of tabs) await tab.locator('#link[data-state=lost]').waitFor();
      sandbox = await startSandbox({ clock: 'manual', port });
      await callerOf(sandbox).collect({ reference: 'order-2' });
      for (const tab of tabs) {
        await sandboxPage(tab).card('order-2').waitFor();
        await sandboxPage(tab).live();
        expect(await sandboxPage(tab).card('order-1').count()).toBe(0);
      }
    },
    SLOW_MS,
  );

  it(
    'let go when nobody has seen them for a minute, and catch up when they are shown',
    async () => {
      const hidden = await another((page) => page.clock.install());
      await sandboxPage(hidden).live();
      await browser.close(first);
      await see(hidden, false);
      await hidden.clock.runFor(30_000);
      await gateway.collect();
      await titleCounts(hidden, true);
      expect(streams()).toBe(1);
      await hidden.clock.runFor(31_000);
      while (streams() > 0) await proxy.changeAt(EVENTS);
      await titleCounts(hidden, false);
      await gateway.collect({ reference: 'order-2' });
      await see(hidden, true);
      await sandboxPage(hidden).card('order-2').waitFor();
      expect(streams()).toBe(1);
    },
    SLOW_MS,
  );

  it(
    'stay when they are hidden for a moment only',
    async () => {
      const tab = await another((page) => page.clock.install());
      await sandboxPage(tab).live();
      const readBefore = reads();
      await see(tab, false);
      await tab.clock.runFor(30_000);
      await see(tab, true);
      await tab.clock.runFor(60_000);
      await gateway.collect();
      await sandboxPage(tab).card('order-1').waitFor();
      expect(reads()).toBe(readBefore);
    },
    SLOW_MS,
  );

  it(
    'have a stream of their own in a browser without shared workers, and let go as soon as they are hidden',
    async () => {
      const alone = await another((page) => page.addInitScript('delete window.SharedWorker'));
      await sandboxPage(alone).live();
      expect(streams()).toBe(2);
      await see(alone, false);
      while (streams() > 1) await proxy.changeAt(EVENTS);
      await gateway.collect();
      await see(alone, true);
      await sandboxPage(alone).card('order-1').waitFor();
    },
    SLOW_MS,
  );

  it(
    'do not say that nothing waits before they know it',
    async () => {
      const nothing = ['Nothing to confirm', 'No payments yet'] as const;
      let answer = (): void => undefined;
      const held = new Promise<void>((resolve) => (answer = resolve));
      const page = await another((tab) =>
        tab.route(
          ({ pathname }) => pathname === LIST,
          async (route) => {
            await held;
            await route.continue();
          },
        ),
      );
      await page.getByText('Waiting for the emulator').waitFor();
      expect(await page.locator('#link').textContent()).toContain('Connecting');
      for (const words of nothing) expect(await page.getByText(words).isVisible()).toBe(false);
      answer();
      for (const words of nothing) await page.getByText(words).waitFor();
      await page.getByText('Waiting for the emulator').waitFor({ state: 'hidden' });

      await sandbox.stop();
      await page.getByText('Waiting for the emulator').waitFor();
      for (const words of nothing) expect(await page.getByText(words).isVisible()).toBe(false);
    },
    SLOW_MS,
  );

  it(
    'read their lists again after a failure',
    async () => {
      let failures = 1;
      const page = await another((tab) =>
        tab.route(
          ({ pathname }) => pathname === LIST,
          (route) => (failures-- > 0 ? route.abort() : route.continue()),
        ),
      );
      await sandboxPage(page).live();
      expect(failures).toBeLessThan(0);
    },
    SLOW_MS,
  );
});

/** Headless Chromium shows every tab: this tells a tab that its user sees another one, or this one again. */
async function see(page: Page, visible: boolean): Promise<void> {
  const state = visible ? 'visible' : 'hidden';
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}

/** Waits until the title counts the waiting payments, or does not. */
async function titleCounts(page: Page, counts: boolean): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const look = () => document.title.startsWith('(1)') === ${counts} && resolve();
    new MutationObserver(look).observe(document.querySelector('title'), { childList: true });
    look();
  })`);
}
