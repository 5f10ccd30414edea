import { afterEach, describe, expect, it } from 'vitest';
import { type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, type Server } from 'node:net';
import { PaymentsModule } from 'nestjs-payments';
import { AccountRegistry } from '../../../lib/accounts/account-registry.js';
import {
  addMerchant,
  deliverTo,
  type Marketplace,
  PathController,
  signedSale,
  startMarketplace,
} from '../../support/marketplace-app.js';
import { Merchants } from '../../support/merchants.js';
import { adapters, type Answer, scheme, send } from '../../support/webhook-app.js';

/** Lets the resolver wait for some names. */
function holdResolver(merchants: Merchants, waits: (name: string) => boolean) {
  const waiting: (() => void)[] = [];
  let note = (): void => undefined;
  const began = new Promise<void>((resolve) => (note = resolve));
  merchants.before = (name) => {
    if (!waits(name)) return;
    return new Promise((resolve) => {
      waiting.push(resolve);
      note();
    });
  };
  return {
    began,
    answer: (): void => {
      merchants.before = () => undefined;
      for (const go of waiting) go();
    },
  };
}

/** How many calls and deliveries use an account. */
function usersOf(app: INestApplication, account: string): number | undefined {
  return app.get(AccountRegistry, { strict: false })['pool']?.()['accounts'].get(account)?.users;
}

describe('a delivery over HTTP/2 that is cut off while its account is looked up', () => {
  it('does not keep the account in use for ever', async () => {
    const merchants = new Merchants([]);
    addMerchant(merchants, 'shop');
    const app = await NestFactory.create(
      {
        module: class AppModule {},
        controllers: [PathController],
        imports: [
          PaymentsModule.forRoot({
            baseUrl: 'http://127.0.0.1:9/api/v1',
            webhooks: { scheme, retentionDays: Infinity },
            accounts: { resolve: merchants.keysOf },
          }),
        ],
      },
      new FastifyAdapter({ http2: true } as object),
      { logger: false },
    );
    await app.listen(0, '127.0.0.1');
    const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    const { body, headers } = signedSale('shop', {});
    const post = (path: string) => {
      const stream = session.request({ ':method': 'POST', ':path': path, ...headers });
      stream.on('error', () => undefined).end(body);
      return stream;
    };
    const statusOf = async (path: string): Promise<number | undefined> => {
      const [answer] = (await once(post(path), 'response')) as [{ ':status'?: number }];
      return answer[':status'];
    };
    try {
      const resolver = holdResolver(merchants, () => true);
      const cutOff = post('/webhooks/payments/shop');
      await resolver.began;
      const closed = once(cutOff, 'close');
      cutOff.close(8);
      await closed;
      // The server has seen the end of the first stream when it answers the second one.
      expect(await statusOf('/another')).toBe(404);
      resolver.answer();
      expect(await statusOf('/webhooks/payments/shop')).toBe(200);
      await new Promise(setImmediate);
      expect(usersOf(app, 'shop')).toBe(0);
    } finally {
      session.destroy();
      await app.close();
    }
  });
});

describe.each(adapters)('while accounts are looked up, on %s', (adapter) => {
  let place: Marketplace;
  afterEach(() => place.app.close());

  it('what strangers send does not take the room of the accounts that are known', async () => {
    const sale = signedSale('nobody', { note: 'x'.repeat(2_000) });
    const room = 10 * sale.body.length;
    place = await startMarketplace(adapter, {
      webhooks: { scheme, retentionDays: Infinity, unverifiedBytesLimit: room },
    });
    expect((await deliverTo(place.port, 'shop')).status).toBe(200);
    const resolver = holdResolver(place.merchants, (name) => name === 'nobody');
    const refused: Answer[] = [];
    const strangers = Array.from({ length: 12 }, async () => {
      const answer = await send(place.port, '/webhooks/payments/nobody', sale.body, sale.headers);
      if (answer.status === 503) refused.push(answer);
      return answer.status;
    });
    await resolver.began;
    await Promise.race(strangers);
    const known = { reference: 'order-2', note: 'x'.repeat(2_000) };
    expect((await deliverTo(place.port, 'shop', known)).status).toBe(200);
    expect(refused[0]?.headers['retry-after']).toBe('5');
    resolver.answer();
    const statuses = await Promise.all(strangers);
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(place.logs.of('warn').join()).toContain('webhooks.unverifiedBytesLimit');
  });

  it('a shutdown answers those that wait for their turn, and asks for none of them', async () => {
    place = await startMarketplace(adapter, { accounts: { maxPathLookups: 1 } });
    const resolver = holdResolver(place.merchants, () => true);
    const first = deliverTo(place.port, 'first');
    await resolver.began;
    const inLine = deliverTo(place.port, 'second');
    // Its answer says that the second delivery has come.
    await send(place.port, '/webhooks/payments/third', '{}');
    const closing = place.app.close();
    expect((await inLine).status).toBe(503);
    resolver.answer();
    expect((await first).status).toBe(401);
    await closing;
    expect(place.merchants.asked).toEqual(['first']);
    expect(place.logs.of('warn').join()).not.toContain('took too long');
  });
});

describe.each(adapters)('where the host leaves the bytes, on %s', (adapter) => {
  it('a delivery without the headers of the scheme makes nobody ask the resolver', async () => {
    const { body, headers } = signedSale('shop', {});
    const place = await startMarketplace(adapter, {
      webhooks: { scheme, retentionDays: Infinity, rawBody: () => Buffer.from(body) },
    });
    try {
      for (const name of ['shop', 'nobody']) {
        expect((await send(place.port, `/webhooks/payments/${name}`, body)).status).toBe(401);
      }
      expect(place.merchants.asked).toEqual([]);
      expect(place.logs.webhooks('warn').join()).toContain('it lacks a header of the scheme');
      expect((await send(place.port, '/webhooks/payments/shop', body, headers)).status).toBe(200);
    } finally {
      await place.app.close();
    }
  });
});
