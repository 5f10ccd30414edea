import { execFile } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build, stop } from 'esbuild';
import { CertificateAuthority, opensslInstalled } from '../../support/certificates.js';

interface Story {
  readonly sequential: readonly unknown[];
  readonly kept: { readonly connections: number; readonly requests: number };
  readonly untrusted: readonly unknown[];
  readonly outdated?: readonly unknown[];
  readonly sentToStranger: number;
  readonly reset: readonly unknown[];
}

const folder = join(process.cwd(), 'node_modules', '.cache', 'nestjs-payments-https');
const script = join(folder, `story-${process.pid}.mjs`);
const trusted = join(folder, `trusted-${process.pid}.pem`);
const authority = opensslInstalled ? new CertificateAuthority() : undefined;
let story: Story;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join('test', 'support', 'https-story.ts')],
    outfile: script,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
  });
  await stop();
  copyFileSync(join('test', 'support', 'tls', 'loopback.cert.pem'), trusted);
  if (authority) appendFileSync(trusted, authority.cert);
  authority?.issue('expired', { expired: true });
  const { stdout } = await promisify(execFile)(process.execPath, [script], {
    env: {
      PATH: process.env['PATH'],
      NODE_EXTRA_CA_CERTS: trusted,
      ...(authority && { EXPIRED: authority.pathOf('expired') }),
    },
    timeout: 20_000,
  });
  story = JSON.parse(stdout.trim().split('\n').at(-1)!) as Story;
});

afterAll(() => {
  for (const file of [script, trusted]) rmSync(file, { force: true });
  authority?.remove();
});

it('keeps its HTTPS connections open and uses them again', () => {
  expect(story.sequential).toEqual(Array.from({ length: 20 }, () => ({ ok: true, phases: ['answered'] })));
  expect(story.kept.requests).toBe(20);
  expect(story.kept.connections).toBe(1);
});

it('sends nothing to a server whose certificate it does not trust', () => {
  const phases = ['not-sent', 'not-sent', 'not-sent'];
  expect(story.untrusted).toEqual([
    { error: 'GatewayUnreachableError', mayHaveBeenProcessed: false, phases },
  ]);
  expect(story.sentToStranger).toBe(0);
});

(authority ? it : it.skip)('sends nothing to a server whose certificate has expired', () => {
  const phases = ['not-sent', 'not-sent', 'not-sent'];
  expect(story.outdated).toEqual([{ error: 'GatewayUnreachableError', mayHaveBeenProcessed: false, phases }]);
});

it('takes a connection that ended after the request for an unknown outcome', () => {
  expect(story.reset).toEqual([
    { error: 'PaymentOutcomeUnknownError', mayHaveBeenProcessed: true, phases: ['ambiguous'] },
  ]);
});
