import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Controller, Param, Post, UseGuards, Version, VersioningType } from '@nestjs/common';
import { connect } from 'node:net';
import { customScheme, PaymentsAccounts, PaymentsWebhook, PaymentsWebhookGuard } from 'nestjs-payments';
import {
  addMerchant,
  deliverTo,
  type Marketplace,
  PathController,
  secretOf,
  sendRaw,
  signedSale,
  startMarketplace,
} from '../../support/marketplace-app.js';
import {
  adapters,
  type Answer,
  paymentsOptions,
  scheme,
  send,
  startWebhookApp,
} from '../../support/webhook-app.js';

/** What a sender sees of an answer, without the time. */
function seen({ status, headers, text }: Answer): object {
  const { date: _, ...others } = headers;
  return { status, headers: others, text };
}

describe.each(adapters)('a webhook route whose path names the account, on %s', (adapter) => {
  let place: Marketplace;

  beforeAll(async () => {
    place = await startMarketplace(adapter);
  });
  afterAll(() => place.app.close());

  it('logs its path with the parameter', () => {
    expect(place.logs.webhooks('log').join()).toContain(
      'Webhooks of the account that the path names are received at POST /webhooks/payments/:account',
    );
  });

  it('gives a delivery to the handlers of all accounts and to those of its own, once in each account', async () => {
    for (const account of ['shop', 'shop', 'school']) {
      expect(await deliverTo(place.port, account)).toMatchObject({ status: 200 });
    }
    expect(place.sales.all).toEqual(['shop order-1', 'school order-1']);
    expect(place.sales.ofShop).toEqual(['shop order-1']);
  });

  it('answers for an account that does not exist as for a forged signature', async () => {
    const forged = await deliverTo(place.port, 'shop', { reference: 'forged', signedFor: 'school' });
    const unknown = await deliverTo(place.port, 'nobody', { reference: 'forged' });
    expect(forged.status).toBe(401);
    expect(seen(unknown)).toEqual(seen(forged));
    const unsigned = { 'content-type': 'application/json' };
    const [known, other] = await Promise.all(
      ['shop', 'nobody'].map((name) => send(place.port, `/webhooks/payments/${name}`, '{}', unsigned)),
    );
    expect(known!.status).toBe(401);
    expect(seen(other!)).toEqual(seen(known!));
    expect(place.sales.all.join()).not.toContain('forged');
  });

  it('asks the resolver about no account that lacks the headers of the scheme', async () => {
    const before = place.merchants.asked.length;
    for (const name of ['a1', 'a2']) await send(place.port, `/webhooks/payments/${name}`, '{}');
    expect(place.merchants.asked.length).toBe(before);
  });

  it('refuses by the head before the body has come, and closes the upload', async () => {
    const socket = connect(place.port, '127.0.0.1');
    socket.write(
      'POST /webhooks/payments/shop HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n' +
        'content-length: 60000\r\nconnection: close\r\n\r\n{"half":',
    );
    const [answer] = (await socket.take(1).toArray()) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /);
    socket.destroy();
    const long = await deliverTo(place.port, 'shop', { note: 'x'.repeat(70_000) });
    expect(long.status).toBe(413);
  });

  it.each([
    ['an escaped letter of a known account', 'sho%70', 200],
    ['an escaped slash', 'shop%2Fx', 401],
    ['two dots', '..', 401],
    ['escaped dots', '%2e%2e', 401],
    ['a name that is escaped twice', 'sho%2570', 401],
    ['a null', 'shop%00', 401],
    ['white space', 'shop%20', 401],
    ['a letter beyond ASCII', '%EF%BD%93hop', 401],
    ['a property of every object', '__proto__', 401],
    ['another property of every object', 'constructor', 401],
    ['65 letters', 'x'.repeat(65), 401],
    ['a semicolon', 'shop;x', 401],
  ])('answers %s without asking for an account that could not be', async (_, name, status) => {
    const before = place.merchants.asked.length;
    const answer = await deliverTo(place.port, name, { signedFor: 'shop' });
    expect(answer.status).toBe(status);
    expect(place.merchants.asked.length).toBe(before);
    if (status === 401) expect(answer.text).toContain('The webhook signature is not valid.');
  });

  it('answers names that no router takes, and asks for none of them', async () => {
    const before = place.merchants.asked.length;
    const names = ['%zz', '%E0%A4', 'x'.repeat(10_240), 'caf\u00e9'];
    const sale = signedSale('shop', {});
    const statuses = await Promise.all(
      names.map((name) => sendRaw(place.port, `/webhooks/payments/${name}`, sale)),
    );
    // Fastify itself refuses what is no URL, and a parameter of more than a hundred letters.
    expect(statuses.slice(0, 3)).toEqual(adapter === 'express' ? [401, 401, 401] : [400, 400, 414]);
    expect([400, 401]).toContain(statuses[3]);
    expect(place.merchants.asked.length).toBe(before);
  });

  it('takes old and new secrets side by side, the old one until its end', async () => {
    const { merchants, app, port } = place;
    const accounts = app.get(PaymentsAccounts);
    const next = 'the-next-secret-of-the-school';
    const rotate = (notAfter: number): void => {
      const old = { value: secretOf('school'), notAfter: new Date(notAfter) };
      merchants.rows.set('school', { ...merchants.rows.get('school')!, webhooks: { secrets: [next, old] } });
      accounts.forget('school');
    };
    rotate(Date.now() + 60_000);
    for (const secret of [next, secretOf('school')]) {
      expect((await deliverTo(port, 'school', { secret })).status).toBe(200);
    }
    rotate(Date.now() - 1);
    expect((await deliverTo(port, 'school', { secret: next })).status).toBe(200);
    expect((await deliverTo(port, 'school', { secret: secretOf('school') })).status).toBe(401);
    addMerchant(merchants, 'school');
    accounts.forget('school');
  });

  it('lets a merchant in that was added, and refuses one that was taken away', async () => {
    const { merchants, app, port } = place;
    expect((await deliverTo(port, 'new')).status).toBe(401);
    addMerchant(merchants, 'new');
    app.get(PaymentsAccounts).forget('new');
    expect((await deliverTo(port, 'new')).status).toBe(200);
    merchants.rows.delete('new');
    app.get(PaymentsAccounts).forget('new');
    expect((await deliverTo(port, 'new', { reference: 'late' })).status).toBe(401);
  });

  it('refuses a merchant without webhooks as one that does not exist', async () => {
    place.merchants.rows.set('mute', { apiKey: 'pk_test_mute', apiSecret: 'sk_test_mute' });
    expect((await deliverTo(place.port, 'mute')).status).toBe(401);
  });
});

