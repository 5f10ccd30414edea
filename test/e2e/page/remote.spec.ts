import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { pageProblems } from '../../support/axe.js';
import { complaintsOf, describeWithBrowser, forgiveComplaint } from '../../support/browser.js';
import { callerOf } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';
import { sandboxPage } from '../../support/sandbox-page.js';

describeWithBrowser('the page beyond this machine', (browser) => {
  let sandbox: PaymentsSandbox;
  let stranger: Server;

  beforeAll(async () => {
    sandbox = await startSandbox({ allowRemote: true, host: '0.0.0.0', seed: 5 });
    stranger = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<a href="${sandbox.pageUrl}">the link in a chat</a>`);
    }).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
  });
  afterAll(() => {
    stranger.close();
  });

  it('shows nothing without the token but where the link is', async () => {
    const page = await browser.open(`${sandbox.url}/`);
    await page.getByText('This page needs its token').waitFor();
    expect(await pageProblems(page, 'without the token')).toEqual([]);
    forgiveComplaint(page, '401');
    await browser.close(page);
  });

  it('opens by the link from another site, lives and acts, and its address holds no token', async () => {
    // 'localhost' is another site than '127.0.0.1'.
    const page = await browser.open(`http://localhost:${(stranger.address() as AddressInfo).port}/`);
    await page.getByText('the link in a chat').click();
    await page.locator('#link[data-state="live"]').waitFor();
    expect(page.url()).toBe(`${sandbox.url}/`);
    const shown = sandboxPage(page);
    await callerOf(sandbox).collect({ reference: 'order-1' });
    await shown
      .card('order-1')
      .getByRole('button', { name: /approve/i })
      .click();
    await shown.rowSays('payments', 'order-1', 'success');
    await page.locator('#search').fill('order');
    await expect.poll(() => page.url()).toBe(`${sandbox.url}/#/payments?q=order`);
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(complaintsOf(page)).toEqual([]);
    await browser.close(page);
  });

  it('obeys no page of another port, which has the same cookie', async () => {
    const page = await browser.open(sandbox.pageUrl);
    await page.locator('#link[data-state="live"]').waitFor();
    await page.goto(`http://127.0.0.1:${(stranger.address() as AddressInfo).port}/`);
    const reset = `fetch('${sandbox.url}/_sandbox/v1/reset', { method: 'POST', mode: 'no-cors', credentials: 'include',
      headers: { 'content-type': 'text/plain' }, body: '{}' }).then(() => 'sent')`;
    const read = `fetch('${sandbox.url}/_sandbox/v1/payments', { credentials: 'include' }).then(() => 'read', () => 'kept')`;
    expect(await page.evaluate(reset)).toBe('sent');
    expect(await page.evaluate(read)).toBe('kept');
    expect(sandbox.payments()).toHaveLength(1);
    await browser.close(page);
  });
});
