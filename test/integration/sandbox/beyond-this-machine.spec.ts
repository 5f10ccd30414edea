import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { startSandbox } from '../../support/sandbox.js';

const TOKEN = 'a-token-for-this-test';
const KEYS = { 'x-api-key': 'pk_test_demo', 'x-api-secret': 'sk_test_demo' };
const JSON_BODY = { 'content-type': 'application/json' };
const BEARER = { authorization: `Bearer ${TOKEN}` };
const PAYMENT = {
  amount: 15_000,
  currency: 'TZS',
  reference: 'order-1',
  phone: '255712345678',
  customer_name: 'Asha Mrema',
  customer_email: 'asha@example.com',
};
/** An address under which another machine would call this one, if it has one. */
const ADDRESS = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let sandbox: PaymentsSandbox;
let port: string;

beforeAll(async () => {
  sandbox = await startSandbox({
    allowRemote: true,
    host: '0.0.0.0',
    allowedHosts: ['gateway'],
    controlToken: TOKEN,
  });
  ({ port } = new URL(sandbox.url));
});

/** A call under a host name, to any address of this machine. */
async function call(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  { method = 'GET', body = '', to = '127.0.0.1' } = {},
): Promise<Answer> {
  const outgoing = request({
    host: to,
    port,
    path,
    method,
    headers: { host: `192.0.2.2:${port}`, ...headers },
  });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

describe('who may call the gateway from another machine', () => {
  it.each(['192.0.2.2', '[fd00::2]', 'gateway', '127.0.0.1', 'localhost'])(
    'anyone who has test keys, under %s',
    async (name) => {
      const answer = await call('/api/v1/merchant-balance', { ...KEYS, host: `${name}:${port}` });
      expect(answer.status).toBe(200);
    },
  );

  it.each(['evil.example', '192.0.2.2.evil.example', 'gateway.evil.example'])(
    'nobody under %s, which a foreign page may own',
    async (name) => {
      for (const path of ['/api/v1/merchant-balance', '/_sandbox/v1/payments', '/', '/_sandbox/v1/health']) {
        const answer = await call(path, { ...KEYS, ...BEARER, host: name });
        expect(answer.status).toBe(403);
      }
    },
  );

  it('nobody without keys, or with live keys', async () => {
    expect((await call('/api/v1/merchant-balance', BEARER)).status).toBe(401);
    const live = { 'x-api-key': 'pk_live_demo', 'x-api-secret': 'sk_live_demo' };
    const answer = await call('/api/v1/merchant-balance', live);
    expect(answer.status).toBe(401);
  });

  it.runIf(ADDRESS)('really by another address of this machine', async () => {
    const headers = { ...KEYS, host: `${ADDRESS}:${port}` };
    expect((await call('/api/v1/merchant-balance', headers, { to: ADDRESS })).status).toBe(200);
    expect((await call('/_sandbox/v1/info', { host: `${ADDRESS}:${port}` }, { to: ADDRESS })).status).toBe(
      401,
    );
  });
});

describe('the token of the control API', () => {
  it.each([
    ['none', {}],
    ['a wrong one', { authorization: 'Bearer a-token-for-this-tesT' }],
    ['the right one and more', { authorization: `Bearer ${TOKEN}x` }],
    ['a part of it', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ['an empty one', { authorization: 'Bearer ' }],
    ['another way of authorization', { authorization: `Basic ${TOKEN}` }],
    ['the cookie of another emulator', { cookie: `payments_sandbox_000000000000=${TOKEN}` }],
  ])('%s is answered 401 with what to do, on every path but the health check', async (_, headers) => {
    for (const path of [
      '/_sandbox/v1/payments',
      '/_sandbox/v1/events',
      '/_sandbox/v1/openapi.json',
      '/page.js',
      '/nothing',
    ]) {
      const answer = await call(path, headers);
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      expect(JSON.parse(answer.body)).toEqual({
        error: {
          code: 'UNAUTHORIZED',
          message: expect.stringContaining('Authorization: Bearer <token>') as string,
        },
      });
      expect(answer.body).not.toContain(TOKEN);
    }
    expect((await call('/_sandbox/v1/health', headers)).status).toBe(200);
  });

  it('is compared no more after 50 wrong ones of an address within a minute', async () => {
    const one = await startSandbox({ allowRemote: true, controlToken: TOKEN });
    const ask = (authorization: string, path = '/_sandbox/v1/payments') =>
      fetch(`${one.url}${path}`, { headers: { authorization } });
    for (let guess = 1; guess <= 50; guess += 1) {
      expect((await ask(`Bearer guess-number-${guess}-of-many`)).status).toBe(401);
    }
    for (const answer of [await ask('Bearer another-guess-of-many'), await ask(`Bearer ${TOKEN}`)]) {
      expect(answer.status).toBe(429);
      expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
      expect(await answer.json()).toMatchObject({ error: { code: 'TOO_MANY_GUESSES' } });
    }
    expect((await fetch(one.pageUrl)).status).toBe(429);
    expect((await ask('', '/_sandbox/v1/payments')).status).toBe(401);
    expect((await ask(`Bearer ${TOKEN}`, '/_sandbox/v1/health')).status).toBe(200);
  });

  it('changes nothing without it', async () => {
    const body = JSON.stringify(PAYMENT);
    await call(
      '/api/v1/payments/mobile-money',
      { ...KEYS, ...JSON_BODY, 'idempotency-key': 'k' },
      { method: 'POST', body },
    );
    const approve = [
      '/_sandbox/v1/payments/order-1/approve',
      JSON_BODY,
      { method: 'POST', body: '{}' },
    ] as const;
    expect((await call(...approve)).status).toBe(401);
    expect(sandbox.payments()).toMatchObject([{ status: 'pending' }]);
    expect((await call(approve[0], { ...JSON_BODY, ...BEARER }, approve[2])).status).toBe(200);
    expect(sandbox.payments()).toMatchObject([{ status: 'success' }]);
  });

  it('does not make a foreign page welcome', async () => {
    const headers = { ...JSON_BODY, ...BEARER, origin: `http://192.0.2.2:3000` };
    expect((await call('/_sandbox/v1/reset', headers, { method: 'POST', body: '{}' })).status).toBe(403);
  });

  it('is not in what the control API tells', async () => {
    for (const path of ['/_sandbox/v1/info', '/_sandbox/v1/requests', '/_sandbox/v1/openapi.json']) {
      const answer = await call(path, BEARER);
      expect(answer.status).toBe(200);
      expect(answer.body).not.toContain(TOKEN);
    }
  });
});

describe('the link of the page', () => {
  it('keeps the token in a cookie that no script and no other site uses, and shows it no more', async () => {
    const { pathname, search } = new URL(sandbox.pageUrl);
    const link = await call(pathname + search, { accept: 'text/html' });
    expect(link.status).toBe(200);
    expect(link.body).not.toContain(TOKEN);
    const [cookie = '', ...more] = link.headers['set-cookie'] ?? [];
    expect(more).toEqual([]);
    const [pair = '', ...attributes] = cookie.split('; ');
    expect(attributes.sort()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Strict']);
    const page = await call('/', { cookie: `other=1; ${pair}` });
    expect(page).toMatchObject({ status: 200, body: expect.stringContaining('page.js') as string });
    expect((await call('/_sandbox/v1/payments', { cookie: pair })).status).toBe(200);
  });

  it.each(['/', '/?token=', '/?token=wrong', `/?token=${TOKEN}x`])(
    'tells a person at %s in both languages where the link is',
    async (path) => {
      const answer = await call(path, { accept: 'text/html,*/*' });
      expect(answer.status).toBe(401);
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(answer.headers['content-type']).toContain('text/html');
      expect(answer.body).toMatch(/This page needs its token[^]*lang="sw">Ukurasa huu unahitaji/);
    },
  );

  it('works for no other path', async () => {
    expect((await call(`/_sandbox/v1/payments?token=${TOKEN}`)).status).toBe(401);
  });
});

describe('an emulator of this machine alone', () => {
  it('demands no token, and has none in its link', async () => {
    const local = await startSandbox();
    expect(local.controlToken).toBeUndefined();
    expect(local.pageUrl).toBe(`${local.url}/`);
    expect((await fetch(local.pageUrl)).status).toBe(200);
    expect((await fetch(`${local.url}/_sandbox/v1/payments`)).status).toBe(200);
  });

  it('demands one that it was given', async () => {
    const local = await startSandbox({ controlToken: TOKEN });
    expect((await fetch(`${local.url}/_sandbox/v1/payments`)).status).toBe(401);
    expect((await fetch(`${local.url}/_sandbox/v1/payments`, { headers: BEARER })).status).toBe(200);
  });

  it('answers no address but those of the loopback interface', async () => {
    const local = await startSandbox();
    const outgoing = request({ port: new URL(local.url).port, headers: { host: '192.0.2.2' } });
    outgoing.end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(403);
  });
});

describe('the options', () => {
  it('make a token of 32 characters, another one for each emulator, which no log shows', async () => {
    const [one, other] = [
      await startSandbox({ allowRemote: true }),
      await startSandbox({ allowRemote: true }),
    ];
    expect(one.controlToken).toMatch(/^[\w-]{32}$/);
    expect(other.controlToken).not.toBe(one.controlToken);
    expect(one.pageUrl).toBe(`${one.url}/?token=${one.controlToken}`);
    expect(inspect(one, { depth: 9 })).not.toContain(one.controlToken);
  });

  it('call an emulator that listens everywhere by its loopback address', () => {
    expect(sandbox.url).toBe(`http://127.0.0.1:${port}`);
    expect(sandbox.moduleOptions().baseUrl).toBe(`http://127.0.0.1:${port}/api/v1`);
  });

  it.each([
    [{ host: '0.0.0.0' }, 'Sandbox option host must be a loopback address'],
    [{ host: 'here and there', allowRemote: true }, 'Sandbox option host must be an IP address or a name'],
    [{ controlToken: 'fifteen-letters' }, 'Sandbox option controlToken must have 16 to 256'],
    [{ controlToken: 'a token with; a semicolon' }, 'Sandbox option controlToken must have 16 to 256'],
    [{ allowRemote: 'yes' as never }, 'Sandbox option allowRemote must be true or false'],
  ])('refuse %j', async (options, message) => {
    await expect(startSandbox(options)).rejects.toThrow(message);
  });

  it('let webhooks go elsewhere with allowRemote, and not without', async () => {
    sandbox.deliverTo('http://application:3000/webhooks/payments');
    const local = await startSandbox();
    expect(() => {
      local.deliverTo('http://application:3000/webhooks/payments');
    }).toThrow('--allow-remote');
  });
});