describe.each(adapters)('below prefixes, hosts and other parameters, on %s', (adapter) => {
  it('the path names the account', async () => {
    @Controller({ path: 'regions/:region/hooks', host: ':tenant.localhost' })
    class HostController {
      @PaymentsWebhook(':account')
      received(): void {}
    }
    @Controller({ path: 'merchants/:account', version: '2' })
    class PrefixController {
      @PaymentsWebhook('payments')
      received(): void {}

      @Version('2')
      @PaymentsWebhook('versioned')
      versioned(): void {}
    }
    const place = await startMarketplace(
      adapter,
      {},
      {
        controllers: [PathController, HostController, PrefixController],
        prepare: (app) => {
          app.setGlobalPrefix('api');
          app.enableVersioning({ type: VersioningType.URI });
        },
      },
    );
    const { body, headers } = signedSale('shop', {});
    const post = async (path: string, host = 'any.localhost'): Promise<number> =>
      (await send(place.port, path, body, { ...headers, host })).status;
    try {
      expect(await post('/api/webhooks/payments/shop')).toBe(200);
      expect(await post('/api/webhooks/payments/school')).toBe(401);
      expect(await post('/api/regions/east/hooks/shop')).toBe(200);
      expect(await post('/api/regions/shop/hooks/school')).toBe(401);
      expect(await post('/api/merchants/shop/payments')).toBe(200);
      expect(await post('/api/merchants/nobody/payments')).toBe(401);
      expect(await post('/api/v2/merchants/shop/versioned')).toBe(200);
      expect(place.sales.all).toEqual(['shop order-1']);
    } finally {
      await place.app.close();
    }
  });
});

