import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Injectable, Logger } from '@nestjs/common';
import {
  type JournalEntry,
  OnPayment,
  type PaymentEventContext,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { type PoolClient } from 'pg';
import { collectionRequest } from '../../../support/gateway-answers.js';
import { borrowPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { type PaymentsApp, startPaymentsApp } from '../../../support/payments-app.js';
import { startSandbox } from '../../../support/sandbox.js';
import { describeWith, postgresService } from '../../../support/services.js';
import { SeverableProxy } from '../../../support/severable-proxy.js';

/** What happens in the handler after its effect. */
let afterwards: (client: PoolClient) => unknown;

@Injectable()
class Orders {
  @OnPayment('payment.success')
  async paid({ data }: PaymentWebhookEvent, { transaction }: PaymentEventContext): Promise<void> {
    const client = transaction as PoolClient;
    await client.query('INSERT INTO orders VALUES ($1)', [data.reference]);
    await afterwards(client);
  }
}

describeWith([postgresService], 'a webhook whose handler writes in the transaction of the inbox', () => {
  let database: PaymentsDatabase;
  let proxy: SeverableProxy;
  let sandbox: PaymentsSandbox;
  let payments: PaymentsApp;

  beforeEach(async () => {
    afterwards = () => undefined;
    vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    database = await borrowPaymentsDatabase(postgresService.url);
    await database.pool.query('CREATE TABLE orders (reference text)');
    proxy = await SeverableProxy.before(postgresService.url);
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    const pool = database.connect({ connectionString: proxy.url });
    const storage = postgresStorage({ pool, schema: database.schema, transactional: true });
    payments = await startPaymentsApp({ ...sandbox.moduleOptions(), storage }, [Orders]);
    await payments.collections.mobileMoney(collectionRequest);
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    proxy.restore();
    await payments.app.close();
    await proxy.close();
    await database.close();
  });

  async function deliver(): Promise<number> {
    const body = JSON.stringify(paymentEvent('payment.success', { reference: 'order-1', amount: '1180.50' }));
    const { scheme } = sandbox.moduleOptions().webhooks!;
    const signature = signWebhook({ scheme, secret: sandbox.webhookSecret, body });
    const headers = { 'content-type': 'application/json', ...signature };
    return (await fetch(payments.webhookUrl, { method: 'POST', headers, body })).status;
  }

  const orders = async (): Promise<number> => (await database.pool.query('SELECT FROM orders')).rowCount ?? 0;
  const storedEntry = (): Promise<JournalEntry | undefined> => payments.journal.get('collection', 'order-1');

  async function expectOnceWithTheNextDelivery(): Promise<void> {
    expect(await orders()).toBe(0);
    expect(await storedEntry()).toMatchObject({ state: 'accepted' });
    afterwards = () => undefined;
    expect(await deliver()).toBe(200);
    expect(await deliver()).toBe(200);
    expect(await orders()).toBe(1);
    expect(await storedEntry()).toMatchObject({ state: 'settled', outcome: 'success' });
  }

  it('is committed with its effect, the inbox and the journal, or not at all if the handler throws', async () => {
    afterwards = () => {
      throw new Error('after the effect');
    };
    expect(await deliver()).toBe(500);
    await expectOnceWithTheNextDelivery();
  });

  it('is rolled back if the connection is killed in the middle', async () => {
    afterwards = async (client) => {
      const { rows } = await client.query<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid');
      await database.pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
      await client.query('SELECT 1');
    };
    expect(await deliver()).toBe(500);
    await expectOnceWithTheNextDelivery();
  });

  it('is rolled back if the handler continued after a failed statement', async () => {
    afterwards = (client) => client.query('SELECT 1 / 0').catch(() => undefined);
    expect(await deliver()).toBe(503);
    await expectOnceWithTheNextDelivery();
  });

  it('is asked for again if the server goes away before the end', async () => {
    afterwards = () => {
      proxy.cut();
    };
    expect(await deliver()).toBe(503);
    proxy.restore();
    // Nobody could give the claim back, so it holds until its lease ends.
    await database.pass(60_000);
    await expectOnceWithTheNextDelivery();
  });

  it('is refused at once while the server is away', async () => {
    proxy.cut();
    expect(await deliver()).toBe(503);
    proxy.restore();
    await expectOnceWithTheNextDelivery();
  });

  it('is answered 503 if the server falls silent before the end', async () => {
    afterwards = () => {
      proxy.hang();
    };
    expect(await deliver()).toBe(503);
    expect(await orders()).toBe(0);
    proxy.restore();
    await database.pass(60_000);
    await expectOnceWithTheNextDelivery();
  });
});
