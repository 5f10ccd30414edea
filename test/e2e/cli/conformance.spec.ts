import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import {
  bundleCli,
  CliProcess,
  environmentOf,
  type FinishedCli,
  runCommand,
} from '../../support/cli-process.js';

const PHONE = '255712345678';
const ACCOUNT = '0150000000999';
const HOLDER = 'Asha Mushi';
const COMMAND = [
  'conformance',
  ...['--phone', PHONE, '--partner-phone', PHONE, '--recipient-phone', PHONE, '--network', 'NET_ONE'],
  ...['--bank-code', 'BSB', '--long-bank-code', 'BAOBAB_SAVINGS', '--bank-account', ACCOUNT],
  ...['--account-name', HOLDER, '--unknown-account', '1', '--max-amount', '5000'],
] as const;

let sandbox: PaymentsSandbox;
let folder: string;

beforeAll(bundleCli);
beforeEach(async () => {
  sandbox = await PaymentsSandbox.start({ clock: 'manual' });
  folder = mkdtempSync(join(tmpdir(), 'payments-conformance-'));
});
afterEach(async () => {
  await sandbox.stop();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]): Promise<FinishedCli> =>
  runCommand([...COMMAND, ...args], { folder, environment: environmentOf(sandbox) });
const fileText = (name: string): string => readFileSync(join(folder, name), 'utf8');

