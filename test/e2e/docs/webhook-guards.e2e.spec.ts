import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Type } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { paymentEvent } from 'nestjs-payments/testing';
import { snippetsOf } from '../../support/document-pages.js';
import {
  adapters,
  deliver,
  paymentsOptions,
  send,
  startWebhookApp,
  type WebhookApp,
} from '../../support/webhook-app.js';

/** Inside the repository, where the packages that the snippets import are found. */
const folder = join(import.meta.dirname, `.guards-${process.pid}`);
const JWT_SECRET = 'a-secret-of-the-tokens-of-the-application';

beforeAll(() => {
  mkdirSync(folder);
  for (const code of snippetsOf('docs/webhooks.md').values()) {
    const [, file] = /^\/\/ (\S+\.module\.ts)\n/.exec(code) ?? [];
    if (file !== undefined) writeFileSync(join(folder, file), code);
  }
  process.env['JWT_SECRET'] = JWT_SECRET;
  // The snippets write each event.
  vi.spyOn(console, 'log').mockReturnValue();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  vi.restoreAllMocks();
});

let running: WebhookApp | undefined;
afterEach(async () => {
  await running?.app.close();
  running = undefined;
});

async function start(adapter: (typeof adapters)[number], file: string, name: string): Promise<WebhookApp> {
  const { [name]: module } = (await import(join(folder, file))) as Readonly<Record<string, Type>>;
  if (!module) throw new Error(`${file} exports no ${name}`);
  running = await startWebhookApp(adapter, {
    imports: [module],
    payments: [paymentsOptions({ retentionDays: Infinity }, { isGlobal: true })],
  });
  return running;
}

function token(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: 'customer' })}`;
  return `${signed}.${createHmac('sha256', JWT_SECRET).update(signed).digest('base64url')}`;
}

const get = (port: number, path: string, headers = {}) => send(port, path, '', headers, 'GET');

describe.each(adapters)('docs/webhooks.md on %s', (adapter) => {
  it('shows a JWT guard for every route that lets webhooks pass', async () => {
    const { port, logs } = await start(adapter, 'auth.module.ts', 'AuthModule');
    expect((await get(port, '/account')).status).toBe(401);
    expect((await get(port, '/account', { authorization: `Bearer ${token()}` })).status).toBe(200);
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(200);
    expect(logs.webhooks('error')).toEqual([]);
  });

  it('shows a throttler for every route that does not limit webhooks', async () => {
    const { port, logs } = await start(adapter, 'throttled.module.ts', 'ThrottledModule');
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) {
      statuses.push((await get(port, '/catalogue')).status);
      expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(200);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
    expect(logs.webhooks('error')).toEqual([]);
  });
});
