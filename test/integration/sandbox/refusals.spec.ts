import { connect } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsSandbox, type PaymentsSandboxOptions } from 'nestjs-payments/sandbox';
import { callerOf, COLLECTION } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';

describe("the emulator's refusals", () => {
  let sandbox: PaymentsSandbox;
  let gateway: ReturnType<typeof callerOf>;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual' });
    gateway = callerOf(sandbox);
  });

  describe('for who is calling', () => {
    it.each([
      ['no credentials', {}],
      ['a key without its secret', { 'x-api-key': 'pk_test_demo' }],
      ['the secret of another merchant', { 'x-api-key': 'pk_test_demo', 'x-api-secret': 'sk_test_other' }],
      ['swapped key and secret', { 'x-api-key': 'sk_test_demo', 'x-api-secret': 'pk_test_demo' }],
      ['an empty name', { 'x-api-key': 'pk_test_', 'x-api-secret': 'sk_test_' }],
      ['a secret as bearer', { authorization: 'Bearer sk_test_demo' }],
    ])('is UNAUTHORIZED with %s', async (_, headers: Record<string, string>) => {
      const response = await fetch(`${sandbox.baseUrl}/merchant-balance`, { headers });

      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ status: 'error', code: 'UNAUTHORIZED' });
    });

    it.each(['x'.repeat(65), 'a b', 'shop.one'])(
      'says which names a pair of keys may have, not %s',
      async (name) => {
        const keys = { 'x-api-key': `pk_test_${name}`, 'x-api-secret': `sk_test_${name}` };
        for (const headers of [keys, { authorization: `Bearer pk_test_${name}` }]) {
          const response = await fetch(`${sandbox.baseUrl}/merchant-balance`, { headers });
          expect(response.status).toBe(401);
          expect(await response.text()).toContain('1 to 64 letters, digits, hyphens and underscores');
        }
        const longest = 'x'.repeat(64);
        expect(await gateway.get('/merchant-balance', { merchant: longest })).toMatchObject({ status: 200 });
      },
    );

    it.each([
      { 'x-api-key': 'pk_live_abc', 'x-api-secret': 'sk_live_abc' },
      { authorization: 'Bearer pk_live_abc' },
    ])('says that live keys do not belong here, and keeps them out of the journal', async (headers) => {
      const response = await fetch(`${sandbox.baseUrl}/merchant-balance`, { headers });
      const text = await response.text();

      expect(response.status).toBe(401);
      expect(text).toContain('Live keys are for production only');
      expect(text + JSON.stringify(sandbox.requests())).not.toContain('live_abc');
    });

    it.each(['evil.example', 'evil.example:4242', '127.0.0.1.evil.example', '192.168.0.1', '', undefined])(
      'gives a page that reaches it as %j by DNS rebinding no balance and no payment',
      async (host) => {
        const { port } = new URL(sandbox.url);
        const balance = await callAs(port, host, 'GET', '/api/v1/merchant-balance');
        expect(balance).toContain('403 Forbidden');
        expect(balance).toContain('"code":"FORBIDDEN"');
        expect(balance).not.toContain('available_balance');
        const collected = await callAs(port, host, 'POST', '/api/v1/payments/mobile-money', COLLECTION);
        expect(collected).toContain('403 Forbidden');
        expect([sandbox.payments(), sandbox.requests()]).toEqual([[], []]);
      },
    );

    it.each(['127.0.0.1', 'localhost', '[::1]'])(
      'answers who calls it %s, on whatever port',
      async (host) => {
        const { port } = new URL(sandbox.url);
        for (const named of [host, `${host}:${port}`]) {
          expect(await callAs(port, named, 'GET', '/api/v1/merchant-balance')).toContain(
            '"available_balance"',
          );
        }
      },
    );

    it.each(['http://127.0.0.1', 'HTTP://localhost:1', 'https://[::1]'])(
      'takes a whole URL as the target of a request, whose host counts instead of the header: %s',
      async (origin) => {
        const { port } = new URL(sandbox.url);
        const balance = await callAs(port, 'evil.example', 'GET', `${origin}/api/v1/merchant-balance?a=1`);
        expect(balance).toContain('"available_balance"');
        expect(sandbox.requests()).toMatchObject([{ path: '/api/v1/merchant-balance?a=1', status: 200 }]);
        expect(await callAs(port, 'evil.example', 'GET', `${origin}/_sandbox/v1/payments`)).toContain(
          '200 OK',
        );
        expect(await callAs(port, 'evil.example', 'GET', origin)).toContain('text/html');
      },
    );

    it.each(['http://evil.example', 'http://127.0.0.1@evil.example', 'http://'])(
      'refuses the host %s in the target of a request, whatever the header says',
      async (origin) => {
        const { port } = new URL(sandbox.url);
        for (const path of ['/api/v1/merchant-balance', '/_sandbox/v1/payments', '/'])
          expect(await callAs(port, '127.0.0.1', 'GET', `${origin}${path}`)).toContain('403 Forbidden');
        expect(sandbox.requests()).toEqual([]);
      },
    );

    it('answers under a name that was allowed, as a container calls it, on every path and no other name', async () => {
      const { url } = await startSandbox({ allowedHosts: ['Host.Docker.Internal'] });
      const { port } = new URL(url);
      for (const named of ['host.docker.internal', `host.docker.internal:${port}`]) {
        expect(await callAs(port, named, 'GET', '/api/v1/merchant-balance')).toContain('"available_balance"');
        expect(await callAs(port, named, 'GET', '/_sandbox/v1/payments')).toContain('200 OK');
      }
      for (const other of [
        'docker.internal',
        'a.host.docker.internal',
        'host.docker.internal.evil.example',
      ]) {
        expect(await callAs(port, other, 'GET', '/api/v1/merchant-balance')).toContain('403 Forbidden');
      }
      expect(await callAs(port, '127.0.0.1', 'GET', '/api/v1/merchant-balance')).toContain('200 OK');
    });

    it.each([
      '*',
      '*.internal',
      'http://host.docker.internal',
      'host.docker.internal:4242',
      '',
      'a b',
      'a/b',
    ])('does not start with %j as an allowed name', async (name) => {
      await expect(startSandbox({ allowedHosts: [name] })).rejects.toThrow(
        "Sandbox option allowedHosts must hold host names without a scheme, a port or a pattern, such as 'host.docker.internal'",
      );
    });

    const framers = async (options: PaymentsSandboxOptions) => {
      const { url } = await startSandbox(options);
      const policy = (await fetch(url)).headers.get('content-security-policy')!;
      return policy.split('; ').filter((directive) => directive.startsWith('frame-ancestors'));
    };

    it('shows its page in no frame, or in those of the named origins alone', async () => {
      expect(await framers({})).toEqual(["frame-ancestors 'none'"]);
      const frameAncestors = ['http://127.0.0.1:4240', 'https://demo.example'];
      expect(await framers({ frameAncestors })).toEqual([
        'frame-ancestors http://127.0.0.1:4240 https://demo.example',
      ]);
    });

    it.each([
      '*',
      'http://*.example',
      '127.0.0.1:4240',
      'http://127.0.0.1:4240/',
      "'self'",
      'http://a; script-src *',
      'http://a;script-src',
      'file:///etc',
      'data:,',
      4240,
    ])('does not start with %j as an origin that may frame its page', async (origin) => {
      await expect(startSandbox({ frameAncestors: [origin as string] })).rejects.toThrow(
        "Sandbox option frameAncestors must hold origins without a path or a pattern: write ['http://127.0.0.1:4240']",
      );
    });

    it('tells a stranger nothing about the body', async () => {
      const response = await fetch(`${sandbox.baseUrl}/payments/mobile-money`, { method: 'POST', body: '{' });
      expect(response.status).toBe(401);
    });
  });

  describe('for how it is sent', () => {
    it.each(['{', '[]', '"text"', 'null', ''])('is INVALID_REQUEST for the body %j', async (body) => {
      const answer = await gateway.post('/payments/mobile-money', body);
      expect(answer).toMatchObject({ status: 400, body: { status: 'error', code: 'INVALID_REQUEST' } });
    });

    it.each([101, 50_000])('is INVALID_REQUEST for a body of %d levels', async (levels) => {
      const metadata = `${'{"a":'.repeat(levels - 2)}{}${'}'.repeat(levels - 2)}`;
      const body = JSON.stringify(COLLECTION).replace('{', `{"metadata":${metadata},`);
      const answer = await gateway.post('/payments/mobile-money', body);
      expect(answer).toMatchObject({ status: 400, body: { status: 'error', code: 'INVALID_REQUEST' } });
      const [kept] = sandbox.requests();
      expect(kept).toMatchObject({
        status: 400,
        body: expect.stringContaining(body.slice(0, 600)) as unknown,
      });
      const flat = await gateway.post('/payments/mobile-money', `${'['.repeat(levels)}${']'.repeat(levels)}`);
      expect(flat.status).toBe(400);
    });

    it('takes a body of a hundred levels, and gives its metadata back', async () => {
      const metadata: unknown = JSON.parse(`${'{"a":'.repeat(98)}{}${'}'.repeat(98)}`);
      const answer = await gateway.collect({ metadata });
      expect(answer).toMatchObject({ status: 200, body: { data: { metadata } } });
    });

    it('is 415 for another content type', async () => {
      const headers = { 'content-type': 'text/plain' };
      expect(await gateway.post('/payments/mobile-money', COLLECTION, { headers })).toMatchObject({
        status: 415,
      });
    });

    it('is 413 for a body over one mebibyte, without keeping it', async () => {
      const answer = await gateway.collect({ customer_name: 'x'.repeat(1_100_000) });
      expect(answer).toMatchObject({ status: 413, body: { code: 'INVALID_REQUEST' } });
      expect(sandbox.requests().at(-1)?.body).toBeNull();
    });

    it('is 404 for the status of a payment or a payout, which sends no webhook either', async () => {
      await gateway.collect();
      await gateway.payToBank();
      sandbox.deliverTo('http://127.0.0.1:9/hook');
      await sandbox.payout('salary-1').pay();
      for (const path of ['/payments/order-1', '/disbursements/salary-1', '/disbursements/bank/salary-1'])
        expect([path, (await gateway.get(path)).status]).toEqual([path, 404]);
      expect(sandbox.payouts()).toMatchObject([{ reference: 'salary-1', status: 'paid' }]);
      expect(sandbox.deliveries()).toEqual([]);
    });

    it('is 404 for an operation that the specification does not define', async () => {
      expect(await gateway.get('/payments/order-1')).toMatchObject({
        status: 404,
        body: { status: 'error' },
      });
      expect(await gateway.get('/')).toMatchObject({ status: 404 });
    });

    it('is 405 for another method', async () => {
      expect(await gateway.get('/payments/mobile-money')).toMatchObject({ status: 405 });
    });
  });

  describe('for fields', () => {
    it.each([
      ['amount', 0],
      ['amount', -5],
      ['amount', 10.005],
      ['amount', '1e3'],
      ['amount', '0.00'],
      ['amount', 1e13],
      ['amount', true],
      ['amount', 5e-324],
      ['currency', 'USD'],
      ['reference', ''],
      ['reference', '   '],
      ['reference', 'x'.repeat(256)],
      ['phone', '+255712345678'],
      ['phone', '0712345678'],
      ['phone', '25571234567'],
      ['phone', 255_712_345_678],
      ['customer_name', ''],
      ['customer_email', 'asha'],
      ['customer_email', null],
      ['metadata', 'text'],
      ['metadata', []],
    ])('name %s when it is %j, in shape C', async (field, value) => {
      const { status, body } = await gateway.collect({ [field]: value });

      expect(status).toBe(422);
      expect(body).toMatchObject({ success: false, errors: { [field]: [expect.any(String)] } });
      expect(Object.keys(body['errors'] as object)).toEqual([field]);
    });

    it('name every field that is missing', async () => {
      const { body } = await gateway.post('/payments/partnerpesa', {});
      expect(Object.keys(body['errors'] as object).sort()).toEqual([
        'amount',
        'currency',
        'customer_email',
        'customer_name',
        'phone',
        'reference',
      ]);
    });

    it("name the partner wallet's phone when it is not international (specification, Errors rule 1)", async () => {
      const { status, body } = await gateway.post('/payments/partnerpesa', {
        ...COLLECTION,
        phone: '0712345678',
      });
      expect(status).toBe(422);
      expect(body).toEqual({
        success: false,
        message: 'The given data was invalid.',
        errors: { phone: ['The phone must be in international format without a plus sign: 255XXXXXXXXX.'] },
      });
    });

    it.each([
      '/payments/mobile-money',
      '/payments/partnerpesa',
      '/disbursements/bank',
      '/disbursements/mobile-money',
    ])('name a missing Idempotency-Key on %s', async (path) => {
      const { body } = await gateway.post(path, COLLECTION, { key: '' });
      expect(body).toMatchObject({
        errors: { 'Idempotency-Key': ['The Idempotency-Key header is required.'] },
      });
    });

    it('name bank_code when the channel is BANK, and only then', async () => {
      const account_number = '0123456789';
      const { body } = await gateway.lookUp({ channel: 'BANK', account_number });
      expect(body).toMatchObject({ errors: { bank_code: ['The bank_code field is required.'] } });
      expect(await gateway.lookUp({ channel: 'MOBILE_MONEY', account_number })).toMatchObject({
        body: { code: 'ACCOUNT_NOT_FOUND' },
      });
    });

    it('name customer_email when it is null, which the specification leaves open', async () => {
      const { status, body } = await gateway.collect({ customer_email: null });
      const errors = { customer_email: ['The customer_email must be a valid email address.'] };
      expect([status, body]).toMatchObject([422, { errors }]);
    });

    it.each([null, '', ' ', 7, {}, 'x'.repeat(256)])(
      'look at a bank_code of %j for BANK alone',
      async (code) => {
        const lookUpAt = (channel: string) =>
          gateway.lookUp({ channel, account_number: '255712345678', bank_code: code });
        const rule = 'The bank_code must be text of 1 to 255 characters.';
        expect((await lookUpAt('BANK')).body).toMatchObject({ errors: { bank_code: [rule] } });
        for (const channel of ['MOBILE_MONEY', 'PARTNERPESA']) {
          const { status, body } = await lookUpAt(channel);
          expect([channel, status, body['code']]).toEqual([channel, 200, 'ACCOUNT_VERIFIED']);
          expect(Object.keys(body['data'] as object)).not.toContain('bank_code');
        }
        expect((await lookUpAt('CHEQUE')).body).toMatchObject({ code: 'INVALID_CHANNEL' });
      },
    );
  });

  describe('with a code', () => {
    it.each([
      ['INVALID_CHANNEL', { channel: 'CHEQUE', account_number: '0123456789' }],
      ['INVALID_BANK_CODE', { channel: 'BANK', account_number: '0123456789', bank_code: 'NOPE' }],
      ['ACCOUNT_NOT_FOUND', { channel: 'BANK', account_number: 'abc', bank_code: 'BSB' }],
      ['ACCOUNT_NOT_FOUND', { channel: 'PARTNERPESA', account_number: '0712345678' }],
    ])('say %s on a lookup', async (code, request) => {
      expect(await gateway.lookUp(request)).toMatchObject({ body: { success: false, code } });
    });

    it.each([
      ['INVALID_BANK', { bank_code: 'NOPE' }],
      ['INVALID_ACCOUNT', { account_number: 'abc' }],
      ['INSUFFICIENT_BALANCE', { amount: 999_500.01 }],
    ])('say %s on a bank payout', async (code, fields) => {
      expect(await gateway.payToBank(fields)).toMatchObject({ body: { success: false, code } });
      expect(sandbox.payouts()).toEqual([]);
    });

    it.each([
      ['INVALID_NETWORK', { network: 'NET_SEVEN' }],
      ['INVALID_PHONE', { recipient_phone: '0712345678' }],
      ['INSUFFICIENT_BALANCE', { amount: '999500.01' }],
    ])('say %s on a mobile money payout', async (code, fields) => {
      expect(await gateway.payToPhone(fields)).toMatchObject({ body: { success: false, code } });
    });

    it('spends the wallet to the last cent', async () => {
      expect(await gateway.payToBank({ amount: 999_500 })).toMatchObject({ status: 200 });
      expect(sandbox.balance()).toMatchObject({
        balance: 1_000_000,
        available_balance: 0,
        locked_balance: 1_000_000,
      });
    });

    it('hold a registered name against a payout, whatever its letter case and spacing', async () => {
      sandbox.directory.register('0123456789', 'Neema Mushi');

      expect(await gateway.payToBank()).toMatchObject({ body: { code: 'ACCOUNT_NAME_MISMATCH' } });
      expect(await gateway.payToBank({ account_name: ' neema  MUSHI ' })).toMatchObject({ status: 200 });
    });

    it('know no holder of a closed account', async () => {
      sandbox.directory.close('0123456789');

      expect(await gateway.payToBank()).toMatchObject({ body: { code: 'INVALID_ACCOUNT' } });
      expect(
        await gateway.lookUp({ channel: 'BANK', account_number: '0123456789', bank_code: 'BSB' }),
      ).toMatchObject({ body: { code: 'ACCOUNT_NOT_FOUND' } });
    });
  });

  describe('for what came before', () => {
    it('say DUPLICATE_REQUEST for a key that was processed, whatever the body or operation', async () => {
      const key = 'key-1';
      expect(await gateway.collect({}, { key })).toMatchObject({ status: 200 });

      const again = [
        await gateway.collect({}, { key }),
        await gateway.collect({ reference: 'order-2', amount: 5 }, { key }),
        await gateway.collect({ amount: -1 }, { key }),
        await gateway.payToPhone({}, { key }),
      ];

      expect(again.map(({ body }) => body['code'])).toEqual(Array(4).fill('DUPLICATE_REQUEST'));
      expect(sandbox.payments()).toHaveLength(1);
    });

    it('accept exactly one of many calls at once with one key', async () => {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          gateway.collect({ reference: `order-${index}` }, { key: 'key-1' }),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(sandbox.payments()).toHaveLength(1);
    });

    it('say DUPLICATE_REQUEST while the first answer is still on its way', async () => {
      sandbox.next('POST /payments/mobile-money').delay('3s');
      const first = gateway.collect({}, { key: 'key-1' });
      await processed(sandbox, 1);

      expect(await gateway.collect({}, { key: 'key-1' })).toMatchObject({
        body: { code: 'DUPLICATE_REQUEST' },
      });
      await sandbox.clock.advance('3s');
      expect(await first).toMatchObject({ status: 200 });
    });

    it('leave the key of a refused request unused', async () => {
      const key = 'key-1';
      expect(await gateway.collect({ amount: -1 }, { key })).toMatchObject({ status: 422 });
      expect(await gateway.payToBank({ bank_code: 'NOPE' }, { key })).toMatchObject({ status: 422 });
      expect(await gateway.collect({}, { key })).toMatchObject({ status: 200 });
    });

    it('say DUPLICATE_REFERENCE within a family, not across families', async () => {
      const reference = 'same';
      expect(await gateway.collect({ reference })).toMatchObject({ status: 200 });
      expect(await gateway.payToBank({ reference })).toMatchObject({ status: 200 });

      expect(await gateway.post('/payments/partnerpesa', { ...COLLECTION, reference })).toMatchObject({
        body: { code: 'DUPLICATE_REFERENCE' },
      });
      expect(await gateway.payToPhone({ reference })).toMatchObject({
        body: { code: 'DUPLICATE_REFERENCE' },
      });
    });
  });
});

/** Resolves once the emulator knows this many payments. */
async function processed(sandbox: PaymentsSandbox, count: number): Promise<void> {
  if (sandbox.payments().length >= count) return;
  await new Promise<void>((resolve) => {
    const off = sandbox.on('payment', () => {
      if (sandbox.payments().length < count) return;
      off();
      resolve();
    });
  });
}

/** Everything that a call under this host name got back: fetch sets Host by itself. */
function callAs(
  port: string,
  host: string | undefined,
  method: string,
  path: string,
  body?: object,
): Promise<string> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = [
    // Without a Host header only the older version of HTTP is understood.
    `${method} ${path} HTTP/1.${host === undefined ? 0 : 1}`,
    ...(host === undefined ? [] : [`host: ${host}`]),
    'x-api-key: pk_test_demo',
    'x-api-secret: sk_test_demo',
    'idempotency-key: 7c0e3f0e-50a9-4b1c-9f6c-0a6d2a1f8b11',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ];
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(`${head.join('\r\n')}\r\n\r\n${text}`),
    );
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      resolve(Buffer.concat(chunks).toString());
    });
  });
}
