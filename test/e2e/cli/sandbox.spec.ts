import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundleCli, cliFile, CliProcess, type FinishedCli } from '../../support/cli-process.js';

const PORT_LINE = /PAYMENTS_BASE_URL=http:\/\/127\.0\.0\.1:(\d+)\/api\/v1\n/;

let open: (() => unknown)[] = [];

beforeAll(bundleCli);
afterEach(async () => {
  await Promise.all(open.map((close) => close()));
  open = [];
});

function start(...args: string[]): CliProcess {
  const cli = new CliProcess(args);
  open.push(() => cli.stop('SIGKILL'));
  return cli;
}

function run(...args: string[]): Promise<FinishedCli> {
  return start(...args).finished();
}

async function listen(handler: RequestListener = (_, response) => response.end()): Promise<Server> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** What the emulator's page is answered with under this host name: fetch sets Host by itself. */
function statusUnder(host: string, port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, host: '127.0.0.1', headers: { host }, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    outgoing.once('error', reject);
    outgoing.end();
  });
}

describe('nestjs-payments sandbox', () => {
  it('prints its address and, with --print-env, the environment of an application on stdout', async () => {
    const cli = start('sandbox', '--port', '0', '--print-env');
    const [, port] = await cli.until('stdout', PORT_LINE);
    await cli.until('stderr', /Ctrl-C ends it/);
    expect(cli.stdout).toMatch(
      /^PAYMENTS_BASE_URL=\S+\nPAYMENTS_API_KEY=pk_test_demo\nPAYMENTS_API_SECRET=sk_test_demo\nPAYMENTS_WEBHOOK_SECRET=\S{16,}\n$/,
    );
    expect(cli.stderr).toContain(`The customer's phone: http://127.0.0.1:${port}/\n`);
    expect(cli.stderr).not.toContain('PAYMENTS_');
  });

  it('prints a secret in quotes if a line of .env needs them', async () => {
    const environment = { PAYMENTS_WEBHOOK_SECRET: 'a secret # of enough bytes' };
    const cli = new CliProcess(['sandbox', '--port', '0', '--print-env'], { environment });
    open.push(() => cli.stop());
    await cli.until('stdout', /^PAYMENTS_WEBHOOK_SECRET='a secret # of enough bytes'$/m);
  });

  it('shows keys and webhook secret without --print-env, and keeps stdout for data', async () => {
    const cli = start('sandbox', '--port', '0');
    await cli.until('stderr', /PAYMENTS_WEBHOOK_SECRET=\S+\n[^]*Webhooks go nowhere yet[^]*Ctrl-C ends it/);
    expect(cli.stdout).toBe('');
  });

  it('writes the variables into the file of --write-env, keeps its other lines and shows no values', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-'));
    open.push(() => {
      rmSync(folder, { recursive: true });
    });
    writeFileSync(join(folder, '.env'), 'PORT=3000');
    const cli = new CliProcess(['sandbox', '--port', '0', '--write-env', '.env'], { folder });
    open.push(() => cli.stop('SIGKILL'));
    await cli.until('stderr', /variables of the application are in \.env[^]*Ctrl-C ends it/);
    expect(readFileSync(join(folder, '.env'), 'utf8')).toMatch(
      /^PORT=3000\nPAYMENTS_BASE_URL=http\S+\nPAYMENTS_API_KEY=pk_test_demo\nPAYMENTS_API_SECRET=sk_test_demo\nPAYMENTS_WEBHOOK_SECRET=\S{16,}\n$/,
    );
    expect(cli.stderr).not.toContain('PAYMENTS_');
    expect(cli.stdout).toBe('');
  });

  it.skipIf(process.platform === 'win32')(
    'leaves the file of --write-env whole if the disk takes no more',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-'));
      open.push(() => {
        rmSync(folder, { recursive: true });
      });
      const before = `NOTE=${'x'.repeat(20_000)}\nPORT=3000\n`;
      writeFileSync(join(folder, '.env'), before);
      // 4 or 8 kB, as the shell counts them.
      const limited = ['-c', 'ulimit -f 8; exec "$@"', 'sh', process.execPath, cliFile()];
      const { status, stderr } = spawnSync(
        'sh',
        [...limited, 'sandbox', '--port', '0', '--write-env', '.env'],
        {
          cwd: folder,
          env: { PATH: process.env['PATH'], NO_COLOR: '1' },
          encoding: 'utf8',
        },
      );
      expect(status).toBe(2);
      expect(stderr).toContain('--write-env cannot be written (EFBIG)');
      expect(readFileSync(join(folder, '.env'), 'utf8')).toBe(before);
      expect(readdirSync(folder)).toEqual(['.env']);
    },
  );

  it('does not start if --write-env would replace the keys of another gateway', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-'));
    open.push(() => {
      rmSync(folder, { recursive: true });
    });
    writeFileSync(join(folder, '.env'), 'PAYMENTS_API_KEY=pk_live_4f9a2c7e1b\n');
    const cli = new CliProcess(['sandbox', '--port', '0', '--write-env', '.env'], { folder });
    const { code, stderr } = await cli.finished();
    expect(code).toBe(2);
    expect(stderr).toContain('--write-env would replace PAYMENTS_API_KEY');
    expect(stderr).not.toContain('pk_live');
  });

  it('answers under each name that --allow-host gives it', async () => {
    const names = ['host.docker.internal', 'gateway.test'];
    const cli = start(
      'sandbox',
      '--port',
      '0',
      '--print-env',
      ...names.flatMap((name) => ['--allow-host', name]),
    );
    const [, port] = await cli.until('stdout', PORT_LINE);
    const statuses = [...names, 'other.test'].map((name) => statusUnder(name, Number(port)));
    expect(await Promise.all(statuses)).toEqual([200, 200, 403]);
  });

  it('repeats the webhook secret with the same seed', async () => {
    const secrets = ['7', '7', '8'].map(async (seed) => {
      const cli = start('sandbox', '--port', '0', '--seed', seed, '--print-env');
      return (await cli.until('stdout', /WEBHOOK_SECRET=(\S+)\n/))[1];
    });
    const [first, second, other] = await Promise.all(secrets);
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'stops at %s, frees its port and exits 0',
    async (signal) => {
      const cli = start('sandbox', '--port', '0', '--print-env');
      const [, port] = await cli.until('stdout', PORT_LINE);
      const page = await fetch(`http://127.0.0.1:${port}/_sandbox/v1/events`);
      expect(page.status).toBe(200);
      expect((await cli.stop(signal)).code).toBe(0);
      const server = createServer().listen(Number(port), '127.0.0.1');
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
      await page.text().catch(() => undefined);
    },
  );

  it('ends at once although a client holds its connection and an application has not answered', async () => {
    const hook = await listen(() => {});
    const asked = once(hook, 'request');
    const cli = start(
      'sandbox',
      '--port',
      '0',
      '--print-env',
      '--forward-to',
      `http://127.0.0.1:${portOf(hook)}/h`,
    );
    const [, port] = await cli.until('stdout', PORT_LINE);
    const idle = connect(Number(port), '127.0.0.1');
    await once(idle, 'connect');
    const closed = once(idle, 'close');
    await pay(port!, 'order-1');
    void approve(port!, 'order-1').catch(() => undefined);
    await asked;
    expect((await cli.stop('SIGINT')).code).toBe(0);
    await closed;
  });

  it.each([
    { environment: { FORCE_COLOR: '1', NO_COLOR: undefined }, coloured: true },
    { environment: { NO_COLOR: '1' }, coloured: false },
    { environment: { NO_COLOR: undefined }, coloured: false },
  ])('writes colours only if they are wanted: $environment', async ({ environment, coloured }) => {
    const cli = new CliProcess(['sandbox', '--port', '0'], { environment });
    open.push(() => cli.stop('SIGKILL'));
    await cli.until('stderr', /Ctrl-C ends it/);
    expect(cli.stderr.includes('\u001b[')).toBe(coloured);
  });

  it('says why a delivery failed if nothing listens', async () => {
    const gone = await listen();
    const address = `http://127.0.0.1:${portOf(gone)}/h`;
    gone.close();
    await once(gone, 'close');
    open.pop();
    const cli = start('sandbox', '--port', '0', '--print-env', '--forward-to', address);
    const [, port] = await cli.until('stdout', PORT_LINE);
    await pay(port!, 'order-1');
    await approve(port!, 'order-1');
    await cli.until(
      'stderr',
      /<-- try 1 failed: nothing listens at 127\.0\.0\.1:\d+ \(is the application running/,
    );
  });

  it('names an occupied port and how to choose another, and exits 1', async () => {
    const port = portOf(await listen());
    const { code, stdout, stderr } = await run('sandbox', '--port', String(port));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`Port ${port} `);
    expect(stderr).toContain('--port');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('logs each call and each delivery in two lines, with the reason of a failed one and no personal data', async () => {
    const hook = await listen((_, response) => response.writeHead(503).end());
    const cli = start(
      'sandbox',
      '--port',
      '0',
      '--print-env',
      '--forward-to',
      `http://127.0.0.1:${portOf(hook)}/h`,
    );
    const [, port] = await cli.until('stdout', PORT_LINE);
    await pay(port!, 'order-1');
    await approve(port!, 'order-1');
    await cli.until('stderr', /Next try/);
    const log = cli.stderr
      .split('\n')
      .slice(-5, -1)
      .map((line) => line.replaceAll(/\d\d:\d\d:\d\d/g, 'TIME').replace(/in \d+ ms/, 'in SOME ms'));
    expect(log).toEqual([
      'TIME --> POST /payments/mobile-money order-1',
      'TIME <-- 200 PAYMENT_INITIATED order-1 in SOME ms',
      `TIME --> payment.success order-1 to http://127.0.0.1:${portOf(hook)}/h`,
      expect.stringMatching(
        /^TIME <-- try 1 failed: answered 503 instead of 200 \(the storage cannot be reached, .*\)\. Next try at TIME\.$/,
      ),
    ]);
    expect(cli.stderr).not.toMatch(/255712345678|Asha|asha@/);
  });

  it('says so when a webhook has nowhere to go', async () => {
    const cli = start('sandbox', '--port', '0', '--print-env');
    const [, port] = await cli.until('stdout', PORT_LINE);
    await pay(port!, 'order-1');
    await approve(port!, 'order-1');
    await cli.until('stderr', /<-- not delivered: there is no address. Start with --forward-to <url>/);
  });

  it('says at the start that every address is turned off', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-off-'));
    try {
      const world = 'webhooks: [{ url: "http://127.0.0.1:3000/hook", enabled: false }]';
      writeFileSync(join(folder, 'shop.yaml'), world);
      const cli = start('sandbox', '--port', '0', '--seed-file', join(folder, 'shop.yaml'));
      await cli.until('stderr', /Webhooks go nowhere, because every address is turned off/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('writes every event as one line of JSON with --json', async () => {
    const hook = await listen();
    const cli = start(
      'sandbox',
      '--port',
      '0',
      '--json',
      '--forward-to',
      `http://127.0.0.1:${portOf(hook)}/h`,
    );
    const [, port] = await cli.until('stdout', /127\.0\.0\.1:(\d+)\/api\/v1"/);
    await pay(port!, 'order-1');
    await approve(port!, 'order-1');
    await cli.until('stdout', /"delivery".*\n/);
    const events = cli.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events).toEqual([
      expect.objectContaining({ type: 'ready', PAYMENTS_API_KEY: 'pk_test_demo' }),
      expect.objectContaining({
        type: 'request',
        reference: 'order-1',
        status: 200,
        code: 'PAYMENT_INITIATED',
        reason: null,
        duration_ms: expect.any(Number) as number,
        response_headers: expect.objectContaining({ 'x-sandbox-rule': 'default manual' }) as object,
        response_body: expect.stringContaining('"reference":"order-1"') as string,
      }),
      expect.objectContaining({ type: 'delivery', event: 'payment.success', state: 'delivered', attempt: 1 }),
    ]);
    expect(cli.stdout).not.toMatch(/255712345678|Asha/);
  });

  it('lets no reference steer the terminal', async () => {
    const cli = start('sandbox', '--port', '0', '--print-env');
    const [, port] = await cli.until('stdout', PORT_LINE);
    await pay(port!, 'order\u001b[31m-1\nforged');
    await cli.until('stderr', /order\uFFFD\[31m-1\uFFFDforged\n/);
  });

  it('continues when nobody reads its data any more', async () => {
    const cli = start('sandbox', '--port', '0', '--json');
    const [, port] = await cli.until('stdout', /127\.0\.0\.1:(\d+)\/api\/v1"/);
    cli.stopReading();
    await pay(port!, 'order-1');
    await pay(port!, 'order-2');
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
    expect(await cli.stop()).toMatchObject({ code: 0 });
    expect(cli.stderr).not.toContain('EPIPE');
  });

  it('decides by itself with --auto', async () => {
    const hook = await listen();
    const cli = start(
      'sandbox',
      '--auto',
      '--port',
      '0',
      '--json',
      '--forward-to',
      `http://127.0.0.1:${portOf(hook)}/h`,
    );
    const [, port] = await cli.until('stdout', /127\.0\.0\.1:(\d+)\/api\/v1"/);
    await pay(port!, 'order-1');
    await cli.until('stdout', /"event":"payment.success".*"state":"delivered"/);
  });
});

async function pay(port: string, reference: string): Promise<void> {
  await fetch(`http://127.0.0.1:${port}/api/v1/payments/mobile-money`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': 'pk_test_demo',
      'x-api-secret': 'sk_test_demo',
      'idempotency-key': reference.slice(0, 5),
    },
    body: JSON.stringify({
      amount: 15000,
      currency: 'TZS',
      reference,
      phone: '255712345678',
      customer_name: 'Asha Mrema',
      customer_email: 'asha@example.com',
    }),
  });
}

async function approve(port: string, reference: string): Promise<void> {
  const url = `http://127.0.0.1:${port}/_sandbox/v1/payments/${encodeURIComponent(reference)}/approve`;
  await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
}
