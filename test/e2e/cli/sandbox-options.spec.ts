import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundleCli, CliProcess, type CliSurroundings, runProcess } from '../../support/cli-process.js';

const TOKEN = 'a-token-for-this-test';
const PORT_LINE = /PAYMENTS_BASE_URL=http:\/\/127\.0\.0\.1:(\d+)\/api\/v1\n/;
const JSON_BODY = { 'content-type': 'application/json' };

let open: (() => unknown)[] = [];

beforeAll(bundleCli);
afterEach(async () => {
  await Promise.all(open.map((close) => close()));
  open = [];
});

async function start(args: readonly string[], surroundings?: CliSurroundings) {
  const cli = new CliProcess(['sandbox', '--port', '0', '--print-env', ...args], surroundings);
  open.push(() => cli.stop('SIGKILL'));
  const [, port = ''] = await cli.until('stdout', PORT_LINE);
  await cli.until('stderr', /Ctrl-C ends it/);
  return { cli, port, api: `http://127.0.0.1:${port}/_sandbox/v1` };
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'payments-sandbox-'));
  open.push(() => {
    rmSync(made, { recursive: true });
  });
  return made;
}

/** A webhook route that keeps what it gets. */
async function webhookRoute() {
  const deliveries: { readonly headers: IncomingMessage['headers']; readonly body: Buffer }[] = [];
  const server = createServer((incoming, response) => {
    void buffer(incoming).then((body) => {
      deliveries.push({ headers: incoming.headers, body });
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => server.close());
  return { server, deliveries, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

describe('nestjs-payments sandbox takes the options of the library', () => {
  it('clock, balance, fees and expiry', async () => {
    const { api, port } = await start([
      '--clock',
      'manual',
      '--balance',
      '50000.00',
      '--fees',
      'collection=10,payout=0',
      '--expire-after',
      '1h',
    ]);
    const balance = async (): Promise<unknown> => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/merchant-balance`, {
        headers: { 'x-api-key': 'pk_test_demo', 'x-api-secret': 'sk_test_demo' },
      });
      return answer.json();
    };
    expect(await balance()).toMatchObject({ data: { available_balance: 50_000 } });
    await pay(port, 'order-1');
    await pay(port, 'order-2');
    await post(`${api}/payments/order-1/approve`);
    expect(await balance()).toMatchObject({ data: { available_balance: 59_000 } });
    await post(`${api}/clock/advance`, { by: '59m' });
    expect(await statusOf(api, 'order-2')).toBe('pending');
    await post(`${api}/clock/advance`, { by: '1m' });
    expect(await statusOf(api, 'order-2')).toBe('expired');
  });

  it.each([
    ['--scheme', 'standard-webhooks'],
    ['--scheme', 'stripe', '--header', 'x-signed'],
    ['--algorithm', 'sha512', '--encoding', 'base64', '--prefix', 'v1=', '--header', 'x-sign'],
    ['--payload', '{timestamp}.{id}.{body}', '--timestamp-header', 'x-at', '--id-header', 'x-id'],
  ])('signs as verify understands it with %s %s %s', async (...scheme) => {
    const { deliveries, url } = await webhookRoute();
    const secret = `whsec_${Buffer.from('a secret of this test alone').toString('base64')}`;
    const { api, port } = await start(['--webhook-secret', secret, '--forward-to', url, ...scheme]);
    await pay(port, 'order-1');
    await post(`${api}/payments/order-1/approve`);
    const [{ headers, body }] = deliveries as [(typeof deliveries)[number]];
    const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${String(value)}`]);
    const verify = (...args: string[]) =>
      runProcess(['verify', '--secret', ...args, ...scheme, ...lines], { input: body });
    expect(await verify(secret)).toMatchObject({ code: 0, stdout: expect.stringContaining('✔') as string });
    const other = `whsec_${Buffer.from('another secret of this test').toString('base64')}`;
    expect(await verify(other)).toMatchObject({ code: 1 });
  });
});

describe('nestjs-payments sandbox --allow-remote', () => {
  it('prints the link with its token once, and the links for other machines', async () => {
    const { cli, api } = await start(['--allow-remote', '--host', '0.0.0.0']);
    const [, token = ''] =
      /The customer's phone: http:\/\/127\.0\.0\.1:\d+\/\?token=([\w-]{32})\n/.exec(cli.stderr) ?? [];
    expect(token).not.toBe('');
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    for (const { address } of addresses.filter(({ family, internal }) => family === 'IPv4' && !internal)) {
      expect(cli.stderr).toContain(`From other machines: http://${address}:`);
    }
    expect((await fetch(`${api}/info`)).status).toBe(401);
    expect((await fetch(`${api}/info`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
    expect(cli.stdout).not.toContain(token);
  });

  it('takes the token from the environment, and webhooks go elsewhere', async () => {
    const args = ['--allow-remote', '--forward-to', 'http://application:3000/webhooks/payments'];
    const { cli, api } = await start(args, { environment: { PAYMENTS_SANDBOX_TOKEN: TOKEN } });
    expect(cli.stderr).toContain('Webhooks go to http://application:3000/webhooks/payments');
    const endpoints = await fetch(`${api}/webhooks/endpoints`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(await endpoints.json()).toMatchObject({
      items: [{ url: 'http://application:3000/webhooks/payments' }],
    });
  });

  it('gives the token to the command of sandbox exec, and none without it', async () => {
    const code = 'console.log(process.env.PAYMENTS_SANDBOX_TOKEN)';
    const run = (...args: string[]) =>
      runProcess(['sandbox', 'exec', ...args, '--', process.execPath, '-e', code]);
    expect((await run('--allow-remote')).stdout).toMatch(/^[\w-]{32}\n$/);
    expect((await run('--allow-remote', '--token', TOKEN)).stdout).toBe(`${TOKEN}\n`);
    expect((await run()).stdout).toBe('undefined\n');
  });
});

describe.skipIf(process.platform !== 'linux')('nestjs-payments sandbox --open', () => {
  /** A folder with a program that opens URLs: it writes them to a pipe of its own. */
  /** A folder with a program that opens URLs: it calls `opened` with the URL. */
  async function opener(): Promise<{ readonly path: string; readonly opened: Promise<unknown> }> {
    const path = folder();
    const { server, url } = await webhookRoute();
    const opened = once(server, 'request').then(
      ([{ headers }]) => (headers as IncomingMessage['headers'])['x-url'],
    );
    const script = `fetch('${url}', { headers: { 'x-url': process.argv[2] } })`;
    writeFileSync(join(path, 'xdg-open'), `#!${process.execPath}\n${script}\n`);
    chmodSync(join(path, 'xdg-open'), 0o755);
    return { path, opened };
  }

  it('opens the page, with its token', async () => {
    const { path, opened } = await opener();
    const environment = { PATH: path, DISPLAY: ':0' };
    const { port } = await start(['--open', '--token', TOKEN], { environment });
    expect(await opened).toBe(`http://127.0.0.1:${port}/?token=${TOKEN}`);
  });

  it.each([
    ['no screen', { DISPLAY: undefined, WAYLAND_DISPLAY: undefined, WSL_DISTRO_NAME: undefined }],
    ['no program that opens a page', { DISPLAY: ':0', PATH: '/nowhere' }],
  ])('says so where there is %s, and continues', async (_, environment) => {
    const { cli, port } = await start(['--open'], { environment });
    await cli.until('stderr', /There is no browser to open here\.\n/);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
  });
});

async function pay(port: string, reference: string): Promise<void> {
  const keys = { 'x-api-key': 'pk_test_demo', 'x-api-secret': 'sk_test_demo', 'idempotency-key': reference };
  await post(
    `http://127.0.0.1:${port}/api/v1/payments/mobile-money`,
    {
      amount: 10_000,
      currency: 'TZS',
      reference,
      phone: '255712345678',
      customer_name: 'Asha Mrema',
      customer_email: 'asha@example.com',
    },
    keys,
  );
}

async function post(
  url: string,
  body: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...JSON_BODY, ...headers },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

async function statusOf(api: string, reference: string): Promise<unknown> {
  return ((await (await fetch(`${api}/payments/${reference}`)).json()) as { status: unknown }).status;
}