describe('nestjs-payments conformance', () => {
  it('says what it would ask, and what that could cost, and sends nothing', async () => {
    const { code, stdout } = await run('--plan');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^question +requests +money in +money out\n/);
    expect(stdout).toMatch(/same key, same request +3 +3\.00/);
    expect(stdout).toMatch(
      /\n\d+ requests at most, with at most TZS \d+\.\d\d in and TZS \d+\.\d\d out, plus the gateway's fees of up to \d+ collections and \d+ payouts\. Nothing was sent\.\n/,
    );
    expect(stdout).toMatch(new RegExp(`\nThe run would ask ${new URL(sandbox.baseUrl).origin}\\.\n$`));
    expect(sandbox.requests()).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says the same as one JSON document', async () => {
    const { code, stdout } = await run('--plan', '--json');
    expect(code).toBe(0);
    const plan = JSON.parse(stdout) as { requests: number; questions: readonly object[] };
    expect(plan).toMatchObject({
      gateway: new URL(sandbox.baseUrl).origin,
      moneyIn: expect.any(String) as string,
    });
    expect(plan.questions).toContainEqual({
      question: 'same key, same request',
      requests: 3,
      moneyIn: '3.00',
      moneyOut: '0.00',
    });
    expect(plan.questions).toContainEqual(
      expect.objectContaining({ requests: 0, leftOut: expect.any(String) as string }),
    );
    const [, most] = /(\d+) requests at most/.exec((await run('--plan')).stdout) ?? [];
    expect(plan.requests).toBe(Number(most));
    expect(stdout).not.toMatch(new RegExp(`${PHONE}|${ACCOUNT}|${HOLDER}`));
    expect(sandbox.requests()).toEqual([]);
  });

  it('sends no more than the plan says', async () => {
    const { stdout } = await run('--plan');
    const [, most] = /(\d+) requests at most/.exec(stdout) ?? [];
    await run();
    expect(sandbox.requests().length).toBeGreaterThan(20);
    expect(sandbox.requests().length).toBeLessThanOrEqual(Number(most));
  });

  it('writes what it learnt, a report and a letter, without anything personal or secret', async () => {
    const { code, stdout, stderr } = await run(
      '--out',
      'gateway.json',
      '--report',
      'r.html',
      '--letter',
      'l.md',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^held +DUPLICATE_REQUEST for the same key and collection\b/m);
    // Not at every line: an id with nine digits in a row could be a phone number, and is not kept.
    expect(stdout).toMatch(/^held .* request_id [\w-]+$/m);
    expect(stdout).toMatch(/^silent .*question \d+ in the letter$/m);
    const profile = JSON.parse(fileText('gateway.json')) as { facts: Record<string, unknown> };
    expect(profile.facts).toMatchObject({
      'repeated key': 'DUPLICATE_REQUEST',
      'status of DUPLICATE_REQUEST': 409,
      'shape of DUPLICATE_REQUEST': 'B',
      bearer: 'accepted',
    });
    expect(fileText('r.html')).toContain('<h2 class="learnt">Learnt</h2>');
    expect(fileText('l.md')).toContain('Ndugu timu ya msaada,');
    const files = readdirSync(folder);
    expect(files.length).toBe(4);
    for (const text of [...files.map(fileText), stdout, stderr]) {
      expect(text).not.toMatch(new RegExp(`${PHONE}|${ACCOUNT}|${HOLDER}|sk_test_demo|pk_test_demo`));
    }
    const journal = files.find((name) => name.endsWith('.jsonl')) ?? '';
    expect(statSync(join(folder, journal)).mode & 0o777).toBe(0o600);
  });

  it('finds in a later run that nothing has changed, or what has', async () => {
    await run('--out', 'gateway.json');
    const same = await run('--check', 'gateway.json');
    expect(same.code).toBe(0);
    expect(same.stdout).toMatch(/^Nothing has changed: (\d+) of \1 facts could be compared\.$/m);
    const profile = JSON.parse(fileText('gateway.json')) as { facts: object };
    const other = { ...profile, facts: { ...profile.facts, 'repeated key': 'first answer' } };
    const changed = await PaymentsSandbox.start({ clock: 'manual', profile: other as never });
    try {
      const found = await runCommand([...COMMAND, '--check', 'gateway.json'], {
        folder,
        environment: environmentOf(changed),
      });
      expect(found.code).toBe(1);
      expect(found.stdout).toMatch(
        /^changed +what the same request with the same key gives: DUPLICATE_REQUEST before, first answer now$/m,
      );
      expect(found.stdout).toContain('1 fact has changed: ');
    } finally {
      await changed.stop();
    }
  });

  it('compares no answers of a run that has ended', async () => {
    await run('--journal', 'run.jsonl', '--out', 'gateway.json');
    const sent = sandbox.requests().length;
    const { code, stderr } = await run('--journal', 'run.jsonl', '--check', 'gateway.json');
    expect(code).toBe(2);
    expect(stderr).toContain('name a new file with --journal');
    expect(sandbox.requests().length).toBe(sent);
  });

  it('fails if nothing could be compared, and tells comparisons as lines of JSON', async () => {
    await run('--out', 'gateway.json');
    const check = (...args: string[]): Promise<FinishedCli> =>
      runCommand(['conformance', '--check', 'gateway.json', ...args], {
        folder,
        environment: environmentOf(sandbox),
      });
    const lines = (await check('--json')).stdout.trim().split('\n');
    const { comparison } = lines.map((line) => JSON.parse(line) as { comparison?: object }).at(-1) ?? {};
    expect(comparison).toMatchObject({ changed: 0 });
    // A gateway that fails says nothing.
    const failing = createServer((_, response) => response.writeHead(503).end()).listen(0, '127.0.0.1');
    await once(failing, 'listening');
    const { port } = failing.address() as AddressInfo;
    const nothing = await runCommand(['conformance', '--check', 'gateway.json'], {
      folder,
      environment: { ...environmentOf(sandbox), PAYMENTS_BASE_URL: `http://127.0.0.1:${port}/api/v1` },
    });
    failing.close();
    expect(nothing.code).toBe(1);
    expect(nothing.stdout).toMatch(/^Nothing could be compared: 0 of \d+ facts\.$/m);
  });

  it('plans whatever files there are', async () => {
    expect((await run('--plan', '--out', 'nowhere/x.json', '--check', 'nothing.json')).code).toBe(0);
  });

  it('ends at once if the gateway cannot be reached, and begins again at the right address', async () => {
    const environment = { ...environmentOf(sandbox), PAYMENTS_BASE_URL: 'http://127.0.0.1:1/api/v1' };
    const { code, stdout, stderr } = await runCommand(COMMAND, { folder, environment });
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('http://127.0.0.1:1 cannot be reached, and nothing was sent');
    expect((await run()).code).toBe(0);
    expect(sandbox.requests().length).toBeGreaterThan(20);
  });

  it('refuses live keys before anything is sent', async () => {
    const environment = {
      ...environmentOf(sandbox),
      PAYMENTS_API_KEY: 'pk_live_shop',
      PAYMENTS_API_SECRET: 'sk_live_shop',
    };
    const { code, stderr } = await runCommand(COMMAND, { folder, environment });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/test keys/);
    expect(sandbox.requests()).toEqual([]);
  });

  it.each([
    [['--report', 'report.pdf'], '--report must end with .md or .html.'],
    [['--max-amount', 'much'], '--max-amount must be an amount of TZS'],
    [['--listen', '8080'], 'Write --listen and --public-url'],
    [['--phone', '0712345678'], '--phone is no phone number as the gateway writes it'],
    [['--recipient-phone', '+255712345678'], '--recipient-phone is no phone number'],
    [['--bank-code', ''], '--bank-code is empty'],
    [['--out', 'nowhere/gateway.json'], 'The folder of --out does not exist'],
    [['--letter', 'one.md', '--report', 'one.md'], 'name one file'],
    [['--journal', 'one.md', '--report', 'one.md'], '--report and --journal name one file'],
    [['--public-url', 'https://shop.example/hooks'], 'Write --listen and --public-url'],
    [['--check', 'nothing.json'], '--check cannot be read (ENOENT)'],
  ])('refuses a wrong command line %j, and sends nothing', async (args, problem) => {
    const surroundings = { folder, environment: environmentOf(sandbox) };
    const { code, stderr } = await runCommand(['conformance', ...args], surroundings);
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
    expect(sandbox.requests()).toEqual([]);
  });

  it('overwrites no file, and sends nothing then', async () => {
    await run('--letter', 'letter.md');
    const sent = sandbox.requests().length;
    const { code, stderr } = await run('--letter', 'letter.md');
    expect(code).toBe(2);
    expect(stderr).toContain('--letter exists already, and nothing was sent');
    expect(sandbox.requests().length).toBe(sent);
  });

  it('stops after the request under way, and continues where it was', async () => {
    const command = new CliProcess(COMMAND, { folder, environment: environmentOf(sandbox) });
    await command.until('stderr', /asked: [^\n]+\n.*asked: /);
    const stopped = await command.stop('SIGINT');
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toContain('the same command continues');
    expect(existsSync(join(folder, 'conformance.jsonl'))).toBe(true);
    const before = sandbox.requests().length;
    const { code, stdout } = await run('--plan');
    expect(code).toBe(0);
    const [, most] = /(\d+) requests at most/.exec(stdout) ?? [];
    expect(before).toBeLessThan(Number(most));
    expect((await run()).code).toBe(0);
    expect(sandbox.requests().length).toBeLessThanOrEqual(Number(most));
    expect(existsSync(join(folder, 'conformance.jsonl'))).toBe(false);
  });

  it('says before the first request whom it asks, what that costs at most, and what is missing for webhooks', async () => {
    const { PAYMENTS_WEBHOOK_SECRET: _, ...environment } = environmentOf(sandbox);
    const listening = [
      '--listen',
      '0',
      '--public-url',
      'http://shop.example/hooks?token=hidden',
      '--wait',
      '1s',
    ];
    const { code, stderr } = await runCommand(['conformance', '--phone', PHONE, ...listening], {
      folder,
      environment,
    });
    expect(code).toBe(0);
    const [first, second, third] = stderr.split('\n');
    expect(first).toBe(
      `Asking ${new URL(sandbox.baseUrl).origin} with test keys, at most TZS 0.00 in and TZS 0.00 out.`,
    );
    expect(second).toContain('PAYMENTS_WEBHOOK_SECRET is not set');
    expect(third).toMatch(/^Webhooks are heard on port \d+: .* http:\/\/shop\.example\/hooks$/);
    expect(stderr).not.toContain('hidden');
  });

  it('learns how webhooks are signed from those of its own payments', async () => {
    const port = await freePort();
    sandbox.deliverTo(`http://127.0.0.1:${port}/hooks`);
    // The customer approves whatever comes.
    sandbox.on('payment', ({ reference, status }) => {
      if (status === 'pending') void sandbox.customer(PHONE).approve(reference);
    });
    const listening = ['--listen', String(port), '--public-url', 'http://shop.example/hooks', '--wait', '1s'];
    const { code, stdout } = await run(...listening, '--out', 'gateway.json');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^learnt .*webhooks\.scheme$/m);
    const { webhooks } = JSON.parse(fileText('gateway.json')) as { webhooks?: object };
    expect(webhooks).toMatchObject({ header: 'x-webhook-signature', algorithm: 'sha256', encoding: 'hex' });
    expect(stdout).not.toContain(sandbox.webhookSecret);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
