import { afterEach, beforeEach, expect, it } from 'vitest';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import {
  OFFICE_PASSWORD,
  type StartedShop,
  startShop,
} from '../../../sample/01-quickstart/test/start-shop.js';
import { pageProblems } from '../../support/axe.js';
import { eventually } from '../../support/eventually.js';
import { complaintsOf, describeWithBrowser, type PageOptions } from '../../support/browser.js';

describeWithBrowser("the quickstart's shop beside the emulator's page", (browser) => {
  let sandbox: PaymentsSandbox;
  let shop: StartedShop;

  beforeEach(async () => {
    sandbox = await PaymentsSandbox.start();
    shop = await startShop(sandbox, { SANDBOX_PAGE: `${sandbox.url}/` });
  });

  afterEach(async () => {
    await shop.stop();
    await sandbox.stop();
  });

  const buy = async (options: PageOptions) => {
    const page = await browser.open(shop.url, options);
    await page.locator('.product').first().waitFor();
    await page.locator('#pay').click();
    return page;
  };

  it.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['320 pixels wide', { width: 320, height: 700 }],
  ] as const)('is paid on the phone, and axe finds nothing on the way: %s', async (_, options) => {
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
  });

  it('shows that the phone has declined', async () => {
    const page = await buy({});
    const phone = await browser.open(sandbox.url);
    await phone.getByRole('button', { name: /^Decline/ }).click();
    await page.getByText('Not paid').waitFor();
    await browser.close(page);
    await browser.close(phone);
  });

  it('asks the other phone after a corrected number, and says that the first one may still pay', async () => {
    const page = await buy({});
    await page.getByText('Approve the payment on your phone.').waitFor();
    await page.locator('#pay').click();
    const earlier = page.getByText('The request of your earlier order may still be on a phone.');
    await page.locator('[name=phone]').fill('0754 000 11');
    await page.locator('#pay').click();
    await page.getByText('Write a Tanzanian mobile number').waitFor();
    await page.locator('[name=phone]').fill('0754 000 111');
    await page.locator('#pay').click();
    await earlier.waitFor();
    await eventually(() => {
      const asked = sandbox.payments().map(({ customer_phone: phone }) => phone);
      expect(asked.sort()).toEqual(['255712345678', '255754000111']);
    });
    expect(await pageProblems(page, 'an earlier order')).toEqual([]);
    await browser.close(page);
  });

  it('a second press of Pay asks nobody twice, and speaks of no earlier order', async () => {
    const page = await buy({});
    await page.getByText('Approve the payment on your phone.').waitFor();
    const reference = await page.locator('#order-reference').textContent();
    const answered = page.waitForResponse(`${shop.url}/orders`);
    await page.locator('#pay').click();
    expect(((await (await answered).json()) as { reference: string }).reference).toBe(reference);
    expect(await page.locator('#earlier').isVisible()).toBe(false);
    expect(sandbox.payments()).toHaveLength(1);
    await browser.close(page);
  });

  it.each([
    ['email', 'asha.mrema@example.com'],
    ['name', 'Asha M. Mrema'],
    ['phone', '+255 712-345-678'],
  ])('a changed %s asks the same phone for nothing again', async (field, value) => {
    const page = await buy({});
    await page.getByText('Approve the payment on your phone.').waitFor();
    await page.locator(`[name=${field}]`).fill(value);
    const answered = page.waitForResponse(`${shop.url}/orders`);
    await page.locator('#pay').click();
    expect((await answered).status()).toBe(201);
    expect(sandbox.payments()).toHaveLength(1);
    await browser.close(page);
  });

  it('offers no Pay until the outcome of a lost answer is known, and then another order', async () => {
    sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
    const page = await buy({});
    await page.getByText('Please do not pay again').waitFor();
    await page.locator('[name=phone]').fill('0754 000 111');
    await page.locator('[name=phone]').press('Enter');
    expect(await page.locator('#pay').isDisabled()).toBe(true);
    expect(await pageProblems(page, 'a lost answer')).toEqual([]);
    await sandbox.customer('255712345678').approve(sandbox.payments()[0]!.reference);
    await page.getByText('Paid. Thank you!').waitFor();
    await page.locator('#pay').click();
    await page.getByText('Approve the payment on your phone.').waitFor();
    expect(sandbox.payments()).toHaveLength(2);
    await browser.close(page);
  });

  it('opens the phone in one tab, however often somebody follows the link', async () => {
    const page = await buy({});
    const link = page.getByRole('link', { name: 'Open the customer’s phone' });
    const [phone] = await Promise.all([page.waitForEvent('popup'), link.click()]);
    await phone.locator('.prompt').waitFor();
    const loaded = phone.waitForEvent('load');
    await link.click();
    await loaded;
    await phone.locator('.prompt').waitFor();
    expect(page.context().pages()).toHaveLength(2);
    await phone.close();
    await browser.close(page);
  });

  it('speaks the language of the browser, and changes it at the switch, with the order that it shows', async () => {
    const page = await buy({ locale: 'sw-TZ', width: 320, height: 700 });
    const language = () => page.locator('html').getAttribute('lang');
    await page.getByText('Thibitisha malipo kwenye simu yako.').waitFor();
    expect(await language()).toBe('sw');
    expect(await page.locator('#pay').textContent()).toBe('Lipa TSh\u00a018,000');
    const found = [...(await pageProblems(page, 'Swahili'))];
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByText('Approve the payment on your phone.').waitFor();
    expect(await language()).toBe('en');
    await page.reload();
    await page.getByRole('button', { name: 'Pay TSh' }).waitFor();
    await page.getByRole('button', { name: 'Kiswahili' }).click();
    await page.locator('[name=phone]').fill('712 345 678');
    await page.locator('#pay').click();
    await page.getByText('Andika namba ya simu ya Tanzania, kwa mfano 0712 345 678.').waitFor();
    found.push(...(await pageProblems(page, 'a wrong phone number')));

    expect(found).toEqual([]);
    await browser.close(page);
  });

  it.each([
    ['approve', 'Malipo yamekamilika. Asante! Namba ya risiti yako ni R-0001.'],
    [
      'decline',
      'Malipo hayajakamilika. Muamala umeshindikana. Hakuna pesa iliyokatwa; unaweza kujaribu tena.',
    ],
    ['expire', 'Malipo hayajakamilika. Muda wa kuthibitisha kwenye simu umeisha. Hakuna pesa iliyokatwa;'],
  ] as const)('says in Swahili how a payment ended after %s', async (decision, words) => {
    const page = await buy({ locale: 'sw-TZ' });
    await page.getByText('Thibitisha malipo kwenye simu yako.').waitFor();
    await sandbox.customer('255712345678')[decision](sandbox.payments()[0]!.reference);
    await page.getByText(words).waitFor();
    await browser.close(page);
  });

  it('opens the office with its password, where somebody pays a supplier', async () => {
    const closed = await browser.open(`${shop.url}/office.html`);
    await closed.getByText(/^The office opens for the user office/).waitFor();
    await browser.close(closed);
    const httpCredentials = { username: 'office', password: OFFICE_PASSWORD };
    const page = await browser.open(`${shop.url}/`, { httpCredentials });
    await page.getByRole('link', { name: 'Back office' }).click();
    await page.getByText('TSh\u00a01,000,000').waitFor();
    await page.getByRole('button', { name: 'Look the account up' }).click();
    const send = page.getByRole('button', { name: 'Send the money' });
    await send.waitFor();
    const found = [...(await pageProblems(page, 'the office'))];
    await send.click();
    await page.getByText('On its way: the gateway has accepted the transfer.').waitFor();
    expect(found).toEqual([]);
    expect(complaintsOf(page)).toEqual([]);
    expect(sandbox.payouts()).toMatchObject([{ amount: '25000.00' }]);
    await browser.close(page);
  });

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
  });
});
