import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type INestApplication, Injectable, Logger, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { InjectDataSource, InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { OnPayment, PaymentsModule, type PaymentWebhookEvent } from 'nestjs-payments';
import { postgresStorage, typeOrmDriver } from 'nestjs-payments/postgres';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { Pool } from 'pg';
import { Column, DataSource, Entity, PrimaryColumn, Repository } from 'typeorm';
import { deliverEvent } from '../support/deliver-event.js';
import { borrowPaymentsDatabase, type PaymentsDatabase } from '../support/payments-database.js';
import { startSandbox } from '../support/sandbox.js';
import { describeWith, postgresService } from '../support/services.js';
import { WebhooksController } from '../support/webhooks.controller.js';

@Entity('shop_orders')
class Order {
  @PrimaryColumn('text')
  reference!: string;

  @Column('int')
  payments!: number;
}

@Entity('shop_audit')
class AuditLine {
  @PrimaryColumn('text')
  line!: string;
}

@Injectable()
class AuditService {
  constructor(@InjectRepository(AuditLine) private readonly lines: Repository<AuditLine>) {}

  async note(line: string): Promise<void> {
    await this.lines.insert({ line });
  }
}

/** Written as for an application that has never heard of webhook transactions. */
@Injectable()
class OrdersService {
  failsAfterwards = false;

  constructor(
    @InjectRepository(Order) private readonly orders: Repository<Order>,
    @InjectDataSource() private readonly source: DataSource,
    private readonly audit: AuditService,
  ) {}

  @OnPayment('payment.success')
  async paid({ data: { reference } }: PaymentWebhookEvent): Promise<void> {
    await this.orders.increment({ reference }, 'payments', 1);
    await this.source.transaction(async (manager) => {
      await manager.increment(Order, { reference }, 'payments', 10);
      await this.audit.note(`paid ${reference}`);
    });
    if (this.failsAfterwards) throw new Error('after the writes');
  }
}

describeWith([postgresService], 'a Nest application with @nestjs/typeorm', () => {
  let database: PaymentsDatabase;
  let sandbox: PaymentsSandbox;
  let app: INestApplication;

  beforeEach(async () => {
    vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    database = await borrowPaymentsDatabase(postgresService.url);
    await database.pool.query(`CREATE TABLE shop_orders (reference text PRIMARY KEY, payments int NOT NULL);
      CREATE TABLE shop_audit (line text PRIMARY KEY);
      INSERT INTO shop_orders VALUES ('order-1', 0)`);
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    const pool = database.connect({ max: 10 });

    @Module({ providers: [{ provide: Pool, useValue: pool }], exports: [Pool] })
    class DatabaseModule {}

    const module = await Test.createTestingModule({
      imports: [
        TypeOrmModule.forRootAsync({
          imports: [DatabaseModule],
          inject: [Pool],
          useFactory: (from: Pool) => ({
            type: 'postgres',
            driver: typeOrmDriver(from),
            autoLoadEntities: true,
          }),
        }),
        TypeOrmModule.forFeature([Order, AuditLine]),
        PaymentsModule.forRootAsync({
          imports: [DatabaseModule],
          inject: [Pool],
          useFactory: (from: Pool) => ({
            ...sandbox.moduleOptions(),
            storage: postgresStorage({ pool: from, schema: database.schema, transactional: true }),
          }),
        }),
      ],
      controllers: [WebhooksController],
      providers: [OrdersService, AuditService],
    }).compile();
    app = module.createNestApplication({ logger: false });
    app.enableShutdownHooks();
    await app.listen(0, '127.0.0.1');
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await app.close();
    await database.close();
  });

  const deliver = async (): Promise<number> =>
    deliverEvent({ webhookUrl: `${await app.getUrl()}/webhooks/payments` }, sandbox, 'order-1');

  async function written(): Promise<readonly unknown[]> {
    const orders = await database.pool.query<object>('SELECT payments FROM shop_orders');
    const audit = await database.pool.query<object>('SELECT line FROM shop_audit');
    return [...orders.rows, ...audit.rows];
  }

  it('writes once with injected repositories, whatever a handler throws after its writes', async () => {
    app.get(OrdersService).failsAfterwards = true;
    expect([await deliver(), await deliver()]).toEqual([500, 500]);
    expect(await written()).toEqual([{ payments: 0 }]);
    app.get(OrdersService).failsAfterwards = false;
    expect([await deliver(), await deliver()]).toEqual([200, 200]);
    expect(await written()).toEqual([{ payments: 11 }, { line: 'paid order-1' }]);
  });

  it('leaves the pool open that the application gave to TypeORM', async () => {
    const pool = app.get(Pool);
    await app.get(DataSource).destroy();
    expect((await pool.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
    await app.get(DataSource).initialize();
  });
});
