import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join, relative } from 'node:path';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { buildChildProgram, type ChildProgram } from '../support/child-program.js';
import { scheme, secret, send } from '../support/webhook-app.js';
import { PATH } from './host.js';
import { type SeenByVercelApp, type VercelAppSettings } from './vercel-app.js';

/** What `vercel dev` runs a function in: Vercel's own bridge, with its helpers or without. */
const BRIDGE = join('test', 'hosts', 'node_modules', '@vercel', 'node', 'dist', 'dev-server.mjs');

const event = paymentEvent('payment.success', { reference: 'order-1', customer_name: 'Zoë 😀' });
/** As no serializer of ours would write it. */
const body = Buffer.from(JSON.stringify(event, null, 1));
const headersOf = (signed: Buffer): Record<string, string> => ({
  'content-type': 'application/json',
  ...signWebhook({ scheme, secret, body: signed }),
});

let program: ChildProgram;
let bridge: ChildProcess | undefined;
let log: string;

beforeAll(async () => {
  program = await buildChildProgram('test/hosts/vercel-app.ts');
});
afterAll(() => program.remove());
afterEach(async () => {
  if (!bridge) return;
  const isGone = bridge.exitCode !== null || bridge.signalCode !== null;
  const gone = isGone ? undefined : once(bridge, 'exit');
  // Its own SIGTERM handler waits for the connections.
  bridge.kill('SIGKILL');
  await gone;
  bridge = undefined;
});

async function start(settings: VercelAppSettings, helpers: '0' | '1'): Promise<number> {
  log = '';
  bridge = fork(BRIDGE, [], {
    silent: true,
    execArgv: [],
    env: {
      PATH: process.env['PATH'],
      NO_COLOR: '1',
      VERCEL_APP: JSON.stringify(settings),
      VERCEL_DEV_ENTRYPOINT: relative(process.cwd(), program.file),
      VERCEL_DEV_BUILD_ENV: JSON.stringify({ NODEJS_HELPERS: helpers }),
    },
  });
  for (const output of [bridge.stdout, bridge.stderr]) output?.on('data', (text) => (log += String(text)));
  const ended = once(bridge, 'exit').then(() => {
    throw new Error(`The bridge ended by itself: ${log}`);
  });
  ended.catch(() => undefined);
  const [address] = (await Promise.race([once(bridge, 'message'), ended])) as [{ readonly port: number }];
  return address.port;
}

const post = async (port: number, signed: Buffer): Promise<number> =>
  (await send(port, PATH, body, headersOf(signed))).status;

async function seenBy(port: number): Promise<SeenByVercelApp> {
  const { text } = await send(port, '/seen', '', {}, 'GET');
  return JSON.parse(text) as SeenByVercelApp;
}

// The bridge loads a compiler before it starts.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

describe.each(['Express', 'Fastify'] as const)('on Vercel, as `vercel dev` runs it, on %s', (adapter) => {
  it.each<[string, '0' | '1', boolean]>([
    ['without its helpers', '0', false],
    ['with its helpers and webhooks.rawBody', '1', true],
  ])(
    'a genuine webhook is handled once and answered 200, a forged one 401, %s',
    async (_, helpers, rawBody) => {
      const port = await start({ adapter, rawBody }, helpers);
      expect(await post(port, Buffer.from('{}'))).toBe(401);
      expect(await post(port, body)).toBe(200);
      expect(await post(port, body)).toBe(200);
      expect(await seenBy(port)).toEqual({ events: [event], held: 0 });
    },
  );

  it('with its helpers a webhook is answered 500, and the log says what to write', async () => {
    const port = await start({ adapter, rawBody: false }, '1');
    expect(await post(port, body)).toBe(500);
    expect(await seenBy(port)).toEqual({ events: [], held: 0 });
    expect(log).toContain('webhooks: { rawBody: (request) => … }');
  });
});
