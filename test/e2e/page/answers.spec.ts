import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Page } from 'playwright-core';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { complaintsOf, describeWithBrowser, forgiveComplaint } from '../../support/browser.js';
import { callerOf } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';
import { sandboxPage } from '../../support/sandbox-page.js';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.js';

describeWithBrowser('what the page answers to somebody who presses something', (browser) => {
  let sandbox: PaymentsSandbox;
  let receiver: WebhookReceiver;
  let page: Page;

  beforeAll(async () => {
    receiver = await startReceiver();
    sandbox = await startSandbox({ clock: 'manual', seed: 3 });
    await callerOf(sandbox).collect({ reference: 'order-1' });
  });
  beforeEach(async () => {
    page = await browser.open(`${sandbox.url}/#/setup`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await sandboxPage(page).live();
  });
  afterEach(async () => {
    await page.unrouteAll();
    expect(complaintsOf(page)).toEqual([]);
    await browser.close(page);
  });
  afterAll(() => receiver.close());

  const speak = (language: string) => page.locator('#language').selectOption(language);
  const goTo = (place: string) => page.evaluate(`location.hash = '#/${place}'`);
  const submit = (id: string) => page.locator(`#${id} [type=submit]`).click();

  it('says what test event it sent, how that was answered, and leads to it', async () => {
    const outcome = page.locator('#test-event .outcome');
    await page.locator('#event-reference').fill('order-7');
    await submit('test-event');
    await outcome.getByText('payment.success for order-7 to No address').waitFor();
    await outcome.getByText('not sent', { exact: true }).waitFor();

    sandbox.deliverTo(receiver.url);
    receiver.answerWith(200, 503);
    await submit('test-event');
    await outcome.getByText(`Sent: payment.success for order-7 to ${receiver.url}`).waitFor();
    await outcome.getByText('delivered', { exact: true }).waitFor();
    await submit('test-event');
    await outcome.getByText('answered 503 instead of 200').waitFor();
    await outcome.getByRole('link', { name: 'Open this webhook' }).click();
    await page.locator('#one-webhooks h3', { hasText: 'payment.success order-7' }).waitFor();
    await page.locator('#one-webhooks summary', { hasText: '503' }).waitFor();
  });

  it('says what test payment it asked for, how that was answered, and leads to it', async () => {
    const outcome = page.locator('#setup-payment .outcome');
    const chip = (ending: string) =>
      page.locator('#setup-payment').getByRole('button', { name: ending, exact: true }).click();
    await chip('0429');
    expect(await page.locator('#setup-payment code').allTextContents()).toEqual([
      'Retry-After: 2',
      'message',
    ]);
    expect(await page.locator('#setup-payment').innerHTML()).not.toContain('`');
    await submit('setup-payment');
    await outcome.getByText(/^429/).waitFor();
    await outcome.getByText('0429: 429 with Retry-After: 2 and a message alone, every time').waitFor();
    await chip('0500');
    await submit('setup-payment');
    await outcome.getByText('500', { exact: true }).waitFor();
    await outcome.getByText('0500: 500 as an HTML page, not processed').waitFor();
    await outcome.getByRole('link', { name: /mobile-money 500/ }).waitFor();
    await speak('sw');
    await chip('0504');
    await submit('setup-payment');
    await outcome.getByText('hakuna jibu', { exact: true }).waitFor();
    await outcome.getByText('0504: yanakubaliwa, lakini muunganisho unakatwa').waitFor();
    for (const complaint of ['429', '500', 'ERR_EMPTY_RESPONSE']) forgiveComplaint(page, complaint);

    await speak('en');
    await page.locator('#setup-phone').fill('255712345678');
    await submit('setup-payment');
    await outcome.getByText(/^Asked: TZS 15,000 of 255712345678 as test-\w+$/).waitFor();
    await outcome.getByText('200', { exact: true }).waitFor();
    await outcome.getByRole('link', { name: /^test-/ }).click();
    await page.locator('#one-payments h3', { hasText: /^test-/ }).waitFor();
  });

  it('marks an answer that a fault spoiled as failed, also under 200, and lists it with what failed', async () => {
    sandbox.next('POST /payments/mobile-money').html(200);
    await submit('setup-payment');
    const failed = page.locator('[data-status=failed]', { hasText: /^\s*200\s*$/ });
    await page.locator('#setup-payment .outcome').locator(failed).waitFor();
    await goTo('requests?failed=true');
    await page.locator('#rows-requests tr').locator(failed).waitFor();
    await page.locator('#rows-requests a').first().click();
    await page.locator('#one-requests').locator(failed).waitFor();
  });

  it('says in Swahili what the emulator refuses, and marks what it has in English only', async () => {
    await speak('sw');
    await goTo('clock');
    const problem = page.locator('#advance .problem');
    await page.locator('#advance-by').fill('kesho');
    await submit('advance');
    await page.locator('#advance .problem[lang=sw]', { hasText: 'iwe milisekunde kuanzia 0' }).waitFor();
    await page.route('**/clock/advance', (route) =>
      route.fulfill({ status: 409, json: { error: { code: 'NEW_CODE', message: 'Words of tomorrow.' } } }),
    );
    await submit('advance');
    await page.locator('#advance .problem[lang=en]', { hasText: 'Words of tomorrow.' }).waitFor();
    await page.unroute('**/clock/advance');
    await page.locator('#advance-by').fill('0s');
    await submit('advance');
    await expect.poll(() => problem.textContent()).toBe('');

    await goTo('setup');
    await page.locator('#address-url').fill('ftp:example');
    await submit('set-address');
    await page.locator('#set-address .problem[lang=sw]', { hasText: 'ikianza na http' }).waitFor();
    await goTo('payments/order-1');
    const cancel = page.locator('#one-payments').getByRole('button', { name: 'Ghairi order-1' });
    await cancel.waitFor();
    // As if somebody else had decided a moment before.
    await page.route('**/order-1/cancel', (route) =>
      route.fulfill({
        status: 409,
        json: { error: { code: 'SANDBOX_ALREADY_FINAL', message: 'It is success already.' } },
      }),
    );
    await cancel.click();
    await page.locator('.problem[lang=sw]', { hasText: 'Imeshafikia mwisho' }).waitFor();
    for (const status of ['422', '409', '422', '409']) forgiveComplaint(page, status);
  });

  it('shows the chance of a fault, whose it is, and copies a reference', async () => {
    sandbox.next('POST /payments/mobile-money').status(503, { retryAfter: 7 }).probability(0.25).times(9);
    await goTo('faults');
    await sandboxPage(page).rowSays('faults', 'a status 503 · Retry-After 7 · 25 % of the calls');
    await goTo('payments/order-1');
    await page.locator('#one-payments').getByRole('button', { name: 'Copy the reference order-1' }).click();
    await page.locator('#one-payments .copy', { hasText: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('order-1');
  });

  it('leaves out of a move what a running clock brings by itself', async () => {
    const now = '2026-01-01T09:00:00.000Z';
    const due = ['2026-01-01T08:59:59.000Z', '2026-01-01T09:05:00.000Z', '2026-01-01T12:00:00.000Z'].map(
      (at) => ({ at, what: 'payment', merchant: 'demo', reference: `due at ${at}`, to: 'expired' }),
    );
    const clock = { kind: 'real', now, frozen: false, waiting: 3, due };
    await page.route('**/_sandbox/v1/clock', (route) => route.fulfill({ json: clock }));
    await page.route('**/clock/advance', (route) =>
      route.fulfill({ json: { ...clock, happened: { count: 1, items: due.slice(1, 2) } } }),
    );
    await goTo('clock');
    await page.locator('#due li').nth(2).waitFor();
    await page.locator('#advance-by').fill('1h');
    await page.locator('#preview', { hasText: /: 1$/ }).waitFor();
    await submit('advance');
    await page.locator('#happened', { hasText: 'The move has brought: 1' }).waitFor();
    expect(await page.getByText('Foreseen before the move').count()).toBe(0);
  });

  it('keeps the tabs in one row beside the phone, and the buttons of the pager beside an open record', async () => {
    const rowsOf = (selector: string) =>
      page.evaluate<number>(
        `new Set([...document.querySelectorAll('${selector}')].map((one) => one.getBoundingClientRect().bottom)).size`,
      );
    await sandbox.reset();
    for (let number = 0; number < 51; number += 1)
      await callerOf(sandbox).collect({ reference: `row-${number}` });
    for (const language of ['en', 'sw']) {
      await speak(language);
      await goTo('payments/row-50');
      await page.locator('#list-payments .pager:visible').waitFor();
      await page.locator('#one-payments h3', { hasText: 'row-50' }).waitFor();
      expect([language, await rowsOf('.tabs button')]).toEqual([language, 1]);
      expect([language, await rowsOf('#list-payments .pager button')]).toEqual([language, 1]);
    }
  });

  it('says of a move of the clock what it foresaw, if more happened', async () => {
    await sandbox.reset();
    sandbox.deliverTo(receiver.url);
    receiver.answerWith(500);
    await callerOf(sandbox).collect({ reference: 'order-9', phone: '255712340009' });
    await goTo('clock');
    await page.locator('#advance-by').fill('6h');
    await page.locator('#preview', { hasText: /: 2$/ }).waitFor();
    await submit('advance');
    await page.locator('#happened', { hasText: 'The move has brought: 5' }).waitFor();
    await page.locator('#happened', { hasText: 'Foreseen before the move: 2.' }).waitFor();
  });
});

describeWithBrowser("the page's address", (browser) => {
  it('keeps the view, its filters, its page and the open record through a reload, a step back and a link', async () => {
    const sandbox = await startSandbox({ clock: 'manual', seed: 3 });
    const gateway = callerOf(sandbox);
    for (let number = 1; number <= 55; number += 1) await gateway.collect({ reference: `order-${number}` });
    await gateway.collect({ reference: 'other/a?b#c', phone: '255712340003' });
    await sandbox.clock.advance('2s');
    const page = await browser.open(`${sandbox.url}/`);
    await sandboxPage(page).live();
    const rows = page.locator('#rows-payments tr');
    const hash = () => page.evaluate<string>('location.hash');
    await page.locator('#search').fill('other');
    await page.locator('#filter-status').selectOption('cancelled');
    await page.locator('#filter-failed').check();
    await expect.poll(() => rows.count()).toBe(1);
    expect(await hash()).toBe('#/payments?q=other&status=cancelled&failed=true');
    await rows.getByRole('link').click();
    await page.locator('#one-payments h3', { hasText: 'other/a?b#c' }).waitFor();
    const shared = page.url();
    expect(shared).toContain('#/payments/other%2Fa%3Fb%23c?q=other&status=cancelled&failed=true');

    await page.reload();
    await page.locator('#one-payments h3', { hasText: 'other/a?b#c' }).waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    expect(await page.locator('#search').inputValue()).toBe('other');
    expect(await page.locator('#filter-status').inputValue()).toBe('cancelled');
    expect(await page.locator('#filter-failed').isChecked()).toBe(true);
    await page.goBack();
    await page.locator('#one-payments').waitFor({ state: 'hidden' });
    await expect.poll(() => rows.count()).toBe(1);

    await page.locator('#tab-requests').click();
    await page.locator('#rows-requests tr').first().waitFor();
    await page.locator('#tab-payments').click();
    await expect.poll(() => page.locator('#search').inputValue()).toBe('other');
    await page.evaluate("location.hash = '#/payments?status=nonsense&before=nonsense'");
    await expect.poll(() => rows.count()).toBe(50);
    expect(await hash()).toBe('#/payments');
    const pager = page.locator('#list-payments .pager');
    await pager.getByRole('button', { name: 'Older' }).click();
    await pager.getByText('51 to 56 of 56').waitFor();
    await page.reload();
    await pager.getByText('51 to 56 of 56').waitFor();
    await page.goBack();
    await pager.getByText('1 to 50 of 56').waitFor();

    const other = await browser.open(shared);
    await other.locator('#one-payments h3', { hasText: 'other/a?b#c' }).waitFor();
    expect(await other.locator('#search').inputValue()).toBe('other');
    forgiveComplaint(page, '400');
    expect([complaintsOf(page), complaintsOf(other)]).toEqual([[], []]);
    await browser.close(other);
    await browser.close(page);
  });
});
