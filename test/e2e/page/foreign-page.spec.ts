import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Page } from 'playwright-core';
import { type PaymentsSandbox, type PaymentsSandboxOptions } from 'nestjs-payments/sandbox';
import { type BrowserUnderTest, describeWithBrowser } from '../../support/browser.js';
import { callerOf } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';
import { sandboxPage } from '../../support/sandbox-page.js';

const TOKEN = 'a-token-of-the-control-api';
const KINDS: readonly (readonly [string, PaymentsSandboxOptions])[] = [
  ['on this machine', {}],
  ['for other machines, to whose page the user has the key', { allowRemote: true, controlToken: TOKEN }],
];

/** Scripts of the foreign page. Each resolves to what it learned, or to how it failed. */
const READS = {
  'fetch a list': "fetch(api + '/payments').then((answer) => answer.text())",
  'fetch a list with the cookies':
    "fetch(api + '/payments', { credentials: 'include' }).then((answer) => answer.text())",
  'fetch a list without asking for leave':
    "fetch(api + '/payments', { mode: 'no-cors', credentials: 'include' }).then((answer) => answer.text()).then((text) => text || 'failed')",
  'follow the events': `new Promise((resolve) => {
    const stream = new EventSource(api + '/events', { withCredentials: true });
    stream.onopen = () => resolve('open');
    stream.onerror = () => resolve('failed');
  })`,
  'follow the events by a web socket': `new Promise((resolve) => {
    const socket = new WebSocket(api.replace('http', 'ws') + '/events');
    socket.onopen = () => resolve('open');
    socket.onerror = () => resolve('failed');
  })`,
  'share the worker of the page':
    "Promise.resolve(new SharedWorker(sandbox + 'shared-events.js', { type: 'module' })).then(() => 'open')",
  'hold the events as an image': `new Promise((resolve) => {
    const image = document.createElement('img');
    image.onerror = () => resolve('failed');
    image.src = api + '/events';
  })`,
  'load a list as a script': `new Promise((resolve) => {
    const script = document.createElement('script');
    script.onload = () => resolve('loaded');
    script.onerror = () => resolve('failed');
    script.src = api + '/payments';
    document.head.append(script);
  })`,
  'frame the page': `new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.onload = () => { try { resolve(frame.contentDocument === null ? 'failed' : frame.contentDocument.title); } catch { resolve('failed'); } };
    frame.src = sandbox;
    document.body.append(frame);
  })`,
} as const;
const WRITES = {
  'post a decision as plain text':
    "fetch(api + '/payments/order-1/approve', { method: 'POST', mode: 'no-cors', credentials: 'include', headers: { 'content-type': 'text/plain' }, body: '{}' })",
  'post a decision as JSON':
    "fetch(api + '/payments/order-1/approve', { method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' }, body: '{}' })",
  'post a decision without a body':
    "fetch(api + '/payments/order-1/approve', { method: 'POST', mode: 'no-cors', credentials: 'include' })",
  'send a beacon':
    "Promise.resolve(navigator.sendBeacon(api + '/payments/order-1/approve', new Blob(['{}'], { type: 'text/plain' })))",
  'submit a form': `new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.name = 'answer';
    document.body.append(frame);
    const form = document.createElement('form');
    Object.assign(form, { method: 'post', enctype: 'text/plain', target: 'answer', action: api + '/payments/order-1/approve' });
    const field = document.createElement('input');
    Object.assign(field, { name: '{"merchant":"demo","x":"', value: '"}' });
    form.append(field);
    document.body.append(form);
    frame.onload = resolve;
    form.submit();
  })`,
  'forget everything':
    "fetch(api + '/reset', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' })",
  'take a payment with the keys of a merchant':
    "fetch(sandbox + 'api/v1/payments/mobile-money', { method: 'POST', headers: { 'content-type': 'application/json', 'x-api-key': 'pk_test_demo', 'x-api-secret': 'sk_test_demo' }, body: '{}' })",
} as const;

describeWithBrowser('a foreign page in the browser of a user', (browser) => {
  let foreign: Server;

  beforeEach(async () => {
    foreign = createServer((_, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><title>foreign</title><body>'),
    ).listen(0, '127.0.0.1');
    await once(foreign, 'listening');
  });
  afterEach(async () => {
    foreign.closeAllConnections();
    await once(foreign.close(), 'close');
  });

  it.each(
    KINDS.flatMap(([kind, options]) =>
      ['127.0.0.1', 'foreign.example'].map((host) => [host, kind, options] as const),
    ),
  )('of %s reads nothing and changes nothing of an emulator %s', async (host, _, options) => {
    const { sandbox, page: own } = await openOwn(browser, options);
    const page = await own.context().newPage();
    await page.goto(`http://${host}:${(foreign.address() as AddressInfo).port}/`);
    const learned: Record<string, unknown> = {};
    for (const [name, script] of Object.entries(READS)) learned[name] = await run(page, sandbox.url, script);
    for (const script of Object.values(WRITES)) await run(page, sandbox.url, script);

    expect(learned).toEqual(Object.fromEntries(Object.keys(READS).map((name) => [name, 'failed'])));
    await sandboxPage(own).card('order-1').waitFor();
    expect(sandbox.payments()).toMatchObject([{ reference: 'order-1', status: 'pending' }]);
    expect(sandbox.requests().filter(({ method }) => method !== 'OPTIONS')).toHaveLength(1);
    await page.close();
    await browser.close(own);
    await sandbox.stop();
  });

  it.each(KINDS)('cannot take on the name of an emulator %s (DNS rebinding)', async (_, options) => {
    const { sandbox, page: own } = await openOwn(browser, options);
    const page = await own.context().newPage();
    const rebound = sandbox.url.replace('127.0.0.1', 'foreign.example');
    for (const path of [
      '/',
      `/?token=${TOKEN}`,
      '/page.js',
      '/_sandbox/v1/payments',
      '/_sandbox/v1/events',
      '/_sandbox/v1/health',
      '/api/v1/merchant-balance',
    ]) {
      expect([path, (await page.goto(rebound + path))?.status()]).toEqual([path, 403]);
    }
    await page.close();
    await browser.close(own);
    await sandbox.stop();
  });
});

/** The emulator's own page, which stays open beside the foreign one and has its cookie. */
async function openOwn(
  browser: BrowserUnderTest,
  options: PaymentsSandboxOptions,
): Promise<{ readonly sandbox: PaymentsSandbox; readonly page: Page }> {
  const sandbox = await startSandbox({ clock: 'manual', ...options });
  await callerOf(sandbox).collect();
  const page = await browser.open(sandbox.pageUrl);
  await sandboxPage(page).card('order-1').waitFor();
  return { sandbox, page };
}

/** Runs a script of the foreign page. */
function run(page: Page, sandbox: string, script: string): Promise<unknown> {
  return page.evaluate(`(async () => {
    const sandbox = ${JSON.stringify(`${sandbox}/`)};
    const api = sandbox + '_sandbox/v1';
    try { return await ${script}; } catch { return 'failed'; }
  })().then((learned) => typeof learned === 'string' ? learned : 'done')`);
}
