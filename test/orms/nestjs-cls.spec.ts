import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type INestApplication, Injectable, Logger, Module, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  ClsPluginTransactional,
  Propagation,
  Transactional,
  TransactionHost,
} from '@nestjs-cls/transactional';
import { TransactionalAdapterTypeOrm } from '@nestjs-cls/transactional-adapter-typeorm';
import { ClsModule } from 'nestjs-cls';
import {
  OnPayment,
  type PaymentEventData,
  PaymentsInbox,
  PaymentsModule,
  type PaymentsStorage,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { postgresStorage, typeOrmDriver } from 'nestjs-payments/postgres';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { sqlStorage } from 'nestjs-payments/sql';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { DataSource } from 'typeorm';
import { deliverEvent } from '../support/deliver-event.js';
import { borrowPaymentsDatabase, type PaymentsDatabase } from '../support/payments-database.js';
import { startSandbox } from '../support/sandbox.js';
import { describeWith, postgresService } from '../support/services.js';
import { WebhooksController } from '../support/webhooks.controller.js';
import { fileOfOrmPage } from './page-file.js';

const FOLDER = join(process.cwd(), 'test', 'orms', 'dist', 'nestjs-cls');

/** Application code that knows nothing of webhooks. */
abstract class Orders {
  abstract markPaid(reference: string, amount: string): Promise<void>;
}

const WAITING = { status: 'waiting', shipped: 0, lines: 0 };
const PAID = { status: 'paid', shipped: 1 };

/** The file of the page. */
interface PageFile {
  readonly JoiningAdapter: new () => object;
  readonly OrderService: Type<Orders>;
  readonly PaidOrders: Type<object>;
}

/** What is written after the order, in a nested transaction. */
@Injectable()
class Audit {
  fails = false;

  constructor(private readonly txHost: TransactionHost<TransactionalAdapterTypeOrm>) {}

  @Transactional(Propagation.Nested)
  async note(line: string): Promise<void> {
    await this.txHost.tx.query('INSERT INTO audit VALUES ($1)', [line]);
    if (this.fails) throw new Error('after the writes');
  }
}

/** Written as for an application that has never heard of webhook transactions. */
@Injectable()
class PlainHandler {
  constructor(private readonly orders: Orders) {}

  @OnPayment('payment.success')
  @Transactional()
  async paid({ data }: PaymentWebhookEvent): Promise<void> {
    await this.orders.markPaid(data.reference, data.amount);
  }
}

/** The last handler of the delivery: the transactions of the library have ended before. */
@Injectable()
class LastHandler {
  fails = false;

  @OnPayment('payment.success')
  end(): void {
    if (this.fails) throw new Error('after the transactions');
  }
}

describeWith([postgresService], '@nestjs-cls/transactional', () => {
  let page: PageFile;
  let database: PaymentsDatabase;
  let sandbox: PaymentsSandbox;
  let source: DataSource;
  let app: INestApplication;

  beforeAll(async () => {
    page = await fileOfOrmPage<PageFile>('transactional-orders.ts', FOLDER);
  });
  afterAll(() => {
    rmSync(FOLDER, { recursive: true });
  });
  beforeEach(async () => {
    vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    database = await borrowPaymentsDatabase(postgresService.url);
    await database.pool
      .query(`CREATE TABLE orders (reference text PRIMARY KEY, amount numeric(15, 2) NOT NULL, status text NOT NULL);
      CREATE TABLE shipments (reference text);
      CREATE TABLE audit (line text);
      INSERT INTO orders VALUES ('order-1', 1180.50, 'waiting')`);
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await app.close();
    await source.destroy();
    await database.close();
  });

  async function boot(
    dataSource: DataSource,
    adapter: unknown,
    storage: PaymentsStorage,
    handler: Type,
  ): Promise<void> {
    source = dataSource;

    @Module({ providers: [{ provide: DataSource, useValue: dataSource }], exports: [DataSource] })
    class DatabaseModule {}

    const orders = {
      inject: [TransactionHost, Audit],
      useFactory: (txHost: unknown, audit: Audit): Orders => {
        const service = new page.OrderService(txHost);
        return {
          markPaid: async (reference, amount) => {
            await service.markPaid(reference, amount);
            await audit.note(reference);
          },
        };
      },
    };
    const module = await Test.createTestingModule({
      imports: [
        ClsModule.forRoot({
          global: true,
          plugins: [new ClsPluginTransactional({ imports: [DatabaseModule], adapter })],
        }),
        PaymentsModule.forRoot({ ...sandbox.moduleOptions(), storage }),
      ],
      controllers: [WebhooksController],
      providers: [
        Audit,
        { provide: page.OrderService, ...orders },
        { provide: Orders, useExisting: page.OrderService },
        handler,
        LastHandler,
      ],
    }).compile();
    app = module.createNestApplication({ logger: false });
    await app.listen(0, '127.0.0.1');
  }

  async function bootJoining(): Promise<void> {
    const { options } = database.pool.options;
    const url = postgresService.url;
    const dataSource = await new DataSource({ type: 'postgres', url, extra: { options } }).initialize();
    const executor = fromTypeOrm(dataSource);
    const storage = sqlStorage({ executor, schema: database.schema, transactional: true });
    await boot(dataSource, new page.JoiningAdapter(), storage, page.PaidOrders);
  }

  async function bootOnView(): Promise<void> {
    const pool = database.connect({ max: 10 });
    const driver = typeOrmDriver(pool);
    const dataSource = await new DataSource({ type: 'postgres', driver }).initialize();
    const storage = postgresStorage({ pool, schema: database.schema, transactional: true });
    const adapter = new TransactionalAdapterTypeOrm({ dataSourceToken: DataSource });
    await boot(dataSource, adapter, storage, PlainHandler);
  }

  const deliver = async (data: Partial<PaymentEventData> = {}): Promise<number> =>
    deliverEvent({ webhookUrl: `${await app.getUrl()}/webhooks/payments` }, sandbox, 'order-1', data);

  async function written(): Promise<readonly unknown[]> {
    const { rows } = await database.pool.query<object>(
      `SELECT status, (SELECT count(*)::int FROM shipments) AS shipped,
         (SELECT count(*)::int FROM audit) AS lines FROM orders`,
    );
    return rows;
  }

  /** The delivery fails in and after the transaction of the library, and then the gateway delivers once more and once too often. */
  async function failsThenWorks(): Promise<void> {
    for (const failing of [app.get(Audit), app.get(LastHandler)]) {
      failing.fails = true;
      expect([await deliver(), await deliver()]).toEqual([500, 500]);
      expect(await written()).toEqual([WAITING]);
      failing.fails = false;
    }
    expect([await deliver(), await deliver()]).toEqual([200, 200]);
    expect(await written()).toEqual([{ ...PAID, lines: 1 }]);
  }

  it('writes in the transaction of an executor that the TransactionHost is given', async () => {
    await bootJoining();
    await failsThenWorks();
  });

  it('ships once, although a second charge of the order is released', async () => {
    await bootJoining();
    expect(await deliver()).toBe(200);
    expect(await deliver({ provider_reference: 'another charge' })).toBe(200);
    const inbox = app.get(PaymentsInbox);
    const [conflict] = await inbox.conflicts();
    await inbox.release(conflict!.id);
    expect(await written()).toEqual([{ ...PAID, lines: 2 }]);
  });

  it('writes in the transaction of an executor, even if the delivery is received in one of the application', async () => {
    await bootJoining();
    const { scheme } = sandbox.moduleOptions().webhooks!;
    const body = JSON.stringify(paymentEvent('payment.success', { reference: 'order-1', amount: '1180.50' }));
    const headers = signWebhook({ scheme, secret: sandbox.webhookSecret, body });
    const undone = app.get(TransactionHost).withTransaction(async () => {
      expect(await app.get(PaymentsInbox).receive(Buffer.from(body), headers)).toMatchObject({ status: 200 });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await written()).toEqual([{ ...PAID, lines: 1 }]);
  });

  it('begins and undoes a transaction of its own outside of a handler, with the adapter of the page', async () => {
    await bootJoining();
    app.get(Audit).fails = true;
    const undone = app
      .get(TransactionHost)
      .withTransaction(() => app.get(Orders).markPaid('order-1', '1180.50'));
    await expect(undone).rejects.toThrow('after the writes');
    expect(await written()).toEqual([WAITING]);
  });

  it('writes in the transaction of a view of the pool, without a line about it', async () => {
    await bootOnView();
    await failsThenWorks();
  });
});
