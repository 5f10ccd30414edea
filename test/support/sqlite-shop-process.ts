// A whole application on one file of SQLite, which receives webhooks until it is killed.
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { existsSync, rmSync } from 'node:fs';
import { type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import {
  type InboxStore,
  OnPayment,
  type PaymentEventContext,
  PaymentsModule,
  type PaymentsStorage,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { type SqliteDatabase, sqliteStorage } from 'nestjs-payments/sqlite';
import { SQLITE_SHOP, type SqliteShopSettings } from './sqlite-shop.js';
import { WebhooksController } from './webhooks.controller.js';

const { file, deaths } = JSON.parse(process.argv[2] ?? '') as SqliteShopSettings;

/** Dies here if that is planned for this payment, once. */
function reach(point: string, reference: string): void {
  const planned = join(deaths, `${reference} ${point}`);
  if (!existsSync(planned)) return;
  rmSync(planned);
  process.kill(process.pid, 'SIGKILL');
}

/** A storage around whose end of a claim the process may die. */
function dying(inner: PaymentsStorage): PaymentsStorage {
  const claim: InboxStore['claim'] = async (delivery, leaseMs) => {
    const result = await inner.inbox.claim(delivery, leaseMs);
    if (result.result !== 'claimed') return result;
    const { reference } = delivery.key;
    reach('after the claim', reference);
    const { claim: held } = result;
    const finish = async (): Promise<boolean> => {
      reach('before the finish', reference);
      const said = await held.finish();
      reach('after the finish', reference);
      return said;
    };
    return { result: 'claimed', claim: Object.assign(Object.create(held) as typeof held, { finish }) };
  };
  const inbox = Object.assign(Object.create(inner.inbox) as InboxStore, { claim });
  return { ...inner, inbox };
}

@Injectable()
class Orders {
  @OnPayment('payment.success')
  paid(
    { data: { reference } }: PaymentWebhookEvent,
    { transaction }: PaymentEventContext<SqliteDatabase>,
  ): void {
    transaction.prepare('INSERT INTO effects (reference) VALUES (?)').run(reference);
    reach('after the effect', reference);
  }
}

@Module({
  imports: [
    PaymentsModule.forRoot({ ...SQLITE_SHOP, storage: dying(sqliteStorage({ file, transactional: true })) }),
  ],
  controllers: [WebhooksController],
  providers: [Orders],
})
class ShopModule {}

const app = await NestFactory.create(ShopModule, { logger: false });
app.enableShutdownHooks();
await app.listen(0, '127.0.0.1');
process.send?.(((app.getHttpServer() as Server).address() as AddressInfo).port);
