import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { startChild } from '../shared/child.mjs';
import { atMost, rowsOf } from '../shared/result.mjs';
import { interleaved } from '../shared/rounds.mjs';

const PAYMENTS = 50_000;
const MOST_MS = 500;
/** How often the page's main thread is asked for a sign of life. */
const BEAT_MS = 5;
const DEBIAN = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const OPENED = { name: 'list opened' };
const SEARCHED = { name: 'list searched' };
const PAGED = { name: 'list paged' };

/** Runs in the page: notes the longest time without a turn of its event loop. */
const WATCH = `
  let last = performance.now();
  window.longestBlockMs = 0;
  setInterval(() => {
    const now = performance.now();
    window.longestBlockMs = Math.max(window.longestBlockMs, now - last - ${BEAT_MS});
    last = now;
  }, ${BEAT_MS});`;

export const title = "The emulator's page with many payments";

export async function measure(size) {
  const count = Math.max(200, Math.ceil(PAYMENTS * size.share));
  const executablePath = process.env.CHROMIUM_PATH ?? DEBIAN.find((path) => existsSync(path));
  if (executablePath === undefined) {
    const missing = 'Not measured: there is no Chromium here. CHROMIUM_PATH names one.';
    return { unit: 'ms, longest block', rows: [], goals: [], remarks: [missing] };
  }
  const emulator = await startChild('page/emulator.mjs', { count });
  const { value: url } = await emulator.ask('url');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage();
    await page.addInitScript(WATCH);
    const samples = await interleaved([OPENED, SEARCHED, PAGED], size, (subject) => use(page, url, subject));
    const longest = Math.max(...[...samples.values()].flat());
    return {
      unit: 'ms, longest block',
      rows: rowsOf(samples, OPENED.name),
      goals: [atMost('longest block', longest, MOST_MS, 'ms')],
      remarks: [
        `${count} payments. The longest time for which the page's main thread answered nothing, while the list is opened, searched for one reference, and turned to the oldest page and back.`,
      ],
    };
  } finally {
    await browser.close();
    await emulator.stop();
  }
}

/** The longest block of one use, which must have shown what it asked for. */
async function use(page, url, subject) {
  await page.goto('about:blank');
  await page.goto(url);
  const pager = page.locator('#list-payments .pager');
  await shows(page, 'order-');
  if (subject !== OPENED) await page.evaluate('window.longestBlockMs = 0');
  if (subject === SEARCHED) {
    await page.locator('#search').fill('order-00000');
    await page.locator('#rows-payments tr').nth(1).waitFor({ state: 'detached' });
    await shows(page, 'order-00000');
  }
  if (subject === PAGED) {
    await pager.getByRole('button', { name: 'Oldest' }).click();
    await shows(page, 'order-00000', 'last');
    await pager.getByRole('button', { name: 'Newest' }).click();
    await page.locator('#rows-payments tr', { hasText: 'order-00000' }).waitFor({ state: 'detached' });
  }
  return page.evaluate('Math.max(0, window.longestBlockMs)');
}

async function shows(page, reference, which = 'first') {
  await page.locator('#rows-payments tr')[which]().filter({ hasText: reference }).waitFor();
}
