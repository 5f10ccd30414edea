import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { type Page } from 'playwright-core';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import {
  complaintsOf,
  describeWithBrowser,
  forgiveComplaint,
  type PageOptions,
} from '../../support/browser.js';
import { controlDocument, documentedOperation } from '../../support/control-contract.js';
import { callerOf } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';
import { sandboxPage } from '../../support/sandbox-page.js';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.js';

const API = '/_sandbox/v1';
/** Operations without a place on the page, each with its reason. */
const ELSEWHERE = {
  readHealth: 'for scripts that wait for the emulator',
  readDocument: 'for generators of clients',
  streamEvents: 'the page shares one stream, in a worker that no page event reports',
  readEndpoint: 'the list of endpoints shows the same',
};

describeWithBrowser('every control of the page', (browser) => {
  let sandbox: PaymentsSandbox;
  let receiver: WebhookReceiver;
  let gateway: ReturnType<typeof callerOf>;
  let page: Page;
  let ui: ReturnType<typeof sandboxPage>;
  const called = new Set<string>();

  beforeEach(async () => {
    receiver = await startReceiver();
    sandbox = await startSandbox({ clock: 'manual', seed: 3 });
    gateway = callerOf(sandbox);
  });

  afterEach(async () => {
    const complaints = complaintsOf(page);
    page.removeAllListeners('request');
    page.removeAllListeners('download');
    await browser.close(page);
    await sandbox.stop();
    await receiver.close();
    expect(complaints).toEqual([]);
  });

  const note = (method: string, url: string): void => {
    const { pathname } = new URL(url);
    if (!pathname.startsWith(API)) return;
    const operation = documentedOperation(method, pathname.slice(API.length));
    if (operation) called.add(operation.operationId);
  };
  const open = async (hash = '', options: PageOptions = {}) => {
    page = await browser.open('about:blank', options);
    page.on('request', (request) => {
      note(request.method(), request.url());
    });
    // The browser reports no request for a file that it keeps.
    page.on('download', (file) => {
      note('GET', file.url());
    });
    await page.goto(`${sandbox.url}/${hash}`);
    ui = sandboxPage(page);
    await ui.live();
  };
  const pressed = (name: string) =>
    page.getByRole('button', { name, exact: true }).and(page.locator(':visible')).click();
  const fill = (id: string, words: string) => page.locator(`#${id}`).fill(words);
  const submit = (id: string) => page.locator(`#${id} [type=submit]`).click();
  const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()');

  it('the first run shows what an application needs, and a payment that works', async () => {
    await open('', { permissions: ['clipboard-read', 'clipboard-write'] });
    const start = page.locator('#first-run');
    await start.getByText(sandbox.baseUrl, { exact: true }).waitFor();
    for (const words of ['pk_test_demo', 'sk_test_demo', 'documented', '3'])
      await start.getByText(words, { exact: true }).waitFor();
    expect(await page.content()).not.toContain(sandbox.webhookSecret);
    await start.getByRole('button', { name: 'Copy Webhook secret' }).click();
    await page.locator('#announcer', { hasText: 'Copied' }).waitFor({ state: 'attached' });
    expect(await clipboard()).toBe(sandbox.webhookSecret);
    await start.getByRole('button', { name: 'Show' }).click();
    await start.getByText(sandbox.webhookSecret).waitFor();
    await start.getByRole('button', { name: 'Hide' }).click();
    await start.getByText(sandbox.webhookSecret).waitFor({ state: 'detached' });

    await start.getByRole('button', { name: '0003', exact: true }).click();
    await start.getByText('0003: cancelled by the customer').waitFor();
    expect(await page.locator('#first-phone').inputValue()).toBe('255712340003');
    await submit('first-payment');
    await ui.rowSays('payments', 'test-', 'TZS 15,000', 'pending');
    expect(sandbox.requests()).toMatchObject([{ status: 200, rule: 'ending 0003' }]);
    await start.waitFor({ state: 'hidden' });
  });

  it('the pasted curl works, twice', async () => {
    await open('', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.locator('#first-run').getByRole('button', { name: 'Copy Or ask for' }).click();
    await page.locator('#announcer', { hasText: 'Copied' }).waitFor({ state: 'attached' });
    const command = await clipboard();
    for (let turn = 0; turn < 2; turn += 1) await promisify(execFile)('/bin/sh', ['-c', command]);
    expect(sandbox.payments()).toHaveLength(2);
    expect(sandbox.requests().map(({ status }) => status)).toEqual([200, 200]);
  });

  it('the test payment keeps what is being typed while somebody clears everything', async () => {
    await open('#/setup');
    await fill('setup-amount', '2500');
    await fill('setup-phone', '2557000');
    const readAgain = page.waitForResponse('**/scenarios');
    await sandbox.reset();
    await readAgain;
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 0))');
    expect(await page.locator('#setup-phone').inputValue()).toBe('2557000');
    await fill('setup-phone', '255712345678');
    await submit('setup-payment');
    await page.locator('#setup-payment .outcome').getByText('TZS 2,500 of 255712345678').waitFor();
    expect(sandbox.payments()).toMatchObject([{ amount: '2500.00' }]);
    expect(sandbox.requests()).toMatchObject([{ body: { amount: 2_500 } }]);
  });

  it('the test payment says why it was refused, in Swahili too', async () => {
    await open('#/setup');
    await page.locator('#language').selectOption('sw');
    // Its words are Swahili once the panel is shown again.
    await page
      .locator('#setup-first-run [title^="mteja anayaghairi"]')
      .getByText('0003', { exact: true })
      .click();
    await page.getByText('0003: mteja anayaghairi baada ya sekunde 2').waitFor();
    await fill('setup-phone', '255');
    await submit('setup-payment');
    const outcome = page.locator('#setup-payment .outcome');
    await outcome.getByText('422', { exact: true }).waitFor();
    await outcome.locator('.problem[lang=en]', { hasText: 'The phone must' }).waitFor();
    // The browser writes a refused call down by itself.
    forgiveComplaint(page, '422');
  });

  it('a request shows its answer, is copied as curl, and leads to its payment and webhook', async () => {
    sandbox.deliverTo(receiver.url);
    await gateway.collect();
    await sandbox.customer('255712345678').approve('order-1');
    await gateway.collect();
    await open('#/requests', { permissions: ['clipboard-read', 'clipboard-write'] });
    await ui.rowSays('requests', 'DUPLICATE_REFERENCE');
    await ui.row('requests', 'DUPLICATE_REFERENCE').getByRole('link').click();
    const one = page.locator('#one-requests');
    await one.getByText('This reference already exists.', { exact: true }).waitFor();
    await one.locator('pre', { hasText: 'x-sandbox-rule: default manual' }).waitFor();
    await one.locator('pre', { hasText: '"code": "DUPLICATE_REFERENCE"' }).waitFor();
    await one.getByText(/\d+ ms/).waitFor();
    await one.getByRole('button', { name: 'Copy as curl', exact: true }).click();
    await page.locator('#announcer', { hasText: 'Copied' }).waitFor({ state: 'attached' });
    const another = await promisify(execFile)('/bin/sh', ['-c', await clipboard()]);
    expect(another.stdout).toContain('PAYMENT_INITIATED');
    expect(sandbox.payments().at(-1)!.reference).toMatch(/^order-1-\w{16}$/);
    await one.getByRole('button', { name: 'Copy as curl, unchanged' }).click();
    await expect.poll(clipboard).not.toContain('order-1-');
    const same = await promisify(execFile)('/bin/sh', ['-c', await clipboard()]);
    expect(same.stdout).toContain('409 Conflict');

    await one.getByRole('link', { name: 'payment.success, delivered' }).click();
    await page.locator('#one-webhooks').getByRole('link', { name: 'order-1', exact: true }).click();
    await page.locator('#one-payments .timeline').getByRole('link', { name: 'webhook' }).click();
    await page.locator('#one-webhooks h3', { hasText: 'payment.success' }).waitFor();
    await page
      .locator('#one-webhooks')
      .getByRole('link', { name: /mobile-money 409/ })
      .first()
      .click();
    await page.locator('#one-requests').getByText('This reference already exists.').first().waitFor();
    await page.goBack();
    await pressed('Replay unchanged');
    await expect.poll(() => receiver.received.length).toBe(2);
  });

  it('a payment and a payout are decided with a reason', async () => {
    for (const reference of ['order-1', 'order-2', 'order-3', 'order-4'])
      await gateway.collect({ reference });
    for (const reference of ['salary-1', 'salary-2', 'salary-3']) await gateway.payToBank({ reference });
    const decided = async (
      tab: 'payments' | 'payouts',
      action: string,
      reference: string,
      reason?: string,
    ) => {
      await page.goto(`${sandbox.url}/#/${tab}/${reference}`);
      const one = page.locator(`#one-${tab}`);
      await one.locator('h3', { hasText: reference }).waitFor();
      if (reason !== undefined) await one.getByLabel('Reason').fill(reason);
      await one.getByRole('button', { name: `${action} ${reference}` }).click();
      await one.getByRole('button', { name: `${action} ${reference}` }).waitFor({ state: 'detached' });
      if (reason !== undefined) await one.locator('.facts', { hasText: reason }).waitFor();
    };
    await open();
    await decided('payments', 'Approve', 'order-1');
    await decided('payments', 'Decline', 'order-2', 'Wrong PIN');
    await decided('payments', 'Cancel', 'order-3', 'Daily limit reached');
    await decided('payments', 'Expire', 'order-4');
    await decided('payouts', 'Pay', 'salary-1');
    await decided('payouts', 'Fail', 'salary-2', 'Account blocked');
    await decided('payouts', 'Cancel', 'salary-3', 'By the bank');
    expect(sandbox.payments().map(({ status, reason }) => [status, reason])).toEqual([
      ['success', null],
      ['failed', 'Wrong PIN'],
      ['cancelled', 'Daily limit reached'],
      ['expired', null],
    ]);
    expect(sandbox.payouts().map(({ status, reason }) => [status, reason])).toEqual([
      ['paid', null],
      ['failed', 'Account blocked'],
      ['cancelled', 'By the bank'],
    ]);
  });

  it('webhook addresses, their events and secrets, and a test event', async () => {
    await open('#/setup');
    await fill('address-url', receiver.url);
    await submit('set-address');
    const item = (id: string) => page.locator(`[data-endpoint=${id}]`);
    await item('default').getByText(receiver.url).waitFor();
    await fill('event-reference', 'order-9');
    await page.locator('#event-name').selectOption('payment.failed');
    await submit('test-event');
    await expect.poll(() => receiver.received.length).toBe(1);
    expect(sandbox.deliveries()).toMatchObject([{ event: 'payment.failed', reference: 'order-9' }]);

    await item('default').getByLabel('payment.failed').press('Space');
    await expect
      .poll(async () => (await endpoints())[0]?.events)
      .toEqual(['payment.success', 'payment.cancelled', 'payment.expired']);
    await focusIsOn('default-payment.failed');
    await item('default').getByLabel('payment.failed').press('Space');
    await expect.poll(async () => (await endpoints())[0]?.events).toBeNull();
    await focusIsOn('default-payment.failed');
    await pressed('New secret default');
    await item('default').getByText('New secret:').waitFor();
    const shown = await item('default').locator('code').last().textContent();
    await item('default')
      .locator('.secrets', { hasText: sandbox.webhookSecret.slice(-4) })
      .waitFor();
    expect(shown).toMatch(/^whsec_/);
    expect(shown).not.toBe(sandbox.webhookSecret);
    await pressed('Turn off default');
    await item('default').getByText('Off').waitFor();
    await fill('address-url', `${receiver.url}/other`);
    await submit('set-address');
    await item('default').getByText(`${receiver.url}/other`).waitFor();

    await fill('endpoint-url', receiver.url);
    await fill('endpoint-merchant', 'shop');
    await submit('add-endpoint');
    await item('endpoint-1').getByText('New secret:').waitFor();
    await item('endpoint-1').getByText('shop · On').waitFor();
    await page.getByRole('button', { name: 'Remove endpoint-1', exact: true }).press('Enter');
    await item('endpoint-1').waitFor({ state: 'detached' });
    await focusIsOn('endpoints');
  });

  /** The focus is on the element of this id or class. */
  const focusIsOn = (name: string) =>
    expect
      .poll(() => page.evaluate<string>('document.activeElement.id || document.activeElement.className'))
      .toBe(name);

  const endpoints = async () => {
    const answer = await fetch(`${sandbox.url}${API}/webhooks/endpoints`);
    return ((await answer.json()) as { items: { events: string[] | null }[] }).items;
  };

  it('banks and account holders', async () => {
    await open('#/banks');
    const rows = page.locator('#rows-banks tr');
    await rows.first().waitFor();
    const before = await rows.count();
    await fill('bank-code', 'KLB');
    await fill('bank-name', 'Kilima Bank');
    await submit('add-banks');
    await rows.filter({ hasText: 'Kilima Bank' }).waitFor();
    expect(await rows.count()).toBe(before + 1);
    expect((await gateway.payToBank({ bank_code: 'KLB' })).status).toBe(200);
    await page.getByRole('button', { name: 'Remove KLB', exact: true }).press('Enter');
    await rows.filter({ hasText: 'Kilima Bank' }).waitFor({ state: 'detached' });
    await focusIsOn('rows-banks');
    expect((await gateway.payToBank({ bank_code: 'KLB', reference: 'b' })).status).toBe(422);

    await fill('holder-account', '0123456789');
    await fill('holder-name', 'Neema Kessy');
    await submit('add-directory');
    await page.locator('#rows-directory tr', { hasText: 'Neema Kessy' }).waitFor();
    await fill('holder-account', '0999');
    await submit('add-directory');
    await page.locator('#rows-directory tr', { hasText: 'does not exist' }).waitFor();
    expect(sandbox.directory.entries()).toEqual([
      ['0123456789', 'Neema Kessy'],
      ['0999', null],
    ]);
  });

  it('balances, and faults with a chance, for one merchant', async () => {
    await open('#/balance');
    await fill('set-balance-available', '250000.00');
    await submit('set-balance');
    await ui.rowSays('balance', 'demo', 'TZS 250,000');
    await submit('top-up');
    await ui.rowSays('balance', 'demo', 'TZS 350,000');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download statement demo' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('statement.csv');
    expect(readFileSync(await file.path(), 'utf8')).toBe(sandbox.statement());
    expect(sandbox.statement()).toContain(',Adjustment,,,100000.00,');

    await ui.turnTo('faults');
    await fill('fault-times', '');
    await fill('fault-probability', '0.5');
    await fill('fault-merchant', 'shop');
    await fill('fault-retry-after', '7');
    await fill('fault-code', 'PROVIDER_ERROR');
    await page.getByLabel('Call', { exact: true }).selectOption('processed first');
    await submit('fault');
    await ui.rowSays('faults', 'a status 503 · PROVIDER_ERROR · processed first');
    const answer = await fetch(`${sandbox.url}${API}/faults`);
    expect(await answer.json()).toMatchObject({
      items: [
        {
          left: null,
          probability: 0.5,
          merchant: 'shop',
          retry_after: 7,
          code: 'PROVIDER_ERROR',
          after_processing: true,
        },
      ],
    });
    await page
      .locator('#rows-faults')
      .getByRole('button', { name: /^Remove/ })
      .click();
    await page.getByText('No fault waits').waitFor();
  });

  it('the clock says what falls due, what a move would bring and what it has brought', async () => {
    sandbox.deliverTo(receiver.url);
    receiver.answerWith(500, 200);
    await gateway.collect();
    await open('#/clock');
    const due = page.locator('#due li');
    await due.filter({ hasText: 'order-1: expired in 15 min' }).waitFor();
    await page.getByText('This move brings: 1').waitFor();
    await fill('advance-by', '14m');
    await page.getByText('This move brings: 0').waitFor();
    await sandbox.customer('255712345678').approve('order-1');
    await due.filter({ hasText: 'order-1: payment.success is sent again in 5 s' }).waitFor();
    await due.filter({ hasText: 'expired' }).waitFor({ state: 'detached' });
    await page.getByText('This move brings: 1').waitFor();
    await submit('advance');
    await page.locator('#happened li', { hasText: 'order-1: payment.success was sent' }).waitFor();
    expect(receiver.received).toHaveLength(2);
    await pressed('+1 min');
    await page.getByText('Nothing fell due.').waitFor();
  });

  it('a real clock is stopped, and everything is cleared', async () => {
    await sandbox.stop();
    sandbox = await startSandbox();
    await callerOf(sandbox).collect();
    await open('#/clock');
    await pressed('Stop the clock');
    await page.getByText('Real clock, stopped').waitFor();
    await ui.turnTo('setup');
    await submit('reset');
    await page.getByText('Really clear it? Nothing brings it back').waitFor();
    expect(sandbox.payments()).toHaveLength(1);
    await submit('reset');
    await page.locator('#reset [data-text=resetTitle][type=submit]').waitFor();
    await expect.poll(() => sandbox.payments().length).toBe(0);
  });

  it('nothing is cleared by a double-click, and for no other merchant than the one that was asked about', async () => {
    await callerOf(sandbox).collect();
    await open('#/setup');
    await page.locator('#reset [type=submit]').dblclick();
    await page.getByText('Really clear it? Nothing brings it back').waitFor();
    expect(sandbox.payments()).toHaveLength(1);
    await fill('reset-merchant', 'another');
    await submit('reset');
    await page.locator('#reset[aria-busy=true]').waitFor({ state: 'detached' });
    await page.locator('#reset [data-text=resetSure][type=submit]').waitFor();
    expect(sandbox.payments()).toHaveLength(1);
  });

  it('a reason that is being typed stays while the payment continues', async () => {
    await callerOf(sandbox).collect({ phone: '255712340002' });
    await open('#/payments/order-1');
    const reason = page.getByLabel('Reason');
    await reason.fill('Wrong P');
    await sandbox.clock.advance('2s');
    await page.locator('#one-payments [data-status=processing]').waitFor();
    await page.keyboard.type('IN');
    expect(await reason.inputValue()).toBe('Wrong PIN');
  });

  afterAll(() => {
    const documented = Object.values(controlDocument.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    // A control operation needs a place on the page, or a reason in `ELSEWHERE`.
    expect(documented.filter((id) => !called.has(id) && !(id in ELSEWHERE))).toEqual([]);
  });
});
