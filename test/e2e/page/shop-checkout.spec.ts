import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { type Locator, type Page } from 'playwright-core';
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
/** Longer than the shop waits for the gateway, which so answers at once, and than a slow browser takes to show it. */
const LONG_WAIT_S = 12;
const LOOKS = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['320 pixels wide', { width: 320, height: 700 }],
] as const;

interface Setback {
  readonly what: string;
  readonly locale: string;
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
  readonly phone: string;
  /** The code of a refusal. */
  readonly fault?: string;
  readonly words: string;
  readonly button: string;
  readonly other?: 'offered' | 'asked';
  /** The words once the wait is over. */
  readonly waits?: string;
}

const SETBACKS: readonly Setback[] = [
  {
    what: 'too little money',
    ...{ locale: 'en-GB', width: 320, colorScheme: 'light', phone: '0712 340 004' },
    words: 'most often there is not enough money on that phone. Nothing was taken; you can try again.',
    ...{ button: 'Try again: TSh 15,000', other: 'offered' },
  },
  {
    what: 'too little money',
    ...{ locale: 'sw-TZ', width: 1_280, colorScheme: 'dark', phone: '0712 340 004' },
    words: 'mara nyingi salio la simu hiyo halitoshi. Hakuna pesa iliyokatwa; unaweza kujaribu tena.',
    ...{ button: 'Jaribu tena: TSh 15,000', other: 'offered' },
  },
  {
    what: 'a cancellation on the phone',
    ...{ locale: 'en-GB', width: 1_280, colorScheme: 'dark', phone: '0712 340 003' },
    words: 'The payment was cancelled on the phone. Nothing was taken; you can try again.',
    ...{ button: 'Try again: TSh 15,000', other: 'offered' },
  },
  {
    what: 'a refused request',
    ...{ locale: 'sw-TZ', width: 320, colorScheme: 'light', phone: '0712 345 678', fault: 'INVALID_REQUEST' },
    words: 'Je, namba ya simu ni sahihi? Hakuna pesa iliyokatwa; hakiki namba, au lipa kwa namba nyingine.',
    ...{ button: 'Lipa TSh 15,000', other: 'asked' },
  },
  {
    what: 'a refused request',
    ...{
      locale: 'en-GB',
      width: 1_280,
      colorScheme: 'light',
      phone: '0712 345 678',
      fault: 'INVALID_REQUEST',
    },
    words: 'Is the phone number right? Nothing was taken; check the number, or pay with another one.',
    ...{ button: 'Pay TSh 15,000', other: 'asked' },
  },
  {
    what: 'too many requests',
    ...{ locale: 'en-GB', width: 1_280, colorScheme: 'light', phone: '0712 345 678' },
    words:
      'so we could not ask for yours. Please wait a moment, then try again: you will not be charged twice.',
    ...{ button: 'Try again: TSh 15,000', waits: 'You can try again: you will not be charged twice.' },
  },
  {
    what: 'too many requests',
    ...{ locale: 'sw-TZ', width: 320, colorScheme: 'dark', phone: '0712 345 678' },
    words: 'Tafadhali subiri kidogo, kisha jaribu tena: hutatozwa mara mbili.',
    ...{ button: 'Jaribu tena: TSh 15,000', waits: 'Unaweza kujaribu tena: hutatozwa mara mbili.' },
  },
];

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
      'are readable for everyone from the catalogue to the thanks: %s',
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
        await page.getByRole('button', { name: 'Try again: TSh 15,000' }).click();
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
      'speak Swahili to a browser that prefers it, from the catalogue to the thanks',
      async () => {
        const page = await openCatalogue(browser, shop, { locale: 'sw-TZ', width: 320, height: 700 });
        const found = [...(await pageProblems(page, 'catalogue'))];
        await page.getByRole('heading', { name: 'Vitambaa na viungo kutoka pwani.' }).waitFor();
        await page.getByRole('radio', { name: /^Kanga Doti moja, pamba/ }).waitFor();
        await page.getByLabel('Jina lako').fill('Asha Mrema');
        await page.getByLabel('Namba ya simu utakayolipia').fill('712 345');
        await page.getByLabel('Barua pepe').fill('asha@example.com');
        await page.locator('#pay').click();
        await page.getByText('Andika namba ya simu ya Tanzania, kwa mfano 0712 345 678.').waitFor();
        await page.getByLabel('Namba ya simu utakayolipia').fill('0712 345 678');
        await page.getByRole('button', { name: 'Lipa TSh 15,000' }).click();
        await page.getByText('Angalia simu yako').waitFor();
        found.push(...(await pageProblems(page, 'waiting')));
        const number = numberOf(page);
        await sandbox.customer(PHONE).decline(number);
        await page
          .getByText(
            'Muamala umeshindikana: mara nyingi salio la simu hiyo halitoshi. Hakuna pesa iliyokatwa;',
          )
          .waitFor();
        found.push(...(await pageProblems(page, 'failed')));
        await page.getByRole('button', { name: 'Jaribu tena: TSh 15,000' }).click();
        await page.getByText('Angalia simu yako').waitFor();
        await sandbox.customer(PHONE).approve(`${number}-2`);
        await page.getByText('Malipo yamekamilika. Asante!').waitFor();
        expect(await page.locator('html').getAttribute('lang')).toBe('sw');
        await page.getByRole('button', { name: 'English' }).click();
        await page.getByText('Paid. Thank you!').waitFor();
        await page.reload();
        await page.getByText('Paid. Thank you!').waitFor();
        expect(await page.locator('html').getAttribute('lang')).toBe('en');

        expect(found).toEqual([]);
        expect(complaintsOf(page).filter((complaint) => !complaint.includes('400'))).toEqual([]);
        await browser.close(page);
      },
      SLOW_MS,
    );

    it.each(SETBACKS)(
      'say in the words of a customer, above the fold, what to do after $what ($locale, $width wide, $colorScheme)',
      async ({ phone, fault, words, button, other, waits, ...look }) => {
        const page = await openCatalogue(browser, shop, { ...look, height: 600 });
        const asking = sandbox.next('POST /payments/mobile-money');
        if (fault) asking.status(422, { code: fault });
        if (waits) asking.status(429, { retryAfter: LONG_WAIT_S });
        await fill(page, phone, look.locale);
        await page.locator('#pay').click();
        await page.waitForURL(/\/orders\/SP-/);
        await sandbox.clock.advance('5s');
        await page.getByText(words).waitFor();
        if (waits) expect(await page.locator('#pay').isDisabled()).toBe(true);
        const found = [...(await pageProblems(page, 'setback'))];
        const action = page.getByRole('button', { name: button });
        await action.waitFor();
        expect(await isAboveTheFold(action)).toBe(true);
        expect(await action.isEnabled()).toBe(true);
        expect(await page.locator('#change').isVisible()).toBe(other === 'offered');
        expect(await page.locator('#again [name=phone]').isVisible()).toBe(other === 'asked');
        await page.reload();
        await page.getByText(waits ?? words).waitFor();
        await action.waitFor();
        found.push(...(await pageProblems(page, 'after a reload')));
        expect(found).toEqual([]);
        expect(complaintsOf(page)).toEqual([]);
        await browser.close(page);
      },
      SLOW_MS,
    );

    it(
      'let another number pay after the first one failed',
      async () => {
        const page = await openCatalogue(browser, shop, { width: 320, height: 600 });
        const number = await buy(page);
        await sandbox.customer(PHONE).decline(number);
        await page.getByRole('button', { name: 'Pay with another number' }).click();
        expect(await page.evaluate('document.activeElement.name')).toBe('phone');
        await page.locator('#again [name=phone]').fill('0754 000 111');
        await page.getByRole('button', { name: 'Pay TSh 15,000' }).click();
        await page.getByText('ends in 111 to approve').waitFor();
        await sandbox.customer('255754000111').approve(`${number}-2`);
        await page.getByText('Paid. Thank you!').waitFor();
        await page.reload();
        await page.getByText('Paid. Thank you!').waitFor();
        await browser.close(page);
      },
      SLOW_MS,
    );

    it(
      'say that there is no such order',
      async () => {
        const page = await browser.open(`${shop.url}/orders/SP-000000000000`);
        await page.getByText('There is no such order.').waitFor();
        expect(await pageProblems(page, 'no order')).toEqual([]);
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
        await page.getByText('Write a Tanzanian mobile number such as 0712 345 678.').waitFor();
        expect(sandbox.requests()).toEqual([]);
        await browser.close(page);
      },
      SLOW_MS,
    );

    it.each([
      ['en-GB', 'Something went wrong in the shop. Press again: nothing is ordered or paid twice.'],
      ['sw-TZ', 'Kuna hitilafu kwenye duka. Bonyeza tena: hutaagiza wala kulipa mara mbili.'],
    ])(
      'say nothing of the office when something before the shop refuses an order (%s)',
      async (locale, words) => {
        const page = await openCatalogue(browser, shop, { locale });
        for (const status of [401, 403]) {
          await page.route('**/api/orders', (route) => route.fulfill({ status, json: {} }));
          await fill(page, '0712 345 678', locale);
          await page.locator('#pay').click();
          await page.getByText(words).waitFor();
          await page.unrouteAll();
        }
        await browser.close(page);
      },
      SLOW_MS,
    );

    it.each([
      ['en-GB', /^The office takes clicks from its own page only/, /^The office opens for the user office/],
      ['sw-TZ', /^Ofisi hupokea mibofyo kutoka ukurasa wake tu/, /^Ofisi hufunguliwa na mtumiaji office/],
    ])(
      'tell in the office a click from another site from a missing password (%s)',
      async (locale, foreign, closed) => {
        const headers = { 'sec-fetch-site': 'cross-site' };
        const { status, body } = await shop.read('/api/office', headers);
        const page = await browser.open('about:blank', { locale });
        await page.route('**/api/office', (route) => route.fulfill({ status, json: body }));
        await page.goto(`${shop.url}/office.html`);
        await page.getByText(foreign).waitFor();
        await page.unrouteAll();
        await page.route('**/api/office', (route) => route.fulfill({ status: 401, json: {} }));
        await page.reload();
        await page.getByText(closed).waitFor();
        await browser.close(page);
      },
      SLOW_MS,
    );

    it(
      'show the tab beside it what happens to the order',
      async () => {
        const page = await openCatalogue(browser, shop);
        const number = await buy(page);
        const other = await browser.open(`${shop.url}/orders/${number}`);
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
        const before = await RunningShop.start(databaseUrl(), sandbox);
        const page = await openCatalogue(browser, before);
        const number = await buy(page);
        await page.getByText('Look at your phone').waitFor();
        await before.close();
        await page.getByText('Connecting again').waitFor();
        await sandbox.customer(PHONE).approve(number);
        const port = Number(new URL(before.url).port);
        const after = await RunningShop.start(databaseUrl(), sandbox, { port });
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

async function fill(page: Page, phone = '0712 345 678', locale = 'en-GB'): Promise<void> {
  const inSwahili = locale.startsWith('sw');
  await page.getByLabel(inSwahili ? 'Jina lako' : 'Your name').fill('Asha Mrema');
  await page.getByLabel(inSwahili ? 'Namba ya simu utakayolipia' : 'Phone number that pays').fill(phone);
  await page.getByLabel(inSwahili ? 'Barua pepe' : 'E-mail').fill('asha@example.com');
}

async function isAboveTheFold(element: Locator): Promise<boolean> {
  const box = await element.boundingBox();
  return box !== null && box.y + box.height <= element.page().viewportSize()!.height;
}

/** The number of the order. */
async function buy(page: Page): Promise<string> {
  await fill(page);
  await page.locator('#pay').click();
  await page.waitForURL(/\/orders\/SP-/);
  return numberOf(page);
}

const numberOf = (page: Page): string => new URL(page.url()).pathname.split('/').at(-1)!;
