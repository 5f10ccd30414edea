import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFile, spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHmac } from 'node:crypto';
import { paymentEvent } from 'nestjs-payments/testing';
import { secret, startWebhookApp } from '../../support/webhook-app.js';
import { bundleCli, type FinishedCli, runProcess } from '../../support/cli-process.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

const TIMED = ['--payload', 'v0:{timestamp}:{body}', '--timestamp-header', 'x-time', '--prefix', 'v0='];
const BODY = '{"event":"payment.success","note":"kahawa ☕"}';
const withCurl = spawnSync('curl', ['--version']).status === 0 ? it : it.skip;
let folder: string;

beforeAll(async () => {
  await bundleCli();
  folder = mkdtempSync(join(tmpdir(), 'payments-sign-'));
  writeFileSync(join(folder, 'event.json'), BODY);
  writeFileSync(join(folder, '.env'), `PAYMENTS_WEBHOOK_SECRET=${secret}\n`);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function run(args: readonly string[], input?: string): Promise<FinishedCli> {
  return runProcess(args, { folder, ...(input === undefined ? {} : { input }) });
}

function mac(algorithm: string, key: string | Uint8Array, ...parts: string[]) {
  return createHmac(algorithm, key).update(parts.join(''));
}

describe('nestjs-payments sign', () => {
  it('prints the headers that an independent computation gives, with the secret of .env', async () => {
    expect(await run(['sign', 'event.json'])).toEqual({
      code: 0,
      stderr: '',
      stdout: `content-type: application/json\nx-webhook-signature: ${mac('sha256', secret, BODY).digest('hex')}\n`,
    });
  });

  it('signs stdin, time and other headers, in the form that the options describe', async () => {
    const options = [
      '--payload',
      'v1.{x-tenant}.{timestamp}.{body}',
      '-H',
      'X-Tenant: duka',
      '--timestamp-header',
      'x-time',
    ];
    const more = [
      '--algorithm',
      'sha512',
      '--encoding',
      'base64',
      '--prefix',
      'sig=',
      '--header',
      'x-sig',
      '--at',
      '1700000000',
    ];
    const { stdout } = await run(['sign', ...options, ...more], BODY);
    expect(stdout.trim().split('\n').sort()).toEqual(
      [
        'content-type: application/json',
        'x-tenant: duka',
        'x-time: 1700000000',
        `x-sig: sig=${mac('sha512', secret, 'v1.duka.1700000000.', BODY).digest('base64')}`,
      ].sort(),
    );
  });

  it('reads a secret in the encoding that it is written in', async () => {
    const key = Buffer.from('0123456789abcdef0123456789abcdef', 'hex');
    const { stdout } = await run([
      'sign',
      'event.json',
      '--secret',
      key.toString('hex'),
      '--secret-encoding',
      'hex',
    ]);
    expect(stdout).toContain(mac('sha256', key, BODY).digest('hex'));
  });

  withCurl(
    'prints a curl command (skipped if curl is not installed) that a real application takes, with a file and with stdin',
    async () => {
      const { app, port } = await startWebhookApp('fastify', { controllers: [WebhooksController] });
      try {
        const event = JSON.stringify(
          paymentEvent('payment.success', { customer_name: "Asha O'Mrema $(id) `x`" }),
        );
        writeFileSync(join(folder, 'quoted.json'), event);
        const to = ['--curl', `http://127.0.0.1:${port}/webhooks/payments`];
        for (const signed of [await run(['sign', 'quoted.json', ...to]), await run(['sign', ...to], event)]) {
          expect(signed.stdout).toContain('curl ');
          const command = `${signed.stdout.trim()} -s -o /dev/null -w '%{http_code}'`;
          expect(await shell(command)).toBe('200');
        }
      } finally {
        await app.close();
      }
    },
  );
});

describe('nestjs-payments verify', () => {
  it.each([[[]], [TIMED], [['--id-header', 'x-id', '--payload', '{id}.{body}']]])(
    'takes what sign made with %j',
    async (options) => {
      writeFileSync(join(folder, 'headers.txt'), (await run(['sign', 'event.json', ...options])).stdout);
      expect(await run(['verify', 'event.json', '-H', '@headers.txt', ...options])).toEqual({
        code: 0,
        stdout: '✔ The signature is right.\n',
        stderr: '',
      });
    },
  );

  it('takes one of several secrets, as while rotating', async () => {
    const header = `x-webhook-signature: ${mac('sha256', secret, BODY).digest('hex')}`;
    const environment = { PAYMENTS_WEBHOOK_SECRET: `another-secret-of-16-bytes,${secret}` };
    expect((await runProcess(['verify', '-H', header], { environment, input: BODY })).code).toBe(0);
  });

  it('reads the headers out of a captured request', async () => {
    const signature = mac('sha256', secret, BODY).digest('hex');
    writeFileSync(
      join(folder, 'captured.txt'),
      `POST /hook HTTP/1.1\r\nHost: shop\r\nX-Webhook-Signature: ${signature}\r\n\r\n`,
    );
    expect((await run(['verify', 'event.json', '-H', '@captured.txt'])).code).toBe(0);
  });

  it('refuses an old delivery, and takes it with --at the time that it came', async () => {
    writeFileSync(
      join(folder, 'old.txt'),
      (await run(['sign', 'event.json', ...TIMED, '--at', '1700000000'])).stdout,
    );
    const late = await run(['verify', 'event.json', '-H', '@old.txt', ...TIMED]);
    expect(late.code).toBe(1);
    expect(late.stdout).toMatch(
      /✖ Refused: the timestamp is too far from now\.\nThe signature itself is right.*--at/,
    );
    expect(
      (await run(['verify', 'event.json', '-H', '@old.txt', ...TIMED, '--at', '2023-11-14T22:13:30Z'])).code,
    ).toBe(0);
  });

  it('refuses a header that came twice', async () => {
    const header = `x-webhook-signature: ${mac('sha256', secret, BODY).digest('hex')}`;
    const { code, stdout } = await run(['verify', 'event.json', '-H', header, '-H', header]);
    expect(code).toBe(1);
    expect(stdout).toContain('repeated');
  });

  it('says that nothing fits a forged one, and shows no secret', async () => {
    const header = `x-webhook-signature: ${mac('sha256', 'another-secret-of-16-bytes', BODY).digest('hex')}`;
    const { code, stdout, stderr } = await run(['verify', 'event.json', '-H', header]);
    expect(code).toBe(1);
    expect(stdout).toContain('✖ Refused: no signature matches.\nNo usual way of signing gives it');
    expect(stdout + stderr).not.toContain(secret);
  });

  it('names the options with which a delivery would be taken, and they do take it', async () => {
    const headers = `X-Time: 1700000000\nX-Sig: v0=${mac('sha512', secret, 'v0:1700000000:', BODY).digest('base64')}\n`;
    writeFileSync(join(folder, 'other.txt'), headers);
    const at = ['--at', '1700000001'];
    const { code, stdout } = await run(['verify', 'event.json', '-H', '@other.txt', ...at]);
    expect(code).toBe(1);
    const [, options = ''] = /options say: (.*)\n/.exec(stdout) ?? [];
    const words = [...options.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!);
    expect(words).toContain('sha512');
    expect((await run(['verify', 'event.json', '-H', '@other.txt', ...at, ...words])).code).toBe(0);
  });

  it('notices a line break that an editor added', async () => {
    const header = `x-webhook-signature: ${mac('sha256', secret, BODY).digest('hex')}`;
    const { code, stdout } = await run(['verify', '-H', header], `${BODY}\n`);
    expect(code).toBe(1);
    expect(stdout).toContain('that of the body without the white space at its end');
  });
});

/** Not execFileSync: the application that answers runs in this process. */
function shell(command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('sh', ['-c', command], { cwd: folder }, (error, stdout) => {
      if (error) reject(new Error(error.message));
      else resolve(stdout);
    });
  });
}
