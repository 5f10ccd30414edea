import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Page } from 'playwright-core';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { pageProblems } from '../../../test/support/axe.js';
import {
  complaintsOf,
  describeWithBrowser,
  forgiveComplaint,
  type PageOptions,
} from '../../../test/support/browser.js';
import { startSandbox } from '../../../test/support/sandbox.js';
import { HEAD, PayrollDesk } from './payroll-desk.js';

const LINES = 40;
const SLOW_MS = 120_000;
const EVIL = '<script>document.title = 1</script><img src=x onerror=alert(1)> Kessy';

describeWithBrowser('the page of the payroll desk', (browser) => {
  let sandbox: PaymentsSandbox;
  let desk: PayrollDesk;
  let page: Page;

  beforeAll(async () => {
    sandbox = await startSandbox({ startingBalance: '10000000', clock: 'manual' });
    desk = await PayrollDesk.open(sandbox);
  });
  afterEach(async () => {
    await sandbox.reset();
    await browser.close(page);
  });
  afterAll(() => desk.close());

  async function open(options?: PageOptions): Promise<void> {
    page = await browser.open(`${desk.url}/`, options);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    forgiveComplaint(page, '401');
  }

  async function signIn(name: string, password: string): Promise<void> {
    await page.getByLabel('Name', { exact: true }).first().fill(name);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(name, { exact: true }).waitFor();
  }

  /** A file in the desk's folder. Each amount has lines of its own. */
  async function fileOf(amount: string, ...more: readonly string[]): Promise<string> {
    const rows = Array.from({ length: LINES }, (_, n) => {
      const account = `015${amount}${String(n).padStart(4, '0')}`;
      sandbox.directory.register(account, 'Neema Mwakyusa');
      return `S-${n + 1},Neema Mwakyusa,${amount},BSB,${account},,`;
    });
    const file = join(desk.folder, `${amount}.csv`);
    await writeFile(file, [HEAD, ...rows, ...more].join('\n'));
    return file;
  }

  async function load(name: string, file: string): Promise<void> {
    await page.getByLabel('Name', { exact: true }).last().fill(name);
    await page.getByLabel('File').setInputFiles(file);
    await page.getByRole('button', { name: 'Load' }).click();
  }

  /** For a developer who changes the page: `SCREENSHOTS=<folder>`. */
  async function screenshot(name: string): Promise<void> {
    const folder = process.env['SCREENSHOTS'];
    if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  }

  const press = (name: string) => page.getByRole('button', { name }).click();
  const widths = (): Promise<unknown> =>
    page.evaluate(
      "[...document.querySelectorAll('.bar .part')].map((part) => [part.className, part.style.flexGrow])",
    );

  it(
    'takes a batch from the file to its end, with two people, and its bar moves',
    async () => {
      await open();
      await signIn('asha', 'rice');
      await load('2026-11', await fileOf('1000', `S-99,${EVIL},1000,,,0712345604,`));
      sandbox.directory.register('255712345604', EVIL.replace('Kessy', 'Halima'));
      await press('Check');
      await page.getByText('You have loaded this batch').waitFor();
      expect(await page.getByRole('button', { name: 'Approve these lines' }).count()).toBe(0);

      // What names contain is text.
      const blocked = page.getByRole('group', { name: 'Blocked lines' });
      expect(await blocked.textContent()).toContain(EVIL);
      expect(await page.locator('img, #batch script').count()).toBe(0);
      expect(await page.title()).toBe('Payroll desk');

      await page.getByLabel('Accept S-99').check();
      await page.getByLabel('They may be paid, because').fill('The name is a joke.');
      await press('Accept the chosen lines');
      await blocked.waitFor({ state: 'detached' });
      const digest = await page.locator('.digest').textContent();

      await press('Sign out');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await page.locator('#batch').textContent()).toBe('');
      await signIn('omari', 'beans');
      expect(await page.locator('.digest').textContent()).toBe(digest);
      await press('Approve these lines');

      sandbox.next('POST /disbursements/bank', { reference: '2026-11.S-20' }).dropAfterProcessing();
      sandbox
        .next('POST /disbursements/bank', { reference: '2026-11.S-30' })
        .status(422, { code: 'INVALID_ACCOUNT' });
      // The last line has no answer before the clock says so.
      sandbox.next('POST /disbursements/bank', { reference: '2026-11.S-40' }).delay('1m');
      await press('Start to pay');
      await page.getByText(/^\d+\.\d lines a second, less than a minute left$/).waitFor();
      await expect.poll(() => sandbox.payouts().length).toBe(40);
      await screenshot('running');
      await sandbox.clock.advance('1m');
      // The page ignores a press while it reads how the batch ended.
      await page.locator('body[aria-busy=false] #batches .state', { hasText: 'ended' }).waitFor();
      await page.getByRole('group', { name: 'Unknown lines' }).waitFor();
      expect(await widths()).toEqual([
        ['part accepted', '39'],
        ['part unknown', '1'],
        ['part refused', '1'],
      ]);
      expect(await page.getByRole('group', { name: 'Not paid' }).textContent()).toContain('S-30');

      await screenshot('ended');
      page.once('dialog', (dialog) => void dialog.accept());
      await page.getByRole('button', { name: 'S-20 was paid' }).click();
      await page.getByText('settled a line: S-20 · paid').waitFor();
      expect(sandbox.payouts()).toHaveLength(40);
      const text = await page.locator('body').textContent();
      expect(text).not.toMatch(/0151000\d{4}|712345604/);
      expect(complaintsOf(page)).toEqual([]);
    },
    SLOW_MS,
  );

  it('shows what the desk refuses, and every bad line of a file', async () => {
    await open();
    await signIn('asha', 'rice');
    const file = join(desk.folder, 'bad.csv');
    await writeFile(
      file,
      [HEAD, 'S-1,Asha,"1,000",BSB,0150234567801,,', 'S-2,Omari,1000,,,12345,'].join('\n'),
    );
    await load('bad', file);
    const problem = page.getByRole('alert');
    await problem.getByText('This cannot be done:').waitFor();
    expect(await problem.getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/^line 2: amount must be/) as unknown,
      expect.stringMatching(/^line 3: phone must be/) as unknown,
    ]);
    forgiveComplaint(page, '400');
    expect(complaintsOf(page)).toEqual([]);
  });

  it.each<readonly [string, PageOptions]>([
    ['in the light on a desktop', { colorScheme: 'light', width: 1_280 }],
    ['in the dark on a desktop', { colorScheme: 'dark', width: 1_280 }],
    ['in the light on a phone', { colorScheme: 'light', width: 400 }],
    ['in the dark on a phone', { colorScheme: 'dark', width: 400 }],
  ])('can be read %s', async (place, options) => {
    await open(options);
    expect(await pageProblems(page, `${place}, signed out`)).toEqual([]);
    await signIn('asha', 'rice');
    const name = place.replaceAll(/\W/g, '-');
    const file = await fileOf(String(2_000 + name.length), 'S-99,Halima Kessy,1000,,,0712345609,');
    await load(name, file);
    await press('Check');
    await page.getByRole('group', { name: 'Blocked lines' }).waitFor();
    await screenshot(name);
    expect(await pageProblems(page, place)).toEqual([]);
    expect(complaintsOf(page)).toEqual([]);
  });
});
