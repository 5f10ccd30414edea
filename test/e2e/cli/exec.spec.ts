import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { profileWith } from '../../support/gateway-profiles.js';
import { bundleCli, CliProcess, runProcess } from '../../support/cli-process.js';

beforeAll(bundleCli);

const exec = (code: string, ...options: string[]): string[] => [
  'sandbox',
  'exec',
  ...options,
  '--',
  process.execPath,
  '-e',
  code,
];
const BALANCE = `fetch(process.env.PAYMENTS_BASE_URL + '/merchant-balance', {
  headers: { 'x-api-key': process.env.PAYMENTS_API_KEY, 'x-api-secret': process.env.PAYMENTS_API_SECRET },
}).then((answer) => console.log(answer.status, process.env.PAYMENTS_BASE_URL));`;
const BANKS = `(async () => {
  for (const merchant of ['demo', 'unknown', 'demo']) {
    const answer = await fetch(process.env.PAYMENTS_BASE_URL + '/bank-shortnames', {
      headers: { 'x-api-key': 'pk_test_demo', 'x-api-secret': 'sk_test_' + merchant },
    });
    console.log(answer.status, await answer.text());
  }
})()`;

describe('nestjs-payments sandbox exec', () => {
  it('runs the command beside an emulator that its environment leads to, and stops it afterwards', async () => {
    const { code, stdout, stderr } = await runProcess(exec(BALANCE), {
      environment: { PAYMENTS_API_KEY: 'pk_live_never_used' },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [, status, url = ''] = /^(\d+) (http:\/\/127\.0\.0\.1:\d+\/api\/v1)\n$/.exec(stdout) ?? [];
    expect(status).toBe('200');
    await expect(fetch(url)).rejects.toThrow();
  });

  it('gives it the webhook secret, and other variables as they were', async () => {
    const { stdout } = await runProcess(
      exec('console.log(process.env.PAYMENTS_WEBHOOK_SECRET.length >= 16, process.env.OTHER)'),
      { environment: { OTHER: 'kept' } },
    );
    expect(stdout).toBe('true kept\n');
  });

  it('has another webhook secret at each run, or that of --data, as its help says', async () => {
    const secretOf = async (...options: string[]): Promise<string> => {
      const { stdout } = await runProcess(
        exec('console.log(process.env.PAYMENTS_WEBHOOK_SECRET)', ...options),
      );
      return stdout;
    };
    const data = ['--data', mkdtempSync(join(tmpdir(), 'nestjs-payments-exec-'))];
    const [one, other, first] = await Promise.all([secretOf(), secretOf(), secretOf(...data)]);
    expect(new Set([one, other, first])).toHaveProperty('size', 3);
    expect(await secretOf(...data)).toBe(first);
    const { stdout: help } = await runProcess(['sandbox', 'exec', '--help']);
    expect(help.replace(/\s+/g, ' ')).toContain('(default: that of --data, else a new one at each run)');
    expect(help).not.toContain('--write-env');
  });

  it('takes the first word that is no option for the command, if a package manager kept the --', async () => {
    const script = ['-e', 'console.log(process.argv.slice(2).join(" "))', 'x', '--', '--seed'];
    const words = ['sandbox', 'exec', '--seed', '7', '--log', process.execPath, ...script];
    expect(await runProcess(words)).toMatchObject({ code: 0, stdout: '-- --seed\n' });
  });

  it('writes the calls on stderr with --log', async () => {
    const { stderr } = await runProcess(exec(BALANCE, '--log'));
    expect(stderr).toMatch(/--> GET \/merchant-balance\n.* <-- 200/);
  });

  it('lets the gateway vary with --profile adversarial, the same with the seed that it printed', async () => {
    const first = await runProcess(exec(BANKS, '--profile', 'adversarial'));
    const [, seed = ''] =
      /repeat this run with --profile adversarial --seed (\d+)\n/.exec(first.stderr) ?? [];
    const again = await runProcess(exec(BANKS, '--profile', 'adversarial', '--seed', seed));
    expect(again.stdout).toBe(first.stdout);
    const answers = [1, 2, 3, 4, 5].map((other) =>
      runProcess(exec(BANKS, '--profile', 'adversarial', '--seed', String(other))),
    );
    expect(new Set((await Promise.all(answers)).map(({ stdout }) => stdout)).size).toBeGreaterThan(1);
    expect((await runProcess(exec(BANKS))).stderr).toBe('');
  });

  it('answers as the gateway in the file of --profile', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'exec-profile-')), 'gateway.json');
    writeFileSync(file, JSON.stringify(profileWith({ 'success of GET /merchant-balance': 203 })));
    const { code, stdout, stderr } = await runProcess(exec(BALANCE, '--profile', file));
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^203 /) as string });
    expect(stderr).toBe('Answers are those of the gateway that was observed at 2026-06-01T08:00:00Z.\n');
  });

  it.each([
    { what: 'its exit code', code: 'process.exitCode = 3', expected: 3 },
    {
      what: '128 and the number of the signal that ended it',
      code: "process.kill(process.pid, 'SIGKILL')",
      expected: 137,
    },
  ])('ends with $what', async ({ code, expected }) => {
    expect((await runProcess(exec(code))).code).toBe(expected);
  });

  it('ends with 127 if the command does not exist, and 126 if it may not be run', async () => {
    const missing = await runProcess(['sandbox', 'exec', '--', 'no-such-command']);
    expect(missing.code).toBe(127);
    expect(missing.stderr).toContain('no-such-command cannot be run');
    expect((await runProcess(['sandbox', 'exec', '--', '/'])).code).toBe(126);
  });

  it.each([
    { signal: 'SIGINT', expected: 130 },
    { signal: 'SIGTERM', expected: 143 },
    { signal: 'SIGHUP', expected: 129 },
  ] as const)('hands $signal on to the command and ends as that does', async ({ signal, expected }) => {
    const cli = new CliProcess(
      exec(`console.log(process.env.PAYMENTS_BASE_URL); setInterval(() => {}, 1000)`),
    );
    const [, url = ''] = await cli.until('stdout', /(http:\S+)\n/);
    expect((await cli.stop(signal)).code).toBe(expected);
    await expect(fetch(url)).rejects.toThrow();
  });

  it('waits for a command that ends in its own time after SIGTERM, the emulator running', async () => {
    const cli = new CliProcess(
      exec(`process.on('SIGTERM', () => { ${BALANCE.replace(/;$/, '')}.then(() => process.exit(5)); });
        console.log('up'); setInterval(() => {}, 1000)`),
    );
    await cli.until('stdout', /up\n/);
    const { code, stdout } = await cli.stop('SIGTERM');
    expect(code).toBe(5);
    expect(stdout).toMatch(/^up\n200 http/);
  });

  it('leaves every word of the command to the command, also without the dashes', async () => {
    const script = 'console.log(process.argv.slice(1).join(" "))';
    for (const dashes of [['--'], []]) {
      const words = [...dashes, 'node', '-e', script, 'db', '-h', '--help'];
      const { code, stdout } = await runProcess(['sandbox', 'exec', ...words]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'db -h --help\n' });
    }
    expect((await runProcess(['sandbox', 'exec', '--help', 'node'])).stdout).toContain('Usage');
  });

  it('names an occupied port, and runs nothing', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = String((server.address() as AddressInfo).port);
    const { code, stdout, stderr } = await runProcess(exec("console.log('ran')", '--port', port));
    server.close();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`Port ${port} `);
  });
});
