import { afterEach, describe, expect, it } from 'vitest';
import { deliverTo, type Marketplace, signedSale, startMarketplace } from '../../support/marketplace-app.js';
import { type Merchants } from '../../support/merchants.js';
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
