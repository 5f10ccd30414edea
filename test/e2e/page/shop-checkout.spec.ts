import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { type Page } from 'playwright-core';
import { PHONE, RunningShop } from '../../../sample/02-shop-checkout/test/running-shop.js';
import { describeOnOne, describeOnPostgres } from '../../../sample/02-shop-checkout/test/shop-databases.js';
import { pageProblems } from '../../support/axe.js';
import {
  type BrowserUnderTest,
  complaintsOf,
  describeWithBrowser,
  type PageOptions,
} from '../../support/browser.js';
import { startSandbox } from '../../support/sandbox.js';

const SLOW_MS = 60_000;
const LOOKS = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['320 pixels wide', { width: 320, height: 700 }],
] as const;

describeWithBrowser("the shop's pages", (browser) => {
  describeOnOne('in Chromium', (databaseUrl) => {
    let sandbox: PaymentsSandbox;
    let shop: RunningShop;

    beforeAll(async () => {
      sandbox = await startSandbox({ clock: 'manual', seed: 1 });
      shop = await RunningShop.start(databaseUrl(), sandbox);
    }, SLOW_MS);
    beforeEach(async () => {
      await sandbox.reset();
      await shop.clear();
    });
    afterAll(() => shop.close());

    it.each(LOOKS)(
      'are readable for everybody from the catalogue to the thanks: %s',
      async (_, look) => {
        const page = await openCatalogue(browser, shop, look);
        const found = [...(await pageProblems(page, 'catalogue'))];
        const number = await buy(page);
        await page.getByText('Look at your phone').waitFor();
        found.push(...(await pageProblems(page, 'waiting')));
        await sandbox.customer(PHONE).decline(number);
        await page.getByText('Not paid').waitFor();
        found.push(...(await pageProblems(page, 'failed')));
        sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
        await page.getByRole('button', { name: 'Try again: TZS 15,000' }).click();
        await page.getByText('We are finding out').waitFor();
        found.push(...(await pageProblems(page, 'unknown')));
        await sandbox.customer(PHONE).approve(`${number}-2`);
        await page.getByText('Paid. Thank you!').waitFor();
        found.push(...(await pageProblems(page, 'paid')));

        expect(found).toEqual([]);
        expect(complaintsOf(page)).toEqual([]);
        await browser.close(page);
      },
      SLOW_MS,
    );

    it(
      'ask once, however fast somebody presses Pay',
      async () => {
        const page = await openCatalogue(browser, shop);
        await fill(page);
        await page.locator('#pay').dblclick();
        await page.getByText('Look at your phone').waitFor();
        expect(sandbox.requests()).toHaveLength(1);
        await browser.close(page);
      },
      SLOW_MS,
    );

    it(
      'say beside the form what cannot be read, and order nothing',
      async () => {
        const page = await openCatalogue(browser, shop);
        await fill(page, '712 345');
        await page.locator('#pay').click();
        await page.getByText('write a Tanzanian mobile number such as 0712 345 678').waitFor();
        expect(sandbox.requests()).toEqual([]);
        await browser.close(page);
      },
      SLOW_MS,
    );

    it(
      'show the tab beside it what happens to the order',
      async () => {
        const page = await openCatalogue(browser, shop);
        const number = await buy(page);
        const other = await browser.open(`${shop.url}/order.html?number=${number}`);
        await sandbox.customer(PHONE).decline(number);
        await other.getByText('Not paid').waitFor();
        await page.getByRole('button', { name: /^Try again/ }).click();
        await other.getByText('Look at your phone').waitFor();
        await sandbox.customer(PHONE).approve(`${number}-2`);
        for (const each of [page, other]) {
          await each.getByText('Paid. Thank you!').waitFor();
          await browser.close(each);
        }
      },
      SLOW_MS,
    );

    it(
      'let the office accept what was set aside',
      async () => {
        const number = await shop.ordered();
        await shop.deliver('payment.success', { reference: number, amount: '1.00' });
        const httpCredentials = { username: 'office', password: 'open-sesame' };
        const page = await browser.open(`${shop.url}/office.html`, { httpCredentials, width: 320 });
        const accept = page.getByRole('button', { name: `Accept ${number}` });
        await accept.waitFor();
        expect(await pageProblems(page, 'office')).toEqual([]);
        await accept.click();
        await accept.waitFor({ state: 'detached' });
        expect(await shop.stateOf(number)).toBe('paid');
        await browser.close(page);
      },
      SLOW_MS,
    );
  });

  describeOnPostgres('while its instance is restarted', (databaseUrl) => {
    it(
      'say that they connect again, and find what happened meanwhile',
      async () => {
        const sandbox = await startSandbox({ clock: 'manual', seed: 1 });
        // Chromium opens connections ahead; a server that closes would wait for the ones it never used.
        const options = { forceCloseConnections: true };
        const before = await RunningShop.start(databaseUrl(), sandbox, options);
        const page = await openCatalogue(browser, before);
        const number = await buy(page);
        await page.getByText('Look at your phone').waitFor();
        await before.close();
        await page.getByText('Connecting again').waitFor();
        await sandbox.customer(PHONE).approve(number);
        const port = Number(new URL(before.url).port);
        const after = await RunningShop.start(databaseUrl(), sandbox, { ...options, port });
        await sandbox.clock.advance('1h');
        await page.getByText('Paid. Thank you!').waitFor();
        expect(await page.getByText('Connecting again').count()).toBe(0);
        await browser.close(page);
        await after.close();
      },
      SLOW_MS,
    );
  });
});

async function openCatalogue(
  browser: BrowserUnderTest,
  shop: RunningShop,
  look: PageOptions = {},
): Promise<Page> {
  const page = await browser.open(shop.url, { reducedMotion: 'reduce', ...look });
  await page.locator('.product').first().waitFor();
  return page;
}

async function fill(page: Page, phone = '0712 345 678'): Promise<void> {
  await page.getByLabel('Your name').fill('Asha Mrema');
  await page.getByLabel('Phone that pays').fill(phone);
  await page.getByLabel('E-mail').fill('asha@example.com');
}

/** The number of the order. */
async function buy(page: Page): Promise<string> {
  await fill(page);
  await page.locator('#pay').click();
  await page.waitForURL(/order\.html\?number=/);
  return new URL(page.url()).searchParams.get('number')!;
}
