import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { type Frame, type Page } from 'playwright-core';
import { RunningShop } from '../../../sample/02-shop-checkout/test/running-shop.js';
import { startPage } from '../../../scripts/demo/serve-page.mjs';
import { pageProblems } from '../../support/axe.js';
import { complaintsOf, describeWithBrowser } from '../../support/browser.js';
import { startSandbox } from '../../support/sandbox.js';

const SLOW_MS = 60_000;
/** The shop, its database and its tables start in this process, beside four others. */
const STARTS_MS = 180_000;
const LOOKS = [
  {
    locale: 'en-GB',
    colorScheme: 'light',
    width: 1_280,
    height: 800,
    pay: 'Pay TSh',
    paid: 'Paid. Thank you!',
  },
  { locale: 'en-GB', colorScheme: 'dark', width: 320, height: 700, pay: 'Pay TSh', paid: 'Paid. Thank you!' },
  {
    locale: 'sw-TZ',
    colorScheme: 'light',
    width: 320,
    height: 700,
    pay: 'Lipa TSh',
    paid: 'Malipo yamekamilika',
  },
  {
    locale: 'sw-TZ',
    colorScheme: 'dark',
    width: 1_280,
    height: 800,
    pay: 'Lipa TSh',
    paid: 'Malipo yamekamilika',
  },
] as const;

describeWithBrowser("the demo's page", (browser) => {
  let stage: Awaited<ReturnType<typeof startPage>>;
  let sandbox: PaymentsSandbox;
  let shop: RunningShop;

  beforeAll(async () => {
    stage = await startPage(0);
    sandbox = await startSandbox({ frameAncestors: [stage.origin] });
    Object.assign(process.env, { FRAMED_BY: stage.origin, SANDBOX_PAGE: `${sandbox.url}/` });
    shop = await RunningShop.start('', sandbox);
    stage.show({ shop: `${shop.url}/`, phone: `${sandbox.url}/` });
  }, STARTS_MS);
  beforeEach(() => sandbox.reset().then(() => shop.clear()));
  let page: Page | undefined;
  afterEach(async () => {
    if (page) await browser.close(page);
    page = undefined;
  });
  afterAll(async () => {
    delete process.env['FRAMED_BY'];
    delete process.env['SANDBOX_PAGE'];
    await shop.close();
    await stage.close();
  });

  const frameOf = (shown: Page, url: string): Frame =>
    shown.frames().find((frame) => frame.url().startsWith(url))!;

  it.each(LOOKS)(
    'shows shop and phone side by side, and axe finds nothing: $locale, $width wide, $colorScheme',
    async ({ pay, paid, ...look }) => {
      page = await browser.open(stage.origin, { reducedMotion: 'reduce', ...look });
      const [inShop, onPhone] = [page.frameLocator('#shop'), page.frameLocator('#phone')];
      await inShop.getByRole('button', { name: pay }).click();
      await onPhone.locator('.prompt [data-action=approve]').click();
      await inShop.getByText(paid).waitFor();
      const complaints = [...complaintsOf(page)]; // axe adds its own: it calls the frames
      const found = [
        ...(await pageProblems(page, 'demo')),
        ...(await pageProblems(frameOf(page, shop.url), 'shop')),
        ...(await pageProblems(frameOf(page, sandbox.url), 'phone')),
      ];
      expect(found).toEqual([]);
      expect(await page.locator('html').getAttribute('lang')).toBe(look.locale.slice(0, 2));
      expect(complaints).toEqual([]);
    },
    SLOW_MS,
  );

  it(
    'fills in the customer who was chosen, and finds the order again after a reload',
    async () => {
      page = await browser.open(stage.origin);
      const inShop = page.frameLocator('#shop');
      await page.getByRole('link', { name: '0712 340 003 cancels' }).click();
      await expect.poll(() => inShop.locator('[name=phone]').inputValue()).toBe('0712 340 003');
      await inShop.getByRole('button', { name: 'Pay TSh' }).click();
      await inShop.getByText('cancelled on the phone').waitFor();
      await page.reload();
      await inShop.getByRole('link', { name: 'See your last order' }).click();
      await inShop.getByText('cancelled on the phone').waitFor();
    },
    SLOW_MS,
  );

  it(
    'is the only page that may show them in a frame',
    async () => {
      const foreign = await startPage(0);
      foreign.show({ shop: `${shop.url}/`, phone: `${sandbox.url}/` });
      page = await browser.open(foreign.origin);
      await expect
        .poll(() => page!.frames().map((frame) => new URL(frame.url()).protocol))
        .toEqual(['http:', 'chrome-error:', 'chrome-error:']);
      expect(complaintsOf(page).join()).toContain('frame-ancestors');
      await foreign.close();
    },
    SLOW_MS,
  );
});
