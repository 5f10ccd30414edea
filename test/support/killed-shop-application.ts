import { type DynamicModule, Injectable, Module } from '@nestjs/common';
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
import { type DeathPoint, type KilledShopSettings, SHOP_OPTIONS } from './killed-shop.js';
import { WebhooksController } from './webhooks.controller.js';

const { database, deaths } = JSON.parse(process.argv[2] ?? '') as KilledShopSettings;

/** What an application does with its database. */
export interface ShopDatabase<Transaction> {
  readonly storage: PaymentsStorage;
  /** Writes a row of the table `effects`. */
  makeEffect(transaction: Transaction, reference: string): unknown;
}

let shop: ShopDatabase<unknown>;

/** Dies here if that is planned for this payment, once. */
function reach(point: DeathPoint, reference: string): void {
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
  async paid(
    { data: { reference } }: PaymentWebhookEvent,
    { transaction }: PaymentEventContext,
  ): Promise<void> {
    await shop.makeEffect(transaction, reference);
    reach('after the effect', reference);
  }
}

@Module({})
class ShopModule {
  static on(storage: PaymentsStorage): DynamicModule {
    return {
      module: ShopModule,
      imports: [PaymentsModule.forRoot({ ...SHOP_OPTIONS, storage: dying(storage) })],
      controllers: [WebhooksController],
      providers: [Orders],
    };
  }
}

/** A whole application, which receives webhooks until it is killed. */
export async function runShop<Transaction>(
  open: (database: string) => ShopDatabase<Transaction> | Promise<ShopDatabase<Transaction>>,
): Promise<void> {
  shop = await open(database);
  const app = await NestFactory.create(ShopModule.on(shop.storage), { logger: false });
  app.enableShutdownHooks();
  await app.listen(0, '127.0.0.1');
  process.send?.(((app.getHttpServer() as Server).address() as AddressInfo).port);
}