describe.each(adapters)('beside registered accounts, on %s', (adapter) => {
  @Controller('webhooks')
  class StaticController {
    @PaymentsWebhook('payments/of-ours', { account: 'payouts' })
    received(): void {}
  }
  const PAYOUTS = {
    ...paymentsOptions({ secrets: [secretOf('payouts')], retentionDays: Infinity }),
    name: 'payouts',
  };

  it('a route of its own comes first, and the parameter names a registered account too', async () => {
    const place = await startMarketplace(
      adapter,
      {},
      { controllers: [StaticController, PathController], payments: [PAYOUTS] },
    );
    try {
      expect((await deliverTo(place.port, 'of-ours', { signedFor: 'payouts' })).status).toBe(200);
      expect((await deliverTo(place.port, 'payouts')).status).toBe(200);
      expect((await deliverTo(place.port, 'payouts', { signedFor: 'shop' })).status).toBe(401);
      expect((await deliverTo(place.port, 'shop')).status).toBe(200);
      expect(place.merchants.asked).toEqual(['shop']);
      expect(place.sales.all).toEqual(['shop order-1']);
    } finally {
      await place.app.close();
    }
  });

  it("a parameter of the application's own keeps the account of its route", async () => {
    @Controller('tenants/:account')
    class TenantsController {
      @PaymentsWebhook('hooks', { account: 'payouts' })
      received(): void {}

      @Post('checked')
      @UseGuards(PaymentsWebhookGuard.for('payouts'))
      checked(@Param('account') tenant: string): string {
        return tenant;
      }
    }
    const place = await startMarketplace(
      adapter,
      {},
      { controllers: [TenantsController, PathController], payments: [PAYOUTS] },
    );
    const post = (path: string, signedFor: string): Promise<Answer> =>
      deliverTo(place.port, signedFor, { path });
    try {
      expect((await post('/tenants/shop/hooks', 'payouts')).status).toBe(200);
      expect((await post('/tenants/shop/hooks', 'shop')).status).toBe(401);
      expect(await post('/tenants/shop/checked', 'payouts')).toMatchObject({ status: 201, text: 'shop' });
      expect((await post('/tenants/shop/checked', 'shop')).status).toBe(401);
      expect(place.merchants.asked).toEqual([]);
    } finally {
      await place.app.close();
    }
  });

  it('a route that nobody would reach stops the boot, where the first route wins', async () => {
    const starting = startMarketplace(
      adapter,
      {},
      { controllers: [PathController, StaticController], payments: [PAYOUTS] },
    );
    if (adapter === 'express') {
      await expect(starting).rejects.toThrow(
        /webhook route POST \/webhooks\/payments\/of-ours of StaticController\.received/,
      );
    } else {
      const { app, port } = await starting;
      expect((await deliverTo(port, 'of-ours', { signedFor: 'payouts' })).status).toBe(200);
      await app.close();
    }
  });
});

describe('the boot', () => {
  it.each([
    ['no resolver', [paymentsOptions()], /no PaymentsModule has the option `accounts`/],
    [
      'no webhooks beside the resolver',
      [{ baseUrl: 'http://127.0.0.1:9/api/v1', accounts: { resolve: () => undefined } } as never],
      /there is no `webhooks` option beside `accounts`/,
    ],
  ])('stops with %s', async (_, payments, message) => {
    const starting = startWebhookApp('express', { controllers: [PathController], payments });
    await expect(starting).rejects.toThrow(message);
  });

  it('stops if the parameter is only a part of a segment', async () => {
    @Controller()
    class PartController {
      @PaymentsWebhook('payments-:account')
      received(): void {}
    }
    await expect(startMarketplace('express', {}, { controllers: [PartController] })).rejects.toThrow(
      /not one whole segment of the path/,
    );
  });

  it.each(['with a route', 'without one'])('warns of a missing route: %s', async (how) => {
    const controllers = how === 'with a route' ? [PathController] : [];
    const { app, logs } = await startMarketplace('express', {}, { controllers });
    await app.close();
    const warned = logs.webhooks('warn').join().includes("@PaymentsWebhook('payments/:account')");
    expect(warned).toBe(how === 'without one');
  });
});

describe.each(adapters)('the work for an account that does not exist, on %s', (adapter) => {
  it('is the same as for a forged signature, and a scheme that looks at no key lets nobody in', async () => {
    const checked: number[] = [];
    const careless = customScheme({
      name: 'careless',
      requiredHeaders: ['x-webhook-signature'],
      verify: ({ headers }, keys) => {
        checked.push(keys.length);
        const ok = headers.get('x-webhook-signature')?.[0] === 'yes';
        return ok ? { ok } : { ok, reason: 'no' };
      },
    });
    const place = await startMarketplace(adapter, {
      webhooks: { scheme: careless, retentionDays: Infinity },
    });
    const post = async (account: string, signature: string): Promise<number> => {
      const { body, headers } = signedSale(account, {});
      const signed = { ...headers, 'x-webhook-signature': signature };
      return (await send(place.port, `/webhooks/payments/${account}`, body, signed)).status;
    };
    try {
      expect(await post('shop', 'no')).toBe(401);
      expect(checked.splice(0)).toEqual([1]);
      for (const name of ['nobody', 'nobody', '%20', 'constructor']) {
        expect(await post(name, 'no')).toBe(401);
        expect(checked.splice(0)).toEqual([1]);
      }
      expect(await post('nobody', 'yes')).toBe(401);
      expect(await post('shop', 'yes')).toBe(200);
      expect(place.sales.all).toEqual(['shop order-1']);
    } finally {
      await place.app.close();
    }
  });
});

