import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { startSandbox } from '../../../test/support/sandbox.js';
import { Database } from '../src/database/database.js';
import { inTransaction } from '../src/database/in-transaction.js';
import { LiveOrders } from '../src/orders/live-orders.js';
import { PHONE, RunningShop } from './running-shop.js';
import { describeOnOne, describeOnPostgres } from './shop-databases.js';

const BOOT_MS = 60_000;

describeOnPostgres('two instances of the shop', (databaseUrl) => {
  let sandbox: PaymentsSandbox;
  let here: RunningShop;
  let there: RunningShop;

  beforeAll(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    // Both find an empty database, and take turns at its tables.
    [there, here] = await Promise.all([
      RunningShop.start(databaseUrl(), sandbox),
      RunningShop.start(databaseUrl(), sandbox),
    ]);
  }, BOOT_MS);
  beforeEach(async () => {
    await sandbox.reset();
    await here.clear();
  });
  afterAll(() => Promise.all([here.close(), there.close()]));

  /** How many connections to this database wait for a lock. */
  async function lockedOut(): Promise<number> {
    const rows = await here.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows.length;
  }

  it('each instance shows an order live, whichever of them receives the webhook', async () => {
    const number = await there.ordered();
    const page = await there.follow(number);
    expect(await page.next()).toBe('waiting');
    await sandbox.customer(PHONE).approve(number);
    expect(sandbox.deliveries()).toMatchObject([{ url: `${here.url}/webhooks/payments` }]);
    expect(await page.next()).toBe('paid');
  });

  it('two instances request one payment if both get Pay again at the same moment', async () => {
    const number = await there.ordered();
    await sandbox.customer(PHONE).decline(number);
    const pressed = await inTransaction(here.app.get(Database).pool, async (client) => {
      await client.query('SELECT FROM orders WHERE number = $1 FOR UPDATE', [number]);
      const answers = [here.pay(number), there.pay(number)];
      let waiting = 0;
      while (waiting < 2) waiting = await lockedOut();
      return answers;
    });
    const answers = await Promise.all(pressed);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(sandbox.payments()).toHaveLength(2);
    expect(await there.stateOf(number)).toBe('waiting');
  });

  it('an instance misses no change while its connection for notifications is lost', async () => {
    const number = await there.ordered();
    const page = await there.follow(number);
    expect(await page.next()).toBe('waiting');
    const killed = await here.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND query LIKE 'LISTEN %'`,
    );
    expect(killed).toHaveLength(2);
    await sandbox.customer(PHONE).approve(number);
    expect(await page.next()).toBe('paid');
  });
});

describeOnOne('an instance that stops', (databaseUrl) => {
  let sandbox: PaymentsSandbox;
  let shop: RunningShop;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    shop = await RunningShop.start(databaseUrl(), sandbox);
    await shop.clear();
  }, BOOT_MS);
  afterEach(() => shop.close());

  it('an instance that stops ends its live pages, which show the current order after they reconnect', async () => {
    const number = await shop.ordered();
    const page = await shop.follow(number);
    expect(await page.next()).toBe('waiting');
    await shop.close();
    await expect(page.next()).rejects.toThrow('The stream ended');
  });

  it('an instance that stops ends a live page that connects while it closes', async () => {
    const number = await shop.ordered();
    shop.app.get(LiveOrders).onModuleDestroy();
    const page = await shop.follow(number);
    await shop.close();
    await expect(page.next()).rejects.toThrow('The stream ended');
  });

  it('an instance that stops finishes its running request and closes its database last', async () => {
    sandbox.next('POST /payments/mobile-money').delay('5s');
    const arrived = new Promise<void>((resolve) => {
      sandbox.on('payment', () => {
        resolve();
      });
    });
    const answer = shop.order();
    await arrived;
    const closed = shop.close();
    await sandbox.clock.advance('5s');
    await closed;
    expect((await answer).body.state).toBe('waiting');
  });

  it('an instance that stops waits neither for a connection without a request nor for the keep-alive of one', async () => {
    // A browser opens connections ahead, and keeps them while its page is open.
    const ahead = connect(Number(new URL(shop.url).port), '127.0.0.1');
    await once(ahead, 'connect');
    const ended = once(ahead, 'close');
    sandbox.next('POST /payments/mobile-money').delay('5s');
    const arrived = new Promise<void>((resolve) => {
      sandbox.on('payment', () => {
        resolve();
      });
    });
    const answer = shop.order();
    await arrived;
    const server = shop.app.getHttpServer();
    // Its running request keeps the server from closing, and lasts until the gateway answers.
    server.keepAliveTimeout = 3_600_000;
    const closed = shop.close();
    await sandbox.clock.advance('5s');
    expect((await answer).body.state).toBe('waiting');
    await closed;
    await ended;
  });
});
