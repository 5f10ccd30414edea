import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleCli, cliFile } from '../../support/cli-process.js';
import { composeFile } from '../../support/compose-file.js';
import { describeSkipped } from '../../support/describe-skipped.js';

const { gateway, application, args: ARGUMENTS } = composeFile();

/** Two network namespaces with a wire between them: what two containers of one Compose network are. */
const HOSTS = { gateway: '10.199.42.1', application: '10.199.42.2' } as const;
const namespaceOf = (name: keyof typeof HOSTS): string => `payments-${process.pid}-${name}`;
const ip = (...args: string[]): Buffer => execFileSync('ip', args, { stdio: ['ignore', 'pipe', 'pipe'] });

function canMakeNamespaces(): boolean {
  try {
    const name = `payments-${process.pid}-probe`;
    ip('netns', 'add', name);
    ip('netns', 'delete', name);
    return true;
  } catch {
    return false;
  }
}

/** What the application of the file does: it answers webhooks that are signed, and pays once. */
const APPLICATION = `
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
const { PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_API_SECRET, PAYMENTS_WEBHOOK_SECRET } = process.env;
createServer(async (request, response) => {
  const body = await buffer(request);
  const signature = createHmac('sha256', PAYMENTS_WEBHOOK_SECRET).update(body).digest('hex');
  const isGood = request.headers['x-webhook-signature'] === signature && request.url === '/webhooks/payments';
  response.writeHead(isGood ? 200 : 401).end();
  console.log(isGood ? JSON.parse(body).event : 'forged');
}).listen(3000, '0.0.0.0', async () => {
  const answer = await fetch(PAYMENTS_BASE_URL + '/payments/mobile-money', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': PAYMENTS_API_KEY,
      'x-api-secret': PAYMENTS_API_SECRET, 'idempotency-key': 'order-1' },
    body: JSON.stringify({ amount: 500, currency: 'TZS', reference: 'order-1', phone: '255712345678',
      customer_name: 'Asha Mrema', customer_email: 'asha@example.com' }),
  });
  console.log(answer.status, (await answer.json()).data.status);
});`;

const specs = (): void => {
  let folder: string;
  const running: ChildProcessByStdio<null, Readable, Readable>[] = [];

  beforeAll(async () => {
    await bundleCli();
    folder = mkdtempSync(join(tmpdir(), 'payments-containers-'));
    const names = ['gateway', 'application'] as const;
    const wires = [`pay${process.pid % 100_000}a`, `pay${process.pid % 100_000}b`] as const;
    for (const name of names) {
      ip('netns', 'add', namespaceOf(name));
      mkdirSync(`/etc/netns/${namespaceOf(name)}`, { recursive: true });
      const hosts = ['127.0.0.1 localhost', ...names.map((other) => `${HOSTS[other]} ${other}`)];
      writeFileSync(`/etc/netns/${namespaceOf(name)}/hosts`, `${hosts.join('\n')}\n`);
    }
    ip(
      'link',
      'add',
      wires[0],
      'netns',
      namespaceOf('gateway'),
      'type',
      'veth',
      'peer',
      'name',
      wires[1],
      'netns',
      namespaceOf('application'),
    );
    for (const [index, name] of names.entries()) {
      ip('-n', namespaceOf(name), 'address', 'add', `${HOSTS[name]}/24`, 'dev', wires[index]!);
      for (const device of ['lo', wires[index]!]) ip('-n', namespaceOf(name), 'link', 'set', device, 'up');
    }
  });
  afterAll(async () => {
    await Promise.all(
      running.map(async (child) => {
        const closed = once(child, 'close');
        if (child.exitCode === null && child.kill('SIGKILL')) await closed;
      }),
    );
    for (const name of ['gateway', 'application'] as const) {
      ip('netns', 'delete', namespaceOf(name));
      rmSync(`/etc/netns/${namespaceOf(name)}`, { recursive: true });
    }
    rmSync(folder, { recursive: true });
  });

  function start(name: keyof typeof HOSTS, command: readonly string[], environment = {}) {
    const child = spawn('ip', ['netns', 'exec', namespaceOf(name), ...command], {
      env: { PATH: process.env['PATH'], NO_COLOR: '1', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.push(child);
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += String(text)));
    const until = async (pattern: RegExp): Promise<void> => {
      while (!pattern.test(printed)) {
        const ended = await Promise.race([
          once(child.stdout, 'data'),
          once(child.stderr, 'data'),
          once(child, 'close').then(() => 'ended'),
        ]);
        if (ended === 'ended') throw new Error(printed);
      }
    };
    return { until, done: once(child, 'close') };
  }

  const api = async (path: string, ...more: readonly string[]): Promise<string> => {
    const args = ['netns', 'exec', namespaceOf('application'), 'curl', '-s', ...more];
    const child = spawn('ip', [...args, `http://gateway:4242${path}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let answer = '';
    child.stdout.on('data', (text) => (answer += String(text)));
    await once(child, 'close');
    return answer;
  };

  it('pays, and delivers to the application on another host, by its name', async () => {
    const emulator = start('gateway', [process.execPath, cliFile(), ...ARGUMENTS], gateway.environment);
    await emulator.until(/Ctrl-C ends it/);
    const health = start('gateway', gateway.healthcheck.test.split(' '));
    expect((await health.done)[0]).toBe(0);

    const file = join(folder, 'application.mjs');
    writeFileSync(file, APPLICATION);
    const shop = start('application', [process.execPath, file], application.environment);
    await shop.until(/200 pending/);
    const approve = [
      '/_sandbox/v1/payments/order-1/approve',
      '-H',
      'content-type: application/json',
      '-d',
      '{}',
    ] as const;
    expect(await api(...approve)).toContain('"UNAUTHORIZED"');
    const bearer = `authorization: Bearer ${gateway.environment['PAYMENTS_SANDBOX_TOKEN']!}`;
    expect(await api(...approve, '-H', bearer)).toContain('"success"');
    await shop.until(/payment\.success\n/);
    expect(await api('/_sandbox/v1/deliveries', '-H', bearer)).toMatch(/"state":"delivered"/);
  });
};

if (canMakeNamespaces()) describe('the Compose file of docs/containers.md', specs);
else
  describeSkipped('the Compose file of docs/containers.md', 'no network namespace can be made here', specs);