describe.each(adapters)('resolving for paths, on %s', (adapter) => {
  let place: Marketplace;
  afterEach(() => place.app.close());

  it('stops at the limit, while known accounts are looked up again as before', async () => {
    place = await startMarketplace(adapter, {
      accounts: { pathLookupsPerSecond: 3, unknownCacheMs: 60_000 },
    });
    const { merchants } = place;
    expect((await deliverTo(place.port, 'shop')).status).toBe(200);
    // However long fifty deliveries take, they come within one second.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => deliverTo(place.port, `invented-${index}`)),
    ).finally(() => {
      clock.mockRestore();
    });
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(40);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(50 - refused.length);
    expect(refused[0]!.headers['retry-after']).toBe('5');
    // Past cacheMs, as often as it takes.
    for (let turn = 0; turn < 10; turn += 1) {
      place.app.get(PaymentsAccounts).forget('shop');
      expect((await deliverTo(place.port, 'shop', { reference: `order-${turn}` })).status).toBe(200);
    }
    const asked = merchants.asked.filter((name) => name.startsWith('invented'));
    expect(asked.length).toBe(50 - refused.length);
    expect(place.logs.of('warn').filter((line) => line.includes('pathLookupsPerSecond'))).toHaveLength(1);
  });

  it('asks once for any number of deliveries at once, and holds no more bytes than the limit while it waits', async () => {
    let answer = (): void => undefined;
    const sale = signedSale('shop', { note: 'x'.repeat(2_000) });
    const { length } = sale.body;
    place = await startMarketplace(adapter, {
      webhooks: { scheme, retentionDays: Infinity, unverifiedBytesLimit: 3 * length },
    });
    const asked = new Promise<void>((resolve) => {
      place.merchants.before = () => {
        resolve();
        return new Promise((go) => (answer = go));
      };
    });
    const post = (): Promise<Answer> => send(place.port, '/webhooks/payments/shop', sale.body, sale.headers);
    const refused = new Promise<Answer>((resolve) => {
      void Promise.all(
        Array.from({ length: 8 }, async () => {
          const one = await post();
          if (one.status === 503) resolve(one);
        }),
      );
    });
    await asked;
    expect((await refused).headers['retry-after']).toBe('5');
    answer();
    place.merchants.before = () => undefined;
    expect((await post()).status).toBe(200);
    expect(place.merchants.asked).toEqual(['shop']);
    expect(place.sales.all).toEqual(['shop order-1']);
  });

  it('answers 503 where the resolver fails, continues with what it knows, and logs it once', async () => {
    place = await startMarketplace(adapter);
    expect((await deliverTo(place.port, 'shop')).status).toBe(200);
    place.merchants.before = () => Promise.reject(new Error('password=sk_live_1'));
    const down = await deliverTo(place.port, 'school');
    expect(down).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    const others = await Promise.all(['school', 'a', 'b', 'c'].map((name) => deliverTo(place.port, name)));
    expect(others.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    expect(place.merchants.asked.filter((name) => name === 'school')).toHaveLength(1);
    expect((await deliverTo(place.port, 'shop', { reference: 'order-2' })).status).toBe(200);
    const lines = place.logs.of('error').filter((line) => line.includes('PaymentsAccounts'));
    expect(lines).toHaveLength(2);
    expect(lines.join()).not.toContain('sk_live');
    place.merchants.before = () => undefined;
    place.app.get(PaymentsAccounts).forget('school');
  });

  it('answers 503 where what the resolver returns is wrong', async () => {
    place = await startMarketplace(adapter);
    addMerchant(place.merchants, 'wrong', ['short']);
    expect((await deliverTo(place.port, 'wrong')).status).toBe(503);
    expect(place.logs.of('error').join()).toContain('webhooks.secrets[0]');
    expect(place.logs.of('error').join()).not.toContain("'short'");
  });

  it('answers 503 where the resolver returns an option that does not exist, and the log names it', async () => {
    place = await startMarketplace(adapter);
    const { rows } = place.merchants;
    const row = { ...rows.get('shop'), limit: { disbursement: { max: '100' } } };
    rows.set('wrong', row as NonNullable<ReturnType<typeof rows.get>>);
    expect((await deliverTo(place.port, 'wrong')).status).toBe(503);
    expect(place.logs.of('error').join()).toContain('`limit` of account "wrong" does not exist');
    expect((await deliverTo(place.port, 'shop')).status).toBe(200);
  });

  it('takes a genuine delivery that is longer than what the JSON parser takes', async () => {
    place = await startMarketplace(adapter, {
      webhooks: { scheme, retentionDays: Infinity, bodyLimit: 300_000 },
    });
    expect((await deliverTo(place.port, 'shop', { note: 'x'.repeat(200_000) })).status).toBe(200);
    expect((await deliverTo(place.port, 'nobody', { note: 'x'.repeat(200_000) })).status).toBe(401);
  });
});
