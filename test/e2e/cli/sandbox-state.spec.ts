import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundleCli, CliProcess, runCommand } from '../../support/cli-process.js';
import { eventually } from '../../support/eventually.js';
import { startReceiver } from '../../support/webhook-receiver.js';

const SECRET_LINE = /PAYMENTS_WEBHOOK_SECRET=(\S+)/;

let folder: string;
let running: CliProcess[];

beforeAll(bundleCli);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-state-'));
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((cli) => cli.stop('SIGKILL')));
  rmSync(folder, { recursive: true });
});

/** Starts the emulator and gives its secret and the address of its gateway. */
async function start(args: readonly string[], environment: NodeJS.ProcessEnv = {}, at = folder) {
  const cli = new CliProcess(['sandbox', '--port', '0', '--json', ...args], {
    folder: at,
    environment,
  });
  running.push(cli);
  const [line = ''] = await cli.until('stdout', /.*"ready".*\n/);
  const ready = JSON.parse(line) as Readonly<Record<string, string>>;
  return { cli, secret: ready['PAYMENTS_WEBHOOK_SECRET'], baseUrl: ready['PAYMENTS_BASE_URL'] };
}

function post(url: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function balanceAt(baseUrl: string | undefined): Promise<unknown> {
  const headers = { 'x-api-key': 'pk_test_demo', 'x-api-secret': 'sk_test_demo' };
  const response = await fetch(`${baseUrl}/merchant-balance`, { headers });
  return ((await response.json()) as { readonly data: unknown }).data;
}

describe('the webhook secret of nestjs-payments sandbox', () => {
  it('stays after a kill with --data, and with --write-env', async () => {
    for (const args of [
      ['--data', 'state'],
      ['--write-env', '.env'],
    ]) {
      const first = await start(args);
      await first.cli.stop('SIGKILL');
      expect((await start(args)).secret).toBe(first.secret);
    }
  });

  it('stays without an option too, and is another one in another folder, for another user, and with --data', async () => {
    const home = { HOME: join(folder, 'home') };
    const first = await start([], home);
    await first.cli.stop('SIGKILL');
    const beside = await Promise.all([start([], home), start([], home)]);
    expect(beside.map(({ secret }) => secret)).toEqual([first.secret, first.secret]);
    expect(first.cli.stderr).not.toContain('another one at each start');
    const others = [
      await start([], { HOME: join(folder, 'other-home') }),
      await start(['--data', 'state'], home),
      await start(['--seed', '7'], home),
      await start([], home, mkdtempSync(join(folder, 'elsewhere-'))),
    ];
    const all = [first, ...others].map(({ secret }) => secret);
    expect(new Set(all).size).toBe(all.length);
  });

  it('is written by --write-env where the file has none', async () => {
    const home = { HOME: join(folder, 'home') };
    const first = await start([], home);
    expect((await start(['--write-env', '.env'], home)).secret).toBe(first.secret);
  });

  it.each([
    ['nobody has a home', () => ({})],
    ['the home is a file', () => ({ HOME: join(folder, 'file') })],
    ['the key is damaged', () => ({ HOME: join(folder, 'damaged') })],
  ])('is a new one where %s, and the command says so', async (_, environment) => {
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'damaged/.local/state/nestjs-payments'), { recursive: true });
    writeFileSync(join(folder, 'damaged/.local/state/nestjs-payments/webhook-secret-key'), 'x');
    const [first, second] = [await start([], environment()), await start([], environment())];
    expect(first.secret).toMatch(/^whsec_/);
    expect(second.secret).not.toBe(first.secret);
    await first.cli.until('stderr', /The webhook secret is another one at each start/);
  });

  it('is the first of PAYMENTS_WEBHOOK_SECRET, before the file of --write-env', async () => {
    await (await start(['--write-env', '.env'])).cli.stop();
    const secrets = 'the-newest-of-two-secrets,an-older-one-of-two';
    const { secret } = await start(['--write-env', '.env'], { PAYMENTS_WEBHOOK_SECRET: secrets });
    expect(secret).toBe('the-newest-of-two-secrets');
    expect(SECRET_LINE.exec(readFileSync(join(folder, '.env'), 'utf8'))?.[1]).toBe(secret);
  });

  it('is a new one where the file has only a placeholder', async () => {
    writeFileSync(
      join(folder, '.env'),
      'PAYMENTS_BASE_URL=http://127.0.0.1:1/api/v1\nPAYMENTS_WEBHOOK_SECRET=x\n',
    );
    expect((await start(['--write-env', '.env'])).secret).toMatch(/^whsec_/);
  });
});

