import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundleCli, runCommand, runProcess } from '../../support/cli-process.js';

beforeAll(bundleCli);

const secret = { environment: { PAYMENTS_WEBHOOK_SECRET: 'a-secret-of-enough-bytes' } };
const TO = ['--to', 'http://127.0.0.1:9/hook'];

describe('nestjs-payments', () => {
  it('shows its commands with --help, and its version', async () => {
    const help = await runProcess(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toMatch(/Usage: nestjs-payments <command>/);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await runProcess(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.each([
    'sandbox',
    'sandbox exec',
    'trigger',
    'sign',
    'verify',
    'doctor',
    'init',
    'migrate',
    'payout',
    'reconcile',
    'conformance',
  ])('shows options and examples of %s with --help', async (name) => {
    const { code, stdout, stderr } = await runCommand([...name.split(' '), '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^Usage: nestjs-payments ${name} `));
    expect(stdout).toMatch(new RegExp(`\nExamples:\n  npx nestjs-payments ${name}`));
  });

  it.each([
    { args: [], says: 'Which command?' },
    { args: ['serve'], says: "There is no command 'serve'." },
    { args: ['sandbx'], says: "There is no command 'sandbx'. Did you mean 'sandbox'?" },
    { args: ['sandbox', '--prot', '1'], says: "Unknown option '--prot'. Did you mean '--port'?" },
    { args: ['sandbox', '-x'], says: "Unknown option '-x'." },
    { args: ['sandbox', 'here'], says: "Unexpected argument 'here'" },
    { args: ['sandbox', '--seed', '-1'], says: '--seed' },
    { args: ['sandbox', '--port', '65536'], says: '--port must be a whole number from 0 to 65535.' },
    { args: ['sandbox', '--host', '0.0.0.0'], says: '--host must be a loopback address' },
    { args: ['sandbox', '--allow-host', '*'], says: '--allow-host must hold host names' },
    {
      args: ['sandbox', '--forward-to', 'http://example.com/'],
      says: '--forward-to must be an address on this',
    },
    { args: ['sandbox', '--forward-to', 'http://me:pass@127.0.0.1/'], says: 'without a password' },
    { args: ['sandbox', '--forward-to', 'localhost:3000'], says: '--forward-to must be an address on this' },
    { args: ['sandbox', '--profile', 'adversial'], says: "Did you mean 'adversarial'?" },
    { args: ['sandbox', '--profile', 'no-such.json'], says: '--profile cannot be read (ENOENT)' },
    { args: ['sandbox', '--profile', 'README.md'], says: 'README.md is no JSON' },
    { args: ['sandbox', '--profile', 'package.json'], says: 'package.json: version must be 1' },
    { args: ['sandbox', 'exec'], says: 'Write it after --' },
    { args: ['sandbox', 'exec', '--'], says: 'Write it after --' },
    { args: ['sandbox', 'exec', '--lg', '--', 'true'], says: "Did you mean '--log'?" },
    { args: ['trigger', ...TO], says: 'Which event?' },
    { args: ['trigger', 'payment.success'], says: 'Where to?' },
    { args: ['trigger', 'payment.success', '--to', 'here'], says: '--to must be a whole http' },
    { args: ['trigger', 'payment.success', ...TO, '-d', 'amount'], says: '--data takes name=text' },
    { args: ['trigger', 'payment.success', ...TO, '-d', 'a:=x'], says: '--data a:= needs JSON' },
    { args: ['trigger', 'payment.success', ...TO, '--repeat', '0'], says: '--repeat must be' },
    { args: ['trigger', 'payment.success', ...TO, '--forged', '--unsigned'], says: 'only one of --stale' },
    { args: ['trigger', 'payment.success', ...TO, '--stale'], says: 'signs a time' },
    { args: ['trigger', 'payment.success', ...TO, '-H', 'none'], says: '-H takes "name: value"' },
    { args: ['trigger', 'payment.success', ...TO, '-H', 'a: 1', '-H', 'A: 2'], says: 'more than once' },
    {
      args: ['sign', '--algorithm', 'sha265'],
      says: "--algorithm must be one of sha256, sha384, sha512. Did you mean 'sha256'?",
    },
    { args: ['sign', '--scheme', 'strip'], says: "Did you mean 'stripe'?" },
    {
      args: ['sign', '--scheme', 'stripe', '--encoding', 'hex'],
      says: '--encoding has no meaning with --scheme stripe',
    },
    { args: ['sign', '--tolerance', '5'], says: '--tolerance has no meaning with no --timestamp-header' },
    { args: ['sign', '--payload', '{timestamp}'], says: "must hold 'body'" },
    { args: ['sign', '--payload', '{x-tenant}{body}'], says: 'x-tenant: pass its value with -H' },
    { args: ['sign', '-H', 'x-a: \u2713'], says: 'The header x-a holds characters' },
    { args: ['sign', '--prefix', 'a\nb'], says: 'The header x-webhook-signature holds characters' },
    { args: ['sign', '-H', 'a b: 1'], says: '-H takes "name: value"' },
    { args: ['sign', '-H', 'a@: 1'], says: 'The header a@ holds' },
    { args: ['sign', 'no-such-file'], says: 'cannot be read (ENOENT)' },
    { args: ['sign', 'ba\u001b[31md.json'], says: 'The file ba\u{FFFD}[31md.json cannot be read (ENOENT).' },
    {
      args: ['sandbox', 'import', 'ba\u001bd', '--data', 'no-such-folder'],
      says: 'ba\u{FFFD}d cannot be read (ENOENT).',
    },
    { args: ['sign', 'a', 'b'], says: 'One body at a time' },
    { args: ['sign', '--at', 'noon'], says: '--at is not a moment' },
    { args: ['sign', '--at', '2026-01-31T08:00:00'], says: '--at is not a moment with its time zone' },
    { args: ['verify', '--at', '2026-02-31T08:00:00Z'], says: '--at is not a moment' },
    { args: ['sign', '--secret', 'short'], says: 'is shorter than' },
    { args: ['verify', '--secret', 'short'], says: 'write --allow-short-secret' },
    { args: ['sign', '--secret', 'zz', '--secret-encoding', 'hex'], says: 'or correct --secret-encoding' },
    { args: ['sign', '--dotenv', 'no-such-file'], says: '--dotenv cannot be read (ENOENT)' },
    { args: ['verify'], says: 'Which headers came with it?' },
    { args: ['doctor', '--auth', 'basic'], says: '--auth must be one of headers, bearer.' },
    { args: ['doctor', '--environment', 'prod'], says: '--environment must be one of' },
    { args: ['doctor', '--webhook', 'ftp://here'], says: '--webhook must be' },
    { args: ['migrate', '--file', ''], says: '--file is empty: write its value, or leave it out.' },
    { args: ['init', '--dryrun'], says: "Did you mean '--dry-run'?" },
    { args: ['init', 'shop'], says: "Unexpected argument 'shop'" },
    { args: ['sandbox', 'import', '--data', 'd', 'a', 'b'], says: 'One state at a time: name one file' },
    { args: ['payout', 'a', '--list'], says: '--list lists every batch: leave the file and --name out' },
    { args: ['payout', 'a', '--run', '--by', 'j', '--by=m'], says: '--by is written twice' },
    { args: ['reconcile', '--day', '2026-11-20', '--day', '2026-11-21'], says: '--day is written twice' },
    {
      args: ['reconcile', '--columns', 'reference=A', '--columns', 'fee=-'],
      says: '--columns is written twice, and one would be lost: write it once, with commas in its list.',
    },
    { args: ['migrate', '--file', 'a', '--file', 'a'], says: 'would be lost: write it once.' },
  ])('answers $args with the usage on stderr and exit code 2', async ({ args, says }) => {
    const { code, stdout, stderr } = await runCommand(args, secret);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(says);
    expect(stderr).toMatch(/\nUsage: nestjs-payments .*\nMore: npx nestjs-payments .*--help\n$/);
  });

  it.each(['trigger payment.success --to http://127.0.0.1:9/', 'sign', 'verify -H a:b'])(
    'says where a signing secret comes from when %s finds none',
    async (command) => {
      const { code, stderr } = await runCommand(command.split(' '));
      expect(code).toBe(2);
      expect(stderr).toContain('There is no signing secret: set PAYMENTS_WEBHOOK_SECRET, or write --secret.');
    },
  );

  it('says of a path that leads in a circle that it cannot be used, and does not crash', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'usage-'));
    onTestFinished(() => {
      rmSync(folder, { recursive: true });
    });
    symlinkSync('loop', join(folder, 'loop'));
    const { code, stdout, stderr } = await runCommand(
      ['reconcile', '--statement', 'loop/of.csv', '--columns', 'reference=a', '--preview'],
      { folder },
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('cannot be used (ELOOP): name a place that you may read and write.');
  });
});
