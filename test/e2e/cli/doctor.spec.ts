import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hmac, standardWebhooks, stripeStyle } from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentsOptions, secret, startWebhookApp } from '../../support/webhook-app.js';
import { bundleCli, environmentOf, runCommand, runProcess } from '../../support/cli-process.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

let sandbox: PaymentsSandbox;
let folder: string;
let environment: NodeJS.ProcessEnv;
let open: (() => unknown)[] = [];

beforeAll(async () => {
  await bundleCli();
  sandbox = await PaymentsSandbox.start({ webhookSecret: secret });
});
afterAll(async () => {
  await sandbox.stop();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payments-doctor-'));
  environment = environmentOf(sandbox);
});
afterEach(async () => {
  await Promise.all(open.map((close) => close()));
  open = [];
  rmSync(folder, { recursive: true });
});

interface Check {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
  readonly fix?: string;
}

/** Runs the doctor in the project's folder; the checks by name. */
async function doctor(...args: string[]) {
  const run = await runCommand(['doctor', '--json', ...args], { folder, environment });
  const lines = run.stdout.split('\n').filter((line) => line !== '');
  const checks = lines.map((line) => JSON.parse(line) as Check);
  return { ...run, checks: new Map(checks.map((check) => [check.name, check])) };
}

function install(path: string, manifest: object): void {
  const file = join(folder, path, 'package.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(manifest));
}

/** An application with every package that it has to bring. */
function installProject(versions: Readonly<Record<string, string>> = {}): void {
  const peers = {
    '@nestjs/axios': '12.0.1',
    '@nestjs/common': '12.5.1',
    '@nestjs/config': '12.0.1',
    '@nestjs/core': '12.5.1',
    'class-transformer': '0.5.1',
    'class-validator': '0.15.1',
    'reflect-metadata': '0.2.2',
    axios: '1.21.1',
    rxjs: '7.8.2',
    ...versions,
  };
  install('.', { dependencies: peers });
  for (const [name, version] of Object.entries(peers)) install(`node_modules/${name}`, { name, version });
}

async function gateway(handler: RequestListener): Promise<void> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  environment['PAYMENTS_BASE_URL'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
}

describe('nestjs-payments doctor', () => {
  it('finds nothing wrong with a sound application, before a person and in JSON', async () => {
    installProject();
    const { app, port } = await startWebhookApp('express', { controllers: [WebhooksController] });
    open.push(() => app.close());
    const webhook = ['--webhook', `http://127.0.0.1:${port}/webhooks/payments`];
    const { code, checks, stdout } = await doctor(...webhook);
    expect([...checks.values()].filter(({ state }) => state === 'failed')).toEqual([]);
    expect(code).toBe(0);
    expect([...checks.keys()]).toEqual([
      'Node',
      'Packages',
      'Variables',
      'Address and keys',
      'Gateway',
      'Keys at the gateway',
      'Clock',
      'Webhook secret',
      'Webhook route, good event',
      'Webhook route, unsigned event',
      'Webhook route, altered event',
      'Webhook route, stale event',
    ]);
    expect(checks.get('Webhook route, stale event')).toMatchObject({ state: 'skipped' });
    const human = await runProcess(['doctor', ...webhook], { folder, environment });
    expect(human.code).toBe(0);
    expect(human.stdout).toMatch(/^✔ Node: /);
    expect(human.stdout).toContain(`\n✔ Webhook route, unsigned event: refused with 401\n`);
    expect(human.stdout).toContain('\n11 fine, 0 failed, 1 not checked\n');
    expect(stdout + human.stdout + human.stderr).not.toMatch(
      new RegExp(`${secret}|sk_test_demo|pk_test_demo`),
    );
  });

  it('does not call the clock wrong beside an emulator whose clock was moved', async () => {
    const moved = await PaymentsSandbox.start({ clock: 'manual' });
    open.push(() => moved.stop());
    await moved.clock.advance('1h');
    environment = environmentOf(moved);
    expect((await doctor()).checks.get('Clock')).toMatchObject({ state: 'skipped' });
  });

  it('tries a stale event if the scheme signs a time', async () => {
    const scheme = hmac({
      header: 'x-signature',
      algorithm: 'sha256',
      encoding: 'hex',
      payload: ['timestamp', { literal: '.' }, 'body'],
      timestamp: { header: 'x-time', unit: 's', toleranceSeconds: 300 },
    });
    const { app, port } = await startWebhookApp('fastify', {
      controllers: [WebhooksController],
      payments: [paymentsOptions({ scheme })],
    });
    open.push(() => app.close());
    const options = [
      '--header',
      'x-signature',
      '--timestamp-header',
      'x-time',
      '--payload',
      '{timestamp}.{body}',
    ];
    const { checks } = await doctor('--webhook', `http://127.0.0.1:${port}/webhooks/payments`, ...options);
    expect(checks.get('Webhook route, good event')?.state).toBe('ok');
    expect(checks.get('Webhook route, stale event')).toMatchObject({
      state: 'ok',
      detail: 'refused with 401',
    });
  });

  it.each([
    {
      name: 'standard-webhooks',
      scheme: standardWebhooks(),
      own: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      options: [],
    },
    { name: 'stripe', scheme: stripeStyle({ header: 'x-sig' }), own: secret, options: ['--header', 'x-sig'] },
  ])('tries a route with $name', async ({ name, scheme, own, options }) => {
    const { app, port } = await startWebhookApp('express', {
      controllers: [WebhooksController],
      payments: [paymentsOptions({ scheme, secrets: [own] })],
    });
    open.push(() => app.close());
    environment['PAYMENTS_WEBHOOK_SECRET'] = own;
    const url = `http://127.0.0.1:${port}/webhooks/payments`;
    const { code, checks } = await doctor('--webhook', url, '--scheme', name, ...options);
    expect(code).toBe(0);
    expect(checks.get('Webhook route, good event')?.state).toBe('ok');
    expect(checks.get('Webhook route, stale event')?.detail).toBe('refused with 401');
  });

  it('finds a route that takes everything', async () => {
    const taker = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(taker, 'listening');
    open.push(() => taker.close());
    const { code, checks } = await doctor(
      '--webhook',
      `http://127.0.0.1:${(taker.address() as AddressInfo).port}/`,
    );
    expect(code).toBe(1);
    for (const kind of ['unsigned', 'altered']) {
      expect(checks.get(`Webhook route, ${kind} event`)).toMatchObject({
        state: 'failed',
        detail: 'taken with 200: anyone could report payments',
      });
    }
  });

  it('finds another secret, a wrong path and an application that is down', async () => {
    const { app, port } = await startWebhookApp('express', { controllers: [WebhooksController] });
    const at = (path: string): string[] => ['--webhook', `http://127.0.0.1:${port}/${path}`];
    const name = 'Webhook route, good event';
    const strange = await doctor(...at('webhooks/payments'), '--secret', 'another-secret-of-16-bytes');
    expect(strange.checks.get(name)).toMatchObject({
      state: 'failed',
      detail: 'answered 401 instead of 200',
    });
    expect(strange.checks.get(name)?.fix).toContain('PAYMENTS_WEBHOOK_SECRET');
    expect((await doctor(...at('hooks'))).checks.get(name)?.fix).toContain('no such route');
    await app.close();
    expect((await doctor(...at('webhooks/payments'))).checks.get(name)?.detail).toContain(
      'nothing listens at',
    );
  });

  it('finds missing and unfit packages and says what to install', async () => {
    installProject({ '@nestjs/common': '10.4.0' });
    for (const name of ['rxjs', 'axios']) rmSync(join(folder, 'node_modules', name), { recursive: true });
    const { code, checks } = await doctor();
    expect(code).toBe(1);
    expect(checks.get('Packages')).toEqual({
      name: 'Packages',
      state: 'failed',
      detail:
        '@nestjs/common 10.4.0 is not in ^12.0.0, which fits @nestjs/core 12.5.1; rxjs is missing; axios is missing',
      fix: 'npm install @nestjs/common@^12.0.0 rxjs@^7.8.0 axios@^1.3.1',
    });
  });

  it('finds packages of Nest 12 beside Nest 11, in the words of the package manager in use', async () => {
    installProject({ '@nestjs/core': '11.2.10', '@nestjs/common': '11.2.10' });
    writeFileSync(join(folder, 'pnpm-lock.yaml'), '');
    const { code, checks } = await doctor();
    expect(code).toBe(1);
    expect(checks.get('Packages')).toMatchObject({
      detail:
        '@nestjs/axios 12.0.1 is not in ^4.0.0, which fits @nestjs/core 11.2.10; @nestjs/config 12.0.1 is not in ^4.0.0, which fits @nestjs/core 11.2.10',
      fix: 'pnpm add @nestjs/axios@^4.0.0 @nestjs/config@^4.0.0',
    });
  });

  it("asks for Yarn if Yarn's Plug'n'Play keeps the packages", async () => {
    install('.', {
      dependencies: { '@nestjs/core': '12.5.1', 'nestjs-payments': '0.1.0' },
      packageManager: 'yarn@4.9.0',
    });
    writeFileSync(join(folder, '.pnp.cjs'), '');
    const { code, checks } = await doctor();
    expect(code).toBe(1);
    expect(checks.get('Packages')).toMatchObject({
      state: 'failed',
      fix: 'Run it with Yarn: yarn nestjs-payments doctor',
    });
  });

  it('looks at the chosen application of a workspace, in its folder and with its .env', async () => {
    installProject();
    install('.', { workspaces: ['apps/*'] });
    for (const name of ['shop', 'office']) {
      install(`apps/${name}`, { name, dependencies: { '@nestjs/core': '12.5.1' } });
      mkdirSync(join(folder, 'apps', name, 'src'));
      writeFileSync(join(folder, 'apps', name, 'src', 'main.ts'), "import '@nestjs/core';");
    }
    writeFileSync(join(folder, 'apps', 'shop', '.env'), 'PAYMENTS_TIMEOUT_MS=5000');
    expect((await doctor()).checks.get('Packages')).toMatchObject({
      state: 'skipped',
      fix: 'Choose one: write --project office or --project shop.',
    });
    for (const project of ['shop', 'apps/shop']) {
      const { checks } = await doctor('--project', project);
      expect(checks.get('Packages')?.state).toBe('ok');
      expect(checks.get('Timeout')?.detail).toBe('5000 ms');
    }
    rmSync(join(folder, 'node_modules/rxjs'), { recursive: true });
    expect((await doctor('--project', 'shop')).checks.get('Packages')?.fix).toBe(
      'cd apps/shop && npm install rxjs@^7.8.0',
    );
  });

  it('finds a second copy of Nest, below a package and through a link', async () => {
    installProject();
    install('.', { dependencies: { '@nestjs/common': '12.5.1', shop: '1.0.0', linked: '1.0.0' } });
    install('node_modules/shop', {
      name: 'shop',
      version: '1.0.0',
      peerDependencies: { '@nestjs/common': '*' },
    });
    install('elsewhere/linked', {
      name: 'linked',
      version: '1.0.0',
      dependencies: { '@nestjs/common': '*' },
    });
    symlinkSync(join(folder, 'elsewhere/linked'), join(folder, 'node_modules/linked'));
    expect((await doctor()).checks.get('One copy')).toBeUndefined();
    install('elsewhere/node_modules/@nestjs/common', { name: '@nestjs/common', version: '11.2.10' });
    const { code, checks } = await doctor();
    expect(code).toBe(1);
    expect(checks.get('One copy')).toMatchObject({ state: 'failed' });
    expect(checks.get('One copy')?.detail).toMatch(
      /^@nestjs\/common is installed 2 times: 12\.5\.1 in node_modules\/@nestjs\/common, 11\.2\.10 in elsewhere\//,
    );
  });

  it('reads .env, which counts less than the environment, and finds a misspelled name', async () => {
    writeFileSync(
      join(folder, '.env'),
      Object.entries(environment)
        .map(([name, value]) => `${name}=${value ?? ''}`)
        .join('\n'),
    );
    environment = { PAYMENTS_API_KEY: 'pk_live_key', PAYMENTS_API_SECERT: 'sk_live_never_shown' };
    const { checks, stdout } = await doctor();
    expect(checks.get('Address and keys')?.detail).toContain('belongs to the other environment');
    expect(checks.get('Variables')?.state).toBe('ok');
    writeFileSync(join(folder, '.env'), '');
    const { checks: without } = await doctor();
    expect(without.get('Variables')?.detail).toContain(
      'PAYMENTS_API_SECERT is not read: did you mean PAYMENTS_API_SECRET?',
    );
    expect(stdout).not.toContain('never_shown');
  });

  it('looks for .env in the project, and for a named file in the working directory', async () => {
    mkdirSync(join(folder, 'shop'));
    writeFileSync(join(folder, 'shop', '.env'), 'PAYMENTS_API_KEY=sk_test_swapped\n');
    writeFileSync(join(folder, 'named'), 'PAYMENTS_API_KEY=pk_test_demo\n');
    delete environment['PAYMENTS_API_KEY'];
    const project = ['--project', 'shop'];
    expect((await doctor(...project)).checks.get('Address and keys')?.detail).toContain('swapped');
    expect((await doctor(...project, '--dotenv', 'named')).checks.get('Address and keys')?.state).toBe('ok');
  });

  it.each([
    { change: { PAYMENTS_API_KEY: 'sk_test_demo' }, args: [], name: 'Address and keys', detail: 'swapped' },
    { change: {}, args: ['--environment', 'production'], name: 'Address and keys', detail: 'is a key for' },
    {
      change: { PAYMENTS_BASE_URL: 'http://127.0.0.1/api' },
      args: [],
      name: 'Address and keys',
      detail: '/api/v1',
    },
    { change: { PAYMENTS_TIMEOUT_MS: '30s' }, args: [], name: 'Timeout', detail: 'whole number' },
    {
      change: { PAYMENTS_WEBHOOK_SECRET: 'short' },
      args: [],
      name: 'Webhook secret',
      detail: 'shorter than',
    },
    {
      change: { PAYMENTS_API_SECRET: 'sk_test_other' },
      args: [],
      name: 'Keys at the gateway',
      detail: 'refused with 401',
    },
    {
      change: { PAYMENTS_BASE_URL: 'http://127.0.0.1:9/api/v1' },
      args: [],
      name: 'Gateway',
      detail: 'connecting failed: nothing listens',
    },
    {
      change: { PAYMENTS_BASE_URL: 'http://no-such-host.invalid/api/v1' },
      args: [],
      name: 'Gateway',
      detail: 'DNS failed',
    },
  ])('finds $detail', async ({ change, args, name, detail }) => {
    Object.assign(environment, change);
    const { code, checks } = await doctor(...args);
    expect(code).toBe(1);
    expect(checks.get(name)).toMatchObject({ state: 'failed' });
    expect(checks.get(name)?.detail).toContain(detail);
    expect(checks.get(name)?.fix).toMatch(/\S/);
  });

  it('names the option of the command line that asks for another environment', async () => {
    const { checks } = await doctor('--environment', 'production');
    expect(checks.get('Address and keys')?.fix).toMatch(/pk_live_, or leave --environment out\.$/);
  });

  it('says on a line of its own what to do about each of several wrong variables, by option', async () => {
    Object.assign(environment, { PAYMENTS_BASE_URL: 'gateway', PAYMENTS_API_KEY: '' });
    const { checks } = await doctor();
    expect(checks.get('Address and keys')?.detail).toMatch(/`apiKey` is missing; .*`baseUrl` is not an http/);
    const human = await runProcess(['doctor'], { folder, environment });
    const [, below = ''] = human.stdout.split('✖ Address and keys: ');
    expect(below.split('\n').slice(1, 4)).toEqual([
      expect.stringMatching(/^ {4}→ apiKey: write the value that starts with pk_test_/),
      expect.stringMatching(/^ {4}→ baseUrl: write for example https:/),
      expect.not.stringContaining('→'),
    ]);
  });

  it('needs no PAYMENTS_API_SECRET with --auth bearer, and sends the key as a token', async () => {
    const seen: (string | undefined)[] = [];
    await gateway(({ headers }, response) => {
      seen.push(headers.authorization);
      const data = { balance: '9.00', available_balance: '9.00', locked_balance: '0.00', currency: 'TZS' };
      response.end(JSON.stringify({ status: 'success', data }));
    });
    delete environment['PAYMENTS_API_SECRET'];
    const { code } = await doctor('--auth', 'bearer');
    expect(code).toBe(0);
    expect(seen).toEqual(['Bearer pk_test_demo']);
  });

  it('finds a clock that is far from the gateway, and something that is no gateway', async () => {
    await gateway((_, response) => {
      response.setHeader('date', new Date(Date.now() + 3_600_000).toUTCString());
      response.end('<html>hello</html>');
    });
    const { checks } = await doctor();
    expect(checks.get('Clock')?.detail).toMatch(/^\d+ s behind the gateway's$/);
    expect(checks.get('Keys at the gateway')?.detail).toBe('answered 200 without a balance');
  });

  it('follows no redirect with the keys', async () => {
    let calls = 0;
    await gateway((_, response) => {
      calls += 1;
      response.writeHead(302, { location: '/api/v1/elsewhere' }).end();
    });
    const { checks } = await doctor();
    expect(checks.get('Keys at the gateway')?.detail).toContain('answered 302');
    expect(calls).toBe(1);
  });
});
