import { readdirSync } from 'node:fs';
import { type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pageProblems } from '../support/axe.js';
import { complaintsOf, describeWithBrowser, type PageOptions } from '../support/browser.js';
import { freePort, ServerProcess } from '../support/server-process.js';

const BASE = new URL(process.env['SITE_URL'] ?? '/', 'http://localhost').pathname;
const SECTIONS = [
  ...['Start', 'Collect', 'Webhooks', 'Pay out', 'Money safety', 'Databases', 'Testing', 'Emulator'],
  ...['Production', 'Reference'],
];
const FORMS: readonly (readonly [name: string, options: PageOptions])[] = [
  ['light, 1280 pixels wide', { colorScheme: 'light' }],
  ['dark, 320 pixels wide', { colorScheme: 'dark', width: 320, height: 700 }],
];

/** With lists, tables, diagrams, code and checkboxes, of the documents and of the reference. */
const KINDS_OF_PAGES = [
  ...['', 'money-safety', 'webhooks', 'hosts', 'production', 'cli', 'api/'],
  'api/nestjs-payments/classes/CollectionsService',
  'api/nestjs-payments/interfaces/PaymentsModuleOptions',
];
const DOCUMENTS = readdirSync('docs')
  .filter((file) => file.endsWith('.md') && file !== 'README.md')
  .map((file) => file.replace(/\.md$/, ''));

let server: ServerProcess;
let root: string;

beforeAll(async () => {
  const port = await freePort();
  const program = [process.execPath, 'site/node_modules/vitepress/bin/vitepress.js', 'preview', 'site'];
  server = await ServerProcess.start([...program, '--port', `${port}`], 'Built site served');
  root = `http://localhost:${port}${BASE}`;
});

afterAll(() => server.end('SIGTERM'));

async function textOf(address: string): Promise<string> {
  const answer = await fetch(address);
  expect([address, answer.status]).toEqual([address, 200]);
  return answer.text();
}

async function expectMarkdown(address: string): Promise<void> {
  const answer = await fetch(address);
  const type = answer.headers.get('content-type');
  expect([address, answer.status, type?.split(';')[0]]).toEqual([address, 200, 'text/markdown']);
  expect(await answer.text(), address).toMatch(/^#+ \S/m);
}

describe('what programs read of the site', () => {
  it('is a page of Markdown beside each page', async () => {
    const pages = readdirSync('site/dist', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.html') && file !== '404.html')
      .map((file) => file.replace(/\.html$/, '.md'));
    expect(pages.length).toBeGreaterThan(300);
    for (const page of pages) await expectMarkdown(`${root}${page}`);
  });

  it('is llms.txt, which names every section and leads to Markdown', async () => {
    const list = await textOf(`${root}llms.txt`);
    expect(list).toMatch(/^# nestjs-payments\n\n> \S/);
    expect([...list.matchAll(/^## (.*)$/gm)].map(([, section]) => section)).toEqual([...SECTIONS, 'API']);
    const links = [...list.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!);
    expect(new Set(links).size).toBe(links.length);
    expect(links.length).toBeGreaterThan(50);
    for (const link of links) await expectMarkdown(new URL(link, root).href);
  });

  it('is llms-full.txt, the text of all documents', async () => {
    const text = await textOf(`${root}llms-full.txt`);
    const site = process.env['SITE_URL'] ?? '/';
    expect(DOCUMENTS.filter((name) => !text.includes(`<!-- ${site}${name}.md -->`))).toEqual([]);
    expect(text).toContain('\n# Money safety\n');
  });

  it('is an answer 404 for a page that does not exist', async () => {
    const answer = await fetch(`${root}no-such-page`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('<title>404');
  });
});

describeWithBrowser('the documentation site', (browser) => {
  let page: Page;
  const elsewhere: string[] = [];

  async function open(path: string, options: PageOptions = {}): Promise<Page> {
    page = await browser.open(`${root}${path}`, { reducedMotion: 'reduce', ...options });
    page.on('request', (request) => {
      if (!request.url().startsWith(root) && !request.url().startsWith('data:'))
        elsewhere.push(request.url());
    });
    return page;
  }

  const heading = (text: string) => page.locator('h1', { hasText: text });

  beforeEach(() => {
    elsewhere.length = 0;
  });

  afterEach(async () => {
    expect(complaintsOf(page)).toEqual([]);
    await browser.close(page);
  });

  it('leads through the navigation to every page, and loads nothing from elsewhere', async () => {
    await open('');
    await page.reload();
    const sidebar = page.getByRole('navigation', { name: 'Sidebar Navigation' });
    expect(await sidebar.getByRole('heading', { level: 2 }).allTextContents()).toEqual(SECTIONS);
    const names = await sidebar.getByRole('link').allTextContents();
    expect(names.length).toBeGreaterThan(35);
    for (const name of names) {
      if (name === 'API') continue; // has a navigation of its own
      await sidebar.getByRole('link', { name, exact: true }).click();
      await sidebar.locator('.is-active > .item > a', { hasText: name }).first().waitFor();
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect([name, await page.title()]).toEqual([name, expect.not.stringContaining('404')]);
    }
    expect(elsewhere).toEqual([]);
  });

  it('finds money safety for the word unknown, without a server', async () => {
    await open('');
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.getByRole('searchbox').fill('unknown');
    await page
      .getByRole('option', { name: /Money safety/ })
      .first()
      .click();
    await heading('Money safety').waitFor();
    expect(elsewhere).toEqual([]);
  });

  it('has the reference of every export, with links between them', async () => {
    await open('');
    await page
      .getByRole('navigation', { name: 'Main Navigation' })
      .getByRole('link', { name: 'API' })
      .click();
    await page.getByRole('main').getByRole('link', { name: 'nestjs-payments', exact: true }).last().click();
    await page.getByRole('main').getByRole('link', { name: 'CollectionsService', exact: true }).click();
    await heading('Class: CollectionsService').waitFor();
    await page
      .getByRole('main')
      .getByRole('link', { name: 'CollectionPayment', exact: true })
      .first()
      .click();
    await heading('Class: CollectionPayment').waitFor();
  });

  it('shows a page as Markdown', async () => {
    await open('money-safety');
    await page.getByRole('link', { name: 'This page as Markdown' }).click();
    await page.waitForURL('**/money-safety.md');
    expect(await page.locator('body').textContent()).toMatch(/^# Money safety\n/);
  });

  it('turns dark and stays dark on the next page', async () => {
    await open('money-safety', { colorScheme: 'light' });
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await page.getByRole('switch', { name: /dark/ }).first().click();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.goto(`${root}storage`);
    expect(await background()).toBe(dark);
  });

  it.each(FORMS)(
    'has no violation that axe knows, and no sideways scrolling: %s',
    async (_, options) => {
      await open('', options);
      const found: unknown[] = [];
      for (const place of KINDS_OF_PAGES) {
        await page.goto(`${root}${place}`);
        await page.locator('h1').waitFor();
        found.push(...(await pageProblems(page, place)));
      }
      expect(found).toEqual([]);
    },
    120_000,
  );

  it('has no document that must be scrolled sideways on a phone', async () => {
    await open('', { width: 320, height: 700 });
    const wide: unknown[] = [];
    for (const place of DOCUMENTS) {
      await page.goto(`${root}${place}`);
      await page.locator('h1').waitFor();
      const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (beyond > 0) wide.push([place, beyond]);
    }
    expect(wide).toEqual([]);
  }, 120_000);
});
