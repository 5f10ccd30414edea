import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Page } from 'playwright-core';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { complaintsOf, describeWithBrowser } from '../../support/browser.js';
import { controlOf } from '../../support/control-caller.js';
import { callerOf } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';
import { sandboxPage, VIEWS } from '../../support/sandbox-page.js';

const PAYLOADS = [
  ['an image with a handler', '<img src=x onerror="window.ran=1">'],
  ['a script that closes what is around it', '"><script>window.ran=1</script>'],
  ['an address that runs a script', 'javascript:window.ran=1'],
] as const;
/** Elements that no text may become, and links to anywhere but the web. */
const FOREIGN_PARTS = `[
  ...document.querySelectorAll('body script, img, iframe, object, embed, base, [onerror], [onload], [onclick]'),
  ...[...document.querySelectorAll('a, area')].filter(({ protocol }) => !['http:', 'https:'].includes(protocol)),
].map(({ outerHTML }) => outerHTML)`;

describeWithBrowser("stored texts on the emulator's page", (browser) => {
  let sandbox: PaymentsSandbox;
  let receiver: Server;
  let page: Page;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual' });
  });
  afterEach(async () => {
    await browser.close(page);
    receiver.closeAllConnections();
    await once(receiver.close(), 'close');
  });

  it.each(PAYLOADS)('run no script and lead nowhere: %s', async (_, payload) => {
    const names = await store(payload);
    page = await browser.open(`${sandbox.url}/`);
    await sandboxPage(page).live();
    let shown = '';
    // The page asks the emulator for a record that is opened: on a busy machine it shows it after the first look.
    await expect
      .poll(async () => {
        shown += await readEverything();
        return names.filter((name) => !shown.includes(name));
      })
      .toEqual([]);

    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect(complaintsOf(page)).toEqual([]);
  });

  it('hold no address that is not http or https', async () => {
    receiver = createServer().listen(0);
    page = await browser.open(`${sandbox.url}/`);
    const control = controlOf(sandbox);
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,<script>alert(1)</script>',
      'file:///etc/passwd',
    ]) {
      expect((await control.post('/webhooks/endpoints', { url })).status).toBe(422);
    }
  });

  /** Fills whatever the page shows with a payload, and returns how each begins or ends. */
  async function store(payload: string): Promise<readonly string[]> {
    const names: string[] = [];
    const text = (name: string): string => {
      names.push(`~${name}~`);
      return `${payload}~${name}~`;
    };
    receiver = createServer((_, response) => {
      response.writeHead(500, { 'x-note': text('answer-header') }).end(text('answer'));
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    sandbox.deliverTo(`http://127.0.0.1:${port}/hook?${encodeURIComponent(payload)}`);

    const control = controlOf(sandbox);
    const [bank_code, account_name] = [text('code'), text('holder')];
    await control.put('/banks', { items: [{ id: 1, name: text('bank'), code: bank_code }] });
    await control.put('/directory', { items: [{ account_number: '0123456789', account_name }] });
    await control.post('/faults', {
      operation: 'GET /merchant-balance',
      kind: 'status',
      status: 503,
      reference: text('fault'),
    });

    const gateway = callerOf(sandbox);
    const reference = text('reference');
    const headers = { 'user-agent': text('agent'), 'x-note': text('header') };
    const metadata = { [text('key')]: text('value') };
    await gateway.collect(
      { reference, customer_name: text('customer'), metadata },
      { headers, key: text('idempotency') },
    );
    await sandbox.customer('255712345678').approve(reference);
    const declined = text('declined');
    await gateway.collect({ reference: declined });
    await control.post(`/payments/${encodeURIComponent(declined)}/decline`, { reason: text('reason') });
    await gateway.collect({ reference: text('waiting') });
    await gateway.payToBank({ reference: text('payout'), bank_code, account_name, remarks: text('remarks') });
    await gateway.payToPhone({ reference: text('mobile'), recipient_name: text('recipient') });
    await fetch(`${sandbox.baseUrl}/${encodeURIComponent(text('path'))}`);
    return names;
  }

  /** Opens every view and every record. Returns all that could be read. */
  async function readEverything(): Promise<string> {
    const texts: string[] = [];
    const look = async (place: string): Promise<readonly string[]> => {
      await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
      await page.evaluate('new Promise((resolve) => setTimeout(() => requestAnimationFrame(resolve)))');
      await page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))");
      texts.push(await page.evaluate<string>('document.body.textContent'));
      expect(await page.evaluate(FOREIGN_PARTS)).toEqual([]);
      return page.evaluate(
        "[...document.querySelectorAll('main a[href^=\"#/\"]')].map((a) => a.getAttribute('href'))",
      );
    };
    const records = new Set<string>();
    for (const view of VIEWS) for (const link of await look(`#/${view}`)) records.add(link);
    for (const record of records) await look(record);
    return texts.join('\n');
  }
});
