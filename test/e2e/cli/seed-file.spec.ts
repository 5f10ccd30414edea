import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { bundleCli, CliProcess, runCommand, runProcess } from '../../support/cli-process.js';
import { seedFileSchema } from '../../support/seed-file-schema.js';

const EXAMPLE =
  /```yaml\n(# yaml-language-server[^]*?)```/.exec(readFileSync('docs/sandbox.md', 'utf8'))?.[1] ?? '';

let folder: string;
let running: CliProcess[];

beforeAll(bundleCli);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'seed-file-'));
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((cli) => cli.stop('SIGKILL')));
  rmSync(folder, { recursive: true });
});

function write(text: string): void {
  writeFileSync(join(folder, 'shop.yaml'), text);
}

async function start(...args: string[]) {
  const cli = new CliProcess(['sandbox', '--port', '0', '--json', '--seed-file', 'shop.yaml', ...args], {
    folder,
  });
  running.push(cli);
  const [line = ''] = await cli.until('stdout', /.*"ready".*\n/);
  const ready = JSON.parse(line) as Readonly<Record<string, string>>;
  const control = async (path: string, method = 'GET') => {
    const headers = { 'content-type': 'application/json' };
    const url = `${ready['page']}_sandbox/v1/${path}`;
    const response = await fetch(url, { method, headers, ...(method === 'POST' && { body: '{}' }) });
    return (await response.json()) as { readonly items: readonly Readonly<Record<string, unknown>>[] };
  };
  return { cli, ready, control };
}

/** What the command says about a file. */
async function refusal(text: string): Promise<string> {
  write(text);
  const { code, stderr } = await runCommand(['sandbox', '--port', '0', '--seed-file', 'shop.yaml'], {
    folder,
  });
  expect(code).toBe(2);
  return stderr.split('\n\nUsage:')[0] ?? '';
}