describe('nestjs-payments sandbox --data', () => {
  it.runIf(process.platform !== 'win32')('says once why it stopped keeping its state', async () => {
    const { cli, baseUrl } = await start(['--data', 'state']);
    rmSync(join(folder, 'state', 'state.jsonl'));
    const answer = await balanceAt(baseUrl);
    expect(answer).toBeUndefined();
    await cli.until('stderr', /was removed or replaced while the sandbox used it/);
    const { code, stderr } = await cli.stop();
    expect([code, stderr.match(/was removed or replaced/g)]).toEqual([1, ['was removed or replaced']]);
  });

  it('sends what the killed process had not delivered to the new address alone', async () => {
    const [old, other] = [await startReceiver(), await startReceiver()];
    old.answerWith('never');
    const first = await start(['--data', 'state', '--forward-to', old.url]);
    const control = new URL('/_sandbox/v1', first.baseUrl).href;
    void post(`${control}/webhooks/trigger`, { event: 'payment.success' }).catch(() => undefined);
    await eventually(() => {
      expect(old.received).toHaveLength(1);
    });
    await first.cli.stop('SIGKILL');
    await start(['--data', 'state', '--forward-to', other.url]);
    await eventually(() => {
      expect(other.received).toHaveLength(1);
    });
    expect(old.received).toHaveLength(1);
    await Promise.all([old.close(), other.close()]);
  });

  it('stops and says so when another emulator took its folder over while it stood still', async () => {
    const { cli } = await start(['--data', 'state']);
    const file = join(folder, 'state', 'lock');
    cli.kill('SIGSTOP');
    const lock = readFileSync(file, 'utf8').replace(
      /"id":"[^"]*"/,
      '"id":"00000000-0000-4000-8000-000000000000"',
    );
    writeFileSync(file, lock);
    cli.kill('SIGCONT');
    const { code, stderr } = await cli.finished();
    expect(code).toBe(1);
    expect(stderr).toMatch(/Another sandbox took over the folder .*state, because this one stood still/);
    expect(readFileSync(file, 'utf8')).toBe(lock);
  });
});

describe('nestjs-payments sandbox export and import', () => {
  it('move the state of a running emulator into another folder', async () => {
    const first = await start(['--data', 'one', '--balance', '123.00']);
    const balance = await balanceAt(first.baseUrl);
    const exported = await runCommand(['sandbox', 'export', '--data', 'one'], { folder });
    const imported = await runCommand(['sandbox', 'import', '--data', 'two'], {
      folder,
      input: exported.stdout,
    });
    expect([exported.code, imported.code]).toEqual([0, 0]);

    const second = await start(['--data', 'two']);
    expect(second.secret).toBe(first.secret);
    expect(await balanceAt(second.baseUrl)).toEqual(balance);
    expect(balance).toMatchObject({ balance: 123 });
  });

  it('move a state through a file that PowerShell 5.1 wrote', async () => {
    const first = await start(['--data', 'one']);
    await first.cli.stop();
    const { stdout } = await runCommand(['sandbox', 'export', '--data', 'one'], { folder });
    writeFileSync(join(folder, 'state.json'), `\uFEFF${stdout}`, 'utf16le');
    const imported = await runCommand(['sandbox', 'import', '--data', 'my two', 'state.json'], { folder });
    expect(imported.stderr).toContain('start with sandbox --data "my two"\n');
    const again = await runCommand(['sandbox', 'export', '--data', 'my two'], { folder });
    expect([imported.code, again.stdout]).toEqual([0, stdout]);
  });

  it('refuse a folder without a state, one that has a state, and what is no state', async () => {
    const { stderr, code } = await runCommand(['sandbox', 'export', '--data', 'none'], { folder });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--data must name a folder')]);
    const first = await start(['--data', 'one']);
    await first.cli.stop();
    const { stdout } = await runCommand(['sandbox', 'export', '--data', 'one'], { folder });
    const again = await runCommand(['sandbox', 'import', '--data', 'one'], { folder, input: stdout });
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('without a state')]);
    const nonsense = await runCommand(['sandbox', 'import', '--data', 'new'], { folder, input: '{}' });
    expect([nonsense.code, nonsense.stderr]).toEqual([1, expect.stringContaining('holds no state')]);
  });
});
