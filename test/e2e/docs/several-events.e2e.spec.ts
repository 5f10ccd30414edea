import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readFileSync } from 'node:fs';
import { Injectable, Logger } from '@nestjs/common';
import {
  OnPayment,
  type PaymentEventContext,
  type PaymentEventData,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent, postWebhook } from 'nestjs-payments/testing';
import { type PoolClient } from 'pg';
import { type PaymentsApp, startPaymentsApp } from '../../support/payments-app.js';
import { borrowPaymentsDatabase, type PaymentsDatabase } from '../../support/payments-database.js';
import { startSandbox } from '../../support/sandbox.js';
import { describeWith, postgresService } from '../../support/services.js';

/** The change of "A handler that bears a second run". */
const [, CHANGE = ''] = /```sql\n([\s\S]*?)```/.exec(readFileSync('docs/orm.md', 'utf8')) ?? [];
const ORDER = { reference: 'order-1', amount: '1180.50' };
const CUSTOMER = { phone: '255712345678', customer_name: 'Asha Mushi', customer_email: 'asha@example.com' };

/** Pays the order and ships it, unless it is paid. */
async function pay(database: Pick<PoolClient, 'query'>, amount: string): Promise<void> {
  const { rowCount } = await database.query(CHANGE.replace('1180.50', amount));
  if (rowCount === 1) await database.query("INSERT INTO shipments VALUES ('order-1')");
  else await look(database, amount);
}

async function look(database: Pick<PoolClient, 'query'>, amount: string): Promise<void> {
  const { rowCount } = await database.query("SELECT FROM orders WHERE amount = $1 AND status = 'paid'", [
    amount,
  ]);
  if (rowCount !== 1) throw new Error(`There is no paid order of ${amount}.`);
}

let runs: number;

@Injectable()
class Orders {
  @OnPayment('payment.success')
  async paid({ data }: PaymentWebhookEvent, context: PaymentEventContext<PoolClient>): Promise<void> {
    runs += 1;
    await pay(context.transaction, data.amount);
  }
}

describeWith([postgresService], 'docs/webhooks.md, several events of one order', () => {
  let database: PaymentsDatabase;
  let sandbox: PaymentsSandbox;
  let payments: PaymentsApp;

  beforeEach(async () => {
    runs = 0;
    vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    database = await borrowPaymentsDatabase(postgresService.url);
    await database.pool.query(`CREATE TABLE orders (reference text, amount numeric(15, 2), status text);
      CREATE TABLE shipments (reference text);
      INSERT INTO orders VALUES ('order-1', 1180.50, 'waiting')`);
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    const storage = postgresStorage({
      pool: database.connect({ max: 5 }),
      schema: database.schema,
      transactional: true,
    });
    const { webhooks, ...options } = sandbox.moduleOptions();
    payments = await startPaymentsApp({ ...options, webhooks: { ...webhooks!, retentionDays: 1 }, storage }, [
      Orders,
    ]);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await payments.app.close();
    await database.close();
  });

  async function succeed(data: Partial<PaymentEventData> = {}): Promise<void> {
    const event = paymentEvent('payment.success', { ...ORDER, ...data });
    const { scheme } = sandbox.moduleOptions().webhooks!;
    const signing = { scheme, secret: sandbox.webhookSecret };
    expect(await postWebhook(payments.app, '/webhooks/payments', event, signing)).toMatchObject({
      status: 200,
    });
  }

  async function stored(): Promise<unknown> {
    const { rows } = await database.pool.query<object>(
      'SELECT status, (SELECT count(*)::int FROM shipments) AS shipped FROM orders',
    );
    return rows[0];
  }

  it('a second charge that is released runs the handlers again, and ships nothing twice', async () => {
    await succeed();
    await succeed();
    expect(runs).toBe(1);
    await succeed({ provider_reference: 'another charge' });
    const [conflict] = await payments.inbox.conflicts();
    expect(conflict).toMatchObject({ kind: 'conflict', reference: 'order-1' });
    await payments.inbox.release(conflict!.id);
    expect(runs).toBe(2);
    expect(await stored()).toEqual({ status: 'paid', shipped: 1 });
  });

  it('a webhook after settle() runs the handlers, and ships nothing twice', async () => {
    await payments.collections.mobileMoney({ ...ORDER, ...CUSTOMER });
    await payments.journal.settle('collection', 'order-1', 'success');
    await pay(database.pool, ORDER.amount);
    await succeed();
    expect(runs).toBe(1);
    expect(await stored()).toEqual({ status: 'paid', shipped: 1 });
  });

  it('a success that contradicts settle() is a conflict whose handlers run at once, and once', async () => {
    await payments.collections.mobileMoney({ ...ORDER, ...CUSTOMER });
    await payments.journal.settle('collection', 'order-1', 'failed');
    await succeed();
    expect(await stored()).toEqual({ status: 'paid', shipped: 1 });
    const [conflict] = await payments.inbox.conflicts();
    expect(conflict).toMatchObject({ kind: 'conflict', reference: 'order-1' });
    await payments.inbox.release(conflict!.id);
    expect(await payments.inbox.conflicts()).toEqual([]);
    expect(runs).toBe(1);
  });

  it('a delivery that neither the inbox nor the journal knows any more runs the handlers again', async () => {
    await succeed();
    await database.pass(2 * 86_400_000);
    expect(await payments.inbox.purge()).toBe(1);
    await succeed();
    expect(runs).toBe(2);
    expect(await stored()).toEqual({ status: 'paid', shipped: 1 });
  });

  it('an amount that a person releases ships only after the order has it', async () => {
    await payments.collections.mobileMoney({ ...ORDER, ...CUSTOMER });
    await succeed({ amount: '10.00' });
    const [mismatch] = await payments.inbox.conflicts();
    expect(mismatch).toMatchObject({ kind: 'mismatch' });
    await expect(payments.inbox.release(mismatch!.id)).rejects.toThrow(
      'A handler failed, so the webhook stays set aside',
    );
    expect(await stored()).toEqual({ status: 'waiting', shipped: 0 });
    await database.pool.query('UPDATE orders SET amount = 10');
    await payments.inbox.release(mismatch!.id);
    expect(await stored()).toEqual({ status: 'paid', shipped: 1 });
  });
});
