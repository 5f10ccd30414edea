import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Injectable, Module } from '@nestjs/common';
import {
  OnPayment,
  type PaymentEventContext,
  PaymentsInbox,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { type PoolClient } from 'pg';
import { startSandbox } from '../../../test/support/sandbox.js';
import { AppModule } from '../src/app.module.js';
import { PHONE, RunningShop } from './running-shop.js';
import { describeOnBoth, describeOnPostgres } from './shop-databases.js';

const BOOT_MS = 60_000;

/** Comes after the shop's own handler, in the same transaction. */
@Injectable()
class Accident {
  /** What the order was when it happened, by its own transaction. */
  readonly seen: string[] = [];
  happen: (client: PoolClient) => unknown = () => undefined;

  @OnPayment('payment.success')
  async strike({ data }: PaymentWebhookEvent, { transaction }: PaymentEventContext): Promise<void> {
    const client = transaction as PoolClient;
    const { rows } = await client.query<{ readonly state: string }>(
      'SELECT state FROM orders WHERE number = $1',
      [data.reference],
    );
    this.seen.push(rows[0]!.state);
    await this.happen(client);
  }
}

@Module({ providers: [Accident] })
class AccidentModule {}

/** Handlers run in the order in which Nest knows their classes. */
@Module({ imports: [AppModule, AccidentModule] })
class AccidentProneShop {}

let sandbox: PaymentsSandbox;
let shop: RunningShop;
let accident: Accident;

function startAndClear(databaseUrl: () => string): void {
  beforeAll(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    shop = await RunningShop.start(databaseUrl(), sandbox, { module: AccidentProneShop });
    accident = shop.app.get(Accident);
  }, BOOT_MS);
  beforeEach(async () => {
    accident.seen.length = 0;
    accident.happen = () => undefined;
    await sandbox.reset();
    await shop.clear();
  });
  afterAll(() => shop.close());
}

const inboxStates = async (): Promise<readonly unknown[]> =>
  (await shop.query<{ state: string }>('SELECT state FROM payments_inbox')).map(({ state }) => state);

/** The order was paid, by its own transaction; nobody else ever sees that. */
async function expectNothingHappened(number: string): Promise<void> {
  expect(accident.seen).toEqual(['paid']);
  expect(await shop.stateOf(number)).toBe('waiting');
  expect(await shop.sold()).toBe(0);
  expect(await inboxStates()).not.toContain('done');
}

async function expectPaidOnceByTheNextDelivery(number: string): Promise<void> {
  accident.happen = () => undefined;
  await sandbox.clock.advance('1h');
  expect(sandbox.deliveries().map(({ status }) => status)).toEqual([200]);
  expect([await shop.stateOf(number), await shop.sold(), await inboxStates()]).toEqual(['paid', 1, ['done']]);
}

describeOnBoth("an order in the webhook's transaction", (databaseUrl) => {
  startAndClear(databaseUrl);

  it('an order stays unpaid if the transaction fails, and the next delivery pays it once', async () => {
    const number = await shop.ordered();
    const page = await shop.follow(number);
    accident.happen = () => {
      throw new Error('the power went out');
    };
    await sandbox.customer(PHONE).approve(number);
    await expectNothingHappened(number);
    await expectPaidOnceByTheNextDelivery(number);
    // Nothing that was undone ever reached the customer.
    expect([await page.next(), await page.next()]).toEqual(['waiting', 'paid']);
  });

  it('a webhook pays an order whose request the gateway refused, on the one connection of PGlite too', async () => {
    sandbox.next('POST /payments/mobile-money').status(422);
    const number = await shop.ordered();
    expect(await shop.stateOf(number)).toBe('failed: unavailable');
    expect(await shop.deliver('payment.success', { reference: number, amount: '15000.00' })).toBe(200);
    expect([await shop.stateOf(number), await shop.sold()]).toEqual(['paid', 1]);
    expect(await shop.app.get(PaymentsInbox).conflicts()).toMatchObject([
      { kind: 'conflict', reference: number, seen: 1 },
    ]);
  });

  it('an order is paid once, however often the webhook comes', async () => {
    const number = await shop.ordered();
    await sandbox.customer(PHONE).approve(number);
    const replay = () => shop.deliver('payment.success', { reference: number, amount: '15000.00' });
    expect(await Promise.all([replay(), replay()])).toEqual([200, 200]);
    expect([await shop.stateOf(number), await shop.sold(), accident.seen]).toEqual(['paid', 1, ['paid']]);
  });
});

describeOnPostgres("an order in the webhook's transaction", (databaseUrl) => {
  startAndClear(databaseUrl);

  it('an order stays unpaid if the connection is killed before the commit', async () => {
    const number = await shop.ordered();
    accident.happen = async (client) => {
      const { rows } = await client.query<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid');
      await shop.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
      await client.query('SELECT');
    };
    await sandbox.customer(PHONE).approve(number);
    await expectNothingHappened(number);
    await expectPaidOnceByTheNextDelivery(number);
  });
});
