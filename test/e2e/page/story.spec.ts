import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Page } from 'playwright-core';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import {
  complaintsOf,
  describeWithBrowser,
  forgiveComplaint,
  type PageOptions,
} from '../../support/browser.js';
import { callerOf, COLLECTION } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';
import { sandboxPage } from '../../support/sandbox-page.js';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.js';

/** At the moment when a card has gone, something happens to the one that stands in its place. */
const whenACardGoes = (happens: string): string => `
  const cards = document.querySelector('#prompts');
  new MutationObserver((_, observer) => {
    if (cards.children.length !== 1) return;
    observer.disconnect();
    ${happens}
  }).observe(cards, { childList: true });
`;
const SECOND_CLICK = whenACardGoes(`
  cards.querySelector('[data-action=approve]').dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 2 }));
  window.clickedAgain = true;
`);
const KEY_FOR_ANOTHER = whenACardGoes(`queueMicrotask(() => {
  window.pressedFor = document.activeElement.textContent;
  document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, key: 'a' }));
});`);

describeWithBrowser("the emulator's page", (browser) => {
  let sandbox: PaymentsSandbox;
  let receiver: WebhookReceiver;
  let gateway: ReturnType<typeof callerOf>;
  let page: Page;
  let ui: ReturnType<typeof sandboxPage>;

  beforeEach(async () => {
    receiver = await startReceiver();
    sandbox = await startSandbox({ clock: 'manual', seed: 3 });
    sandbox.deliverTo(receiver.url);
    gateway = callerOf(sandbox);
  });

  afterEach(async () => {
    const complaints = complaintsOf(page);
    try {
      await browser.close(page);
    } finally {
      await sandbox.stop();
      await receiver.close();
    }
    expect(complaints).toEqual([]);
  });

  const open = async (hash = '', options: PageOptions = {}) => {
    page = await browser.open(`${sandbox.url}/${hash}`, options);
    ui = sandboxPage(page);
    await ui.live();
  };
  const pressed = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const focusedText = () => page.evaluate('document.activeElement.textContent.replace(/\\s+/g, " ").trim()');

  it('plays the whole story by mouse, live', async () => {
    await open();
    await gateway.collect();
    await ui.card('order-1').waitFor();
    await ui.rowSays('payments', 'order-1', 'TZS 15,000', 'pending');
    await pressed('Approve order-1');
    await ui.rowSays('payments', 'order-1', 'success', 'delivered');
    await ui.card('order-1').waitFor({ state: 'detached' });

    expect(receiver.received).toHaveLength(1);
    await page.getByRole('link', { name: 'order-1' }).click();
    await page.locator('.timeline li', { hasText: 'payment.success · Try 1' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/payments/order-1');
    await ui.turnTo('balance');
    await ui.rowSays('balance', 'demo', 'TZS 1,014,700');
  });

  it('plays it by keyboard, and the focus moves to the next card', async () => {
    for (const reference of ['order-1', 'order-2', 'order-3']) await gateway.collect({ reference });
    await open();
    await ui.card('order-1').waitFor();
    await page.locator('#language').focus();
    await page.keyboard.press('Tab');
    expect(await focusedText()).toContain('order-3');

    await page.keyboard.press('a');
    await ui.rowSays('payments', 'order-3', 'success');
    await page.locator('.prompt:focus', { hasText: 'order-2' }).waitFor();
    await page.keyboard.press('d');
    await ui.rowSays('payments', 'order-2', 'failed');
    await page.locator('.prompt:focus', { hasText: 'order-1' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await focusedText()).toBe('Approve order-1');
    await page.keyboard.press('Enter');
    await ui.rowSays('payments', 'order-1', 'success');
    await page.locator('#phone-title:focus').waitFor();
  });

  it('takes no click for a card that has just moved to the place of another one', async () => {
    for (const reference of ['order-1', 'order-2']) await gateway.collect({ reference });
    await open();
    await ui.card('order-2').waitFor();
    await page.evaluate(SECOND_CLICK);
    await pressed('Approve order-2');
    await expect.poll(() => page.evaluate('window.clickedAgain')).toBe(true);
    await ui.rowSays('payments', 'order-2', 'success');
    await pressed('Decline order-1');
    await ui.rowSays('payments', 'order-1', 'failed');
  });

  it('takes no key for a card that got the focus of one that ended by itself', async () => {
    for (const reference of ['order-1', 'order-2']) await gateway.collect({ reference });
    await open();
    await ui.card('order-2').focus();
    await page.evaluate(KEY_FOR_ANOTHER);
    await sandbox.customer(COLLECTION.phone).approve('order-2');
    await expect.poll(() => page.evaluate('window.pressedFor')).toContain('order-1');
    await pressed('Decline order-1');
    await ui.rowSays('payments', 'order-1', 'failed');
  });

  it('takes a key for a card that was drawn again under the focus', async () => {
    await gateway.collect({ phone: '255712340002' });
    await open();
    await ui.card('order-1').focus();
    await page.locator('.prompt').evaluate((card) => void Object.assign(card, { isFirst: true }));
    await sandbox.clock.advance('2s');
    await expect.poll(() => page.evaluate("document.querySelector('.prompt').isFirst")).toBe(undefined);
    await page.locator('.prompt:focus').waitFor();
    await page.keyboard.press('d');
    await ui.rowSays('payments', 'order-1', 'failed');
  });

  it('leaves keys alone that are not meant for a card', async () => {
    await gateway.collect();
    await open('#/balance');
    await ui.card('order-1').waitFor();
    await page.locator('#top-up-merchant').fill('');
    await page.keyboard.type('ad');
    await ui.card('order-1').focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('d');
    await ui.card('order-1').waitFor({ state: 'detached' });
    expect(sandbox.payments()).toMatchObject([{ status: 'failed' }]);
    expect(await page.locator('#top-up-merchant').inputValue()).toBe('ad');
  });

  it('lets a request be ignored, and shows it again', async () => {
    await gateway.collect();
    await open();
    await pressed('Ignore order-1');
    await page.getByText('Nothing to confirm.').waitFor();
    expect(sandbox.payments()).toMatchObject([{ status: 'pending' }]);
    await page.getByRole('button', { name: 'Ignored: 1. Show again' }).click();
    await ui.card('order-1').waitFor();
  });

  it('ignores one request, not the next of its name', async () => {
    await gateway.collect();
    await open();
    await pressed('Ignore order-1');
    await page.getByText('Nothing to confirm.').waitFor();
    await sandbox.reset();
    await gateway.collect();
    await ui.card('order-1').waitFor();
  });

  it('keeps a request on the phone, however many have ended since', async () => {
    await gateway.collect({ reference: 'first', phone: '255712340000' });
    for (let number = 1; number <= 200; number += 1) {
      const reference = `later-${number}`;
      await gateway.collect({ reference });
      await sandbox.customer('255712345678').decline(reference);
    }
    await open();
    await ui.card('first').waitFor();
  });

  it('shows on the card what the emulator has against a decision', async () => {
    await gateway.collect();
    await open();
    await ui.card('order-1').waitFor();
    await page.route('**/approve', async (route) => {
      await route.continue({ url: route.request().url().replace('order-1', 'order-0') });
    });
    await pressed('Approve order-1');
    await ui.card('order-1').getByText('There is no payment order-0').waitFor();
    forgiveComplaint(page, '404');
  });

  it('decides for the merchant of the card, if two have one reference', async () => {
    await gateway.collect();
    await gateway.collect({}, { merchant: 'other' });
    await open();
    await ui.card('other').getByRole('button', { name: 'Approve' }).click();
    await ui.rowSays('payments', 'order-1', 'success');
    expect(sandbox.payments().map(({ merchant, status }) => [merchant, status])).toEqual([
      ['demo', 'pending'],
      ['other', 'success'],
    ]);
  });

  it('walks through the tabs with the arrow keys', async () => {
    await open();
    await page.locator('#tab-payments').focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('#tab-payouts[aria-selected=true]:focus').waitFor();
    await page.keyboard.press('End');
    await page.locator('#tab-setup[aria-selected=true]:focus').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.locator('#tab-payments[aria-selected=true]:focus').waitFor();
    expect(await page.locator('[role=tabpanel]:visible').count()).toBe(1);
  });

  it.each([
    ['Pay', 'paid'],
    ['Fail', 'failed'],
    ['Cancel', 'cancelled'],
  ])('%s makes a payout %s', async (action, status) => {
    await open('#/payouts');
    await gateway.payToBank();
    await pressed(`${action} salary-1`);
    await ui.rowSays('payouts', 'salary-1', status);
    expect(sandbox.payouts()).toMatchObject([{ status }]);
  });

  it('shows a delivery with its tries, and replays it', async () => {
    receiver.answerWith(500, 500, 200);
    await gateway.collect();
    await sandbox.customer('255712345678').approve('order-1');
    await open('#/webhooks');
    await page.getByRole('link', { name: 'payment.success order-1' }).click();
    await page.locator('summary', { hasText: 'answered 500 instead of 200' }).click();
    await page.locator('pre', { hasText: 'x-webhook-signature' }).waitFor();
    await pressed('Replay with a new signature');
    await page.locator('summary', { hasText: 'Try 2' }).waitFor();
    await pressed('Replay unchanged');
    await page.locator('summary', { hasText: 'Try 3' }).filter({ hasText: '200' }).waitFor();

    expect(receiver.received).toHaveLength(3);
    expect(sandbox.deliveries()).toMatchObject([{ state: 'delivered' }]);
  });

  it('shows where a try went, and keeps it open, and the focus on it, while others follow', async () => {
    receiver.answerWith(500);
    await gateway.collect();
    await sandbox.customer('255712345678').approve('order-1');
    await open(`#/webhooks/${sandbox.deliveries()[0]!.id}`);
    const first = page.locator('summary', { hasText: 'Try 1' });
    await first.click();
    await page.locator('details[open]', { hasText: receiver.url }).waitFor();
    await sandbox.clock.advance('5s');
    await page.locator('summary', { hasText: 'Try 2' }).waitFor();
    expect(await page.locator('details[open] summary').allTextContents()).toEqual([
      await first.textContent(),
    ]);
    expect(await focusedText()).toContain('Try 1');
  });

  it('tells the story of a payment on while it is open', async () => {
    receiver.answerWith(500);
    await gateway.collect();
    await sandbox.customer('255712345678').approve('order-1');
    await open('#/payments/order-1');
    await page.locator('.timeline', { hasText: 'Try 1' }).waitFor();
    await sandbox.clock.advance('5s');
    await page.locator('.timeline', { hasText: 'Try 2' }).waitFor();
  });

  it('copies a delivery as a curl command that sends the very same', async () => {
    await gateway.collect({ customer_name: "Asha 'the' Juma" });
    await sandbox.customer('255712345678').approve('order-1');
    const [delivery] = sandbox.deliveries();
    await open(`#/webhooks/${delivery!.id}`, { permissions: ['clipboard-read', 'clipboard-write'] });
    await pressed('Copy as curl');
    await page.locator('#announcer', { hasText: 'Copied' }).waitFor({ state: 'attached' });

    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    await promisify(execFile)('/bin/sh', ['-c', command]);
    const [first, again] = receiver.received;
    expect(again!.body.equals(first!.body)).toBe(true);
    expect(again!.headers['x-webhook-signature']).toBe(first!.headers['x-webhook-signature']);
  });

  it('shows a call with the rule that fired', async () => {
    await open('#/requests');
    await gateway.collect({ phone: '255712340003' });
    await page.getByRole('link', { name: 'POST /payments/mobile-money' }).click();
    await page.locator('.facts', { hasText: 'number ends with 0003' }).waitFor();
    expect(await page.locator('#one-requests').textContent()).toContain('x-api-secret: sk_test_…');
  });

  it('plans a fault, shows it struck, and removes one', async () => {
    await open('#/faults');
    await page.locator('#fault-operation').selectOption('GET /merchant-balance');
    await page.locator('#fault-status').fill('502');
    await page.locator('#fault-times').fill('2');
    await pressed('Plan a fault');
    await ui.rowSays('faults', 'GET /merchant-balance', 'a status 502', '2');
    expect((await gateway.get('/merchant-balance')).status).toBe(502);
    await ui.row('faults', 'GET /merchant-balance').getByRole('cell', { name: '1', exact: true }).waitFor();
    await pressed('Remove GET /merchant-balance');
    await page.getByText('No fault waits').waitFor();
    expect((await gateway.get('/merchant-balance')).status).toBe(200);

    await page.locator('#fault-kind').selectOption('delay');
    await page.locator('#fault-duration').fill('a while');
    await pressed('Plan a fault');
    await page.locator('#fault .problem', { hasText: 'for example "90s"' }).waitFor();
    forgiveComplaint(page, '422');
  });

  it('moves the clock, and says why a manual one cannot run', async () => {
    await gateway.collect();
    await open('#/clock');
    await page.getByText('A manual clock never runs').waitFor();
    expect(await page.locator('#freeze').getAttribute('aria-disabled')).toBe('true');
    await pressed('+1 min');
    await page.locator('#clock-now[datetime*="09:01:00"]').waitFor();
    await pressed('+15 min');
    await page.locator('#clock-now[datetime*="09:16:00"]').waitFor();
    await ui.turnTo('payments');
    await ui.rowSays('payments', 'order-1', 'expired');
    await ui.turnTo('clock');
    await page.locator('#advance-by').fill('2h');
    await pressed('Advance');
    await page.locator('#clock-now[datetime*="11:16:00"]').waitFor();
  });

  it('tops a wallet up', async () => {
    await gateway.get('/merchant-balance');
    await open('#/balance');
    await page.locator('#top-up-amount').fill('500.50');
    await pressed('Top up');
    await ui.rowSays('balance', 'demo', 'TZS 1,000,500.50');
  });

  it('speaks Swahili when told to, and remembers it', async () => {
    await gateway.collect();
    await open();
    await page.locator('#language').selectOption('sw');
    await page.getByRole('button', { name: 'Thibitisha order-1' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('sw');
    await page.reload();
    await page.getByRole('heading', { name: 'Simu ya mteja' }).waitFor();
    await ui.rowSays('payments', 'order-1', 'inasubiri');
    expect(await page.title()).toBe('(1) Majaribio ya malipo');
  });

  it('shows hostile references as the text that they are', async () => {
    const hostile = '<img src=x onerror=alert(1)>';
    await open();
    await sandbox.reset();
    const { body } = await gateway.collect({ metadata: { '<b>': hostile }, customer_name: hostile });
    expect(body).toMatchObject({ status: 'success' });
    await sandbox.customer('255712345678').approve('order-1');
    await ui.rowSays('payments', 'order-1', 'success');
    await page.goto(`${sandbox.url}/#/payments/${encodeURIComponent(hostile)}`);
    await page.locator('h3', { hasText: hostile }).waitFor();
    // The browser writes a refused call down by itself.
    forgiveComplaint(page, '404');
    await page.goto(`${sandbox.url}/#/payments/order-1`);
    await page.locator('dd', { hasText: hostile }).waitFor();
    await page.goto(`${sandbox.url}/#/webhooks/${sandbox.deliveries()[0]!.id}`);
    await page.locator('pre', { hasText: hostile }).waitFor();
    expect(await page.locator('img').count()).toBe(0);
  });

  it('lives with a reference that no address can hold', async () => {
    await gateway.collect({ reference: 'half-\ud800' });
    await gateway.collect({ reference: 'order-2' });
    await open();
    await ui.card('half-').waitFor();
    await ui.rowSays('payments', 'order-2', 'pending');
  });

  it('shows and ends a payment whose reference an address drops from its path', async () => {
    await gateway.collect({ reference: '..' });
    await open();
    await ui.card('..').waitFor();
    await pressed('Approve ..');
    await ui.rowSays('payments', '..', 'success');
    await page.getByRole('link', { name: '..', exact: true }).click();
    await page.locator('.timeline li', { hasText: 'success' }).first().waitFor();
    expect(new URL(page.url()).hash).toBe('#/payments/..');
  });

  it('tells the namesakes of two merchants apart', async () => {
    await gateway.collect();
    await gateway.collect({ amount: 777 }, { merchant: 'other' });
    await open('#/payments/order-1/other');
    await page.locator('.facts', { hasText: 'TZS 777' }).waitFor();
    await page.goto(`${sandbox.url}/#/payments/order-9`);
    await page.getByText('There is nothing called order-9.').waitFor();
    forgiveComplaint(page, '404');
  });

  it('starts again when the emulator forgets everything', async () => {
    await gateway.collect();
    await open();
    await ui.card('order-1').waitFor();
    await sandbox.reset();
    await page.getByText('Nothing to confirm.').waitFor();
    await page.getByText('No payments yet.').waitFor();
  });
});
