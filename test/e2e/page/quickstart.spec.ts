import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { createShop } from '../../../sample/01-quickstart/src/shop.js';
import { pageProblems } from '../../support/axe.js';
import { complaintsOf, describeWithBrowser, type PageOptions } from '../../support/browser.js';

describeWithBrowser("the quickstart's shop beside the emulator's page", (browser) => {
  let sandbox: PaymentsSandbox;
  let app: NestExpressApplication;
  let shop: string;

  beforeEach(async () => {
    sandbox = await PaymentsSandbox.start();
    Object.assign(process.env, {
      PAYMENTS_BASE_URL: sandbox.baseUrl,
      PAYMENTS_API_KEY: 'pk_test_demo',
      PAYMENTS_API_SECRET: 'sk_test_demo',
      PAYMENTS_WEBHOOK_SECRET: sandbox.webhookSecret,
    });
    app = await createShop({ logger: false });
    await app.listen(0, '127.0.0.1');
    shop = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
    sandbox.deliverTo(`${shop}/webhooks/payments`);
  });

  afterEach(async () => {
    await app.close();
    await sandbox.stop();
  });

  const buy = async (options: PageOptions) => {
    const page = await browser.open(shop, options);
    await page.locator('.product').first().waitFor();
    await page.locator('#pay').click();
    return page;
  };

  it.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['320 pixels wide', { width: 320, height: 700 }],
  ] as const)(
    'is paid on the phone, and axe finds nothing on the way: %s',
    async (_, options) => {
      const page = await buy({ reducedMotion: 'reduce', ...options });
      const phone = await browser.open(sandbox.url);
      await phone.locator('.prompt').waitFor();
      const found = [...(await pageProblems(page, 'waiting'))];
      await phone.getByRole('button', { name: /^Approve/ }).click();
      await page.getByText('Paid. Thank you!').waitFor();
      found.push(...(await pageProblems(page, 'paid')));

      expect(found).toEqual([]);
      expect([...complaintsOf(page), ...complaintsOf(phone)]).toEqual([]);
      await browser.close(page);
      await browser.close(phone);
    },
    60_000,
  );

  it('shows that the phone has declined', async () => {
    const page = await buy({});
    const phone = await browser.open(sandbox.url);
    await phone.getByRole('button', { name: /^Decline/ }).click();
    await page.getByText('Not paid').waitFor();
    await browser.close(page);
    await browser.close(phone);
  }, 60_000);

  it('the page opens as new after another reader was there', async () => {
    const stored = '[localStorage.a, sessionStorage.a, document.cookie]';
    const reader = await browser.open(sandbox.url);
    await reader.evaluate("localStorage.a = sessionStorage.a = 'a'; document.cookie = 'a=a'");
    expect(await reader.evaluate(stored)).toEqual(['a', 'a', 'a=a']);
    await reader.route('**/*', (route) => route.abort());
    await browser.close(reader);
    const next = await browser.open(sandbox.url);
    expect(next).toBe(reader);
    expect(await next.evaluate(stored)).toEqual([undefined, undefined, '']);
    await browser.close(next);
  }, 60_000);
});