describe('nestjs-payments sandbox --seed-file', () => {
  it('begins with the example of the documents', async () => {
    write(EXAMPLE);
    const { ready, control } = await start();
    expect(ready['PAYMENTS_API_KEY']).toBe('pk_test_shop');
    const [payments, payouts] = [await control('payments'), await control('payouts')];
    const statuses = [...payments.items, ...payouts.items].map(({ reference, status }) => [
      reference,
      status,
    ]);
    expect(Object.fromEntries(statuses)).toEqual({
      'order-1': 'success',
      'order-2': 'failed',
      'order-3': 'pending',
      'salary-1': 'paid',
      'refund-1': 'processing',
    });
    expect((await control('balance')).items).toMatchObject([
      { merchant: 'shop', available_balance: 250_000 },
    ]);
    expect((await control('faults')).items).toMatchObject([{ kind: 'status', left: 2 }]);
    expect((await control('webhooks/endpoints')).items).toMatchObject([
      { merchant: 'shop', events: ['payment.success', 'payment.failed'] },
    ]);
  });

  it('has a JSON Schema that takes the example of the documents', () => {
    const isInSchema = new Ajv2020({ strict: false, validateFormats: false }).compile(seedFileSchema);
    expect(isInSchema(parse(EXAMPLE, { merge: true }))).toBe(true);
  });

  it('counts only for a folder without a state', async () => {
    write(EXAMPLE);
    const first = await start('--data', 'state');
    await first.control('payments/order-3/approve', 'POST');
    await first.cli.stop('SIGKILL');
    write(EXAMPLE.replace('order-1', 'order-9').replace('shop:', 'other:'));
    const again = await start('--data', 'state');
    const { items } = await again.control('payments');
    expect(items.map(({ reference, status }) => [reference, status])).toEqual(
      expect.arrayContaining([
        ['order-1', 'success'],
        ['order-3', 'success'],
      ]),
    );
    expect(items).toHaveLength(3);
  });

  it('is taken by sandbox exec too', async () => {
    write('merchants: { shop: {} }');
    const script = 'process.stdout.write(process.env.PAYMENTS_API_KEY)';
    const args = ['sandbox', 'exec', '--seed-file', 'shop.yaml', '--', process.execPath, '-e', script];
    expect(await runProcess(args, { folder })).toMatchObject({ code: 0, stdout: 'pk_test_shop' });
  });

  it('prints where webhooks go, also at the next start with the same folder', async () => {
    write(`merchants:
  shop: { webhooks: [{ url: 'http://127.0.0.1:3000/of/shop' }] }
  quiet: { webhooks: [{ url: 'http://127.0.0.1:3000/of/quiet', enabled: false }] }
webhooks: [{ url: 'http://127.0.0.1:3000/shared' }]
`);
    const lines =
      /Webhooks go to http:\/\/127\.0\.0\.1:3000\/shared\nWebhooks of shop go to http:\/\/127\.0\.0\.1:3000\/of\/shop\n/;
    for (const args of [['--seed-file', 'shop.yaml'], []]) {
      const cli = new CliProcess(['sandbox', '--port', '0', '--data', 'state', ...args], { folder });
      running.push(cli);
      await cli.until('stderr', /Ctrl-C ends it/);
      expect(cli.stderr).toMatch(lines);
      expect(cli.stderr).not.toMatch(/nowhere|of quiet/);
      await cli.stop('SIGTERM');
    }
  });

  it.each([
    [
      'an unknown key',
      'merchants:\n  shop:\n    balence: 5',
      "shop.yaml:3:5: merchants.shop.balence is no key here. Did you mean 'balance'? Write one of balance, directory, webhooks, payments, payouts.",
    ],
    [
      'a wrong word',
      'clock: manual\nprofile: documentd',
      "shop.yaml:2:10: profile must be one of documented, adversarial. Did you mean 'documented'?",
    ],
    [
      'a key that is missing',
      'webhooks:\n  - enabled: true',
      'shop.yaml:2:5: webhooks[0] needs the key url.',
    ],
    [
      'a value behind an anchor',
      'x-a: &a\n  url: 7\nwebhooks:\n  - *a',
      'shop.yaml:2:8: webhooks[0].url must be text: write it in quotes.',
    ],
    [
      'a value that is merged',
      'x-a: &a { status: 7 }\nfaults:\n  - { <<: *a, operation: GET /merchant-balance, kind: hang }',
      'shop.yaml:1:19: faults[0].status must be a whole number from 200 to 599.',
    ],
    [
      'a number as a key',
      'directory:\n  0123456789: Asha',
      'shop.yaml:2:3: directory[0] is a number: write the key in quotes.',
    ],
    [
      'YAML that is none',
      'clock: [',
      'shop.yaml:1:9: Flow sequence in block collection must be sufficiently indented and end with a ].',
    ],
    ['a key that stands twice', 'seed: 1\nseed: 2', 'shop.yaml:2:1: Map keys must be unique.'],
    [
      'what the emulator refuses',
      'merchants:\n  shop:\n    payouts:\n      - reference: a\n        amount: 1',
      'shop.yaml:4:9: merchants.shop.payouts[0] needs either bank_code and account_number, or recipient_phone.',
    ],
    [
      'an address of another machine',
      'webhooks:\n  - url: http://example.com/',
      'shop.yaml:2:5: webhooks[0] is refused: The webhook address is not on this machine: write a loopback address, or start the sandbox with allowRemote: true (--allow-remote).',
    ],
  ])('says where there is %s', async (_, text, expected) => {
    expect((await refusal(text)).split('\n')[0]).toBe(expected);
  });

  it('shows no secret, name or number of the file', async () => {
    const said = await refusal(
      "webhookSecret: [top-secret]\ndirectory:\n  '255712345678': [Asha]\n  Neema: 1\nseed: 'x y",
    );
    expect(said).not.toMatch(/top-secret|255712345678|Asha|Neema|x y/);
    expect(said).toContain('shop.yaml:5');
  });

  it('names a file that cannot be read', async () => {
    const { code, stderr } = await runCommand(['sandbox', '--seed-file', 'nowhere.yaml'], { folder });
    expect([code, stderr.split('\n')[0]]).toEqual([
      2,
      '--seed-file cannot be read (ENOENT): name a YAML file such as shop.yaml.',
    ]);
  });
});
