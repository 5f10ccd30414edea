// One replica of a merchant's application: it hears webhooks until it is killed.
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { existsSync, rmSync } from 'node:fs';
import { type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool, type PoolClient } from 'pg';
import { PaymentsQueueModule } from '../../lib/bullmq/index.js';
import {
  OnPayment,
  type PaymentEventContext,
  PaymentsModule,
  type PaymentsStorage,
  type PaymentWebhookEvent,
} from '../../lib/index.js';
import { postgresStorage } from '../../lib/postgres/index.js';
import { redisStorage } from '../../lib/redis/index.js';
import { History } from './history.js';
import { lethalStorage, type Reach } from './lethal-storage.js';
import { planOf, troubleOf } from './plan.js';
import { ACCOUNT, LEASE_MS, type ReplicaSettings, SCHEME, SECRET } from './replica-settings.js';
import { WebhooksController } from '../support/webhooks.controller.js';

const settings = JSON.parse(process.argv[2] ?? '') as ReplicaSettings;
const { dooms } = planOf(settings.size);
const history = new History(settings.history, settings.life);

/**
 * Every doom strikes once. It is written down before its file goes: a kill at random that comes between the two leaves the
 * doom for another replica, and not one that struck nobody.
 */
const reach: Reach = (point, reference) => {
  const doom = join(settings.dooms, reference);
  if (dooms.get(reference) !== point || !existsSync(doom)) return;
  history.add({ what: 'killed', point, reference });
  rmSync(doom, { force: true });
  process.kill(process.pid, 'SIGKILL');
};

@Injectable()
class Orders {
  @OnPayment('*')
  async paid({ data: { reference } }: PaymentWebhookEvent, context: PaymentEventContext): Promise<void> {
    const { attempt, transaction } = context;
    const trouble = troubleOf(settings.size.seed, reference, attempt);
    reach('in the handler', reference);
    if (trouble === 'throws early') throw new Error('The shop is closed.');
    if (transaction !== undefined) {
      const insert = 'INSERT INTO effects (reference) VALUES ($1)';
      await (transaction as PoolClient).query(insert, [reference]);
    }
    history.add({ what: 'effect', reference, attempt });
    reach('after the effect', reference);
    if (trouble === 'outlives its lease') await pause(1.5 * LEASE_MS);
    if (trouble === 'is slow') await pause(0.8 * LEASE_MS);
  }

  @OnPayment('*')
  thank({ data: { reference } }: PaymentWebhookEvent, { attempt }: PaymentEventContext): void {
    const trouble = troubleOf(settings.size.seed, reference, attempt);
    if (trouble === 'throws late') throw new Error('The printer is out of paper.');
  }
}

function openStorage({ mode, url }: ReplicaSettings): PaymentsStorage {
  if (mode === 'redis' || mode === 'bullmq') return redisStorage({ url });
  const pool = new Pool({ connectionString: url, max: 20 });
  // A pool tells of idle connections that were lost; unheard, that would end the process.
  pool.on('error', () => undefined);
  return postgresStorage({ pool, transactional: mode === 'postgres' });
}

const queue = PaymentsQueueModule.forRoot({
  connection: { url: settings.url },
  worker: { lockMs: LEASE_MS },
  retry: { maxAttempts: 100, baseDelayMs: 50, maxDelayMs: 500 },
});

@Module({
  imports: [
    PaymentsModule.forRoot({
      ...ACCOUNT,
      storage: lethalStorage(openStorage(settings), history, reach),
      webhooks: {
        scheme: SCHEME,
        secrets: [SECRET],
        leaseMs: LEASE_MS,
        handlerTimeoutMs: LEASE_MS / 2,
        inFlightWaitMs: 100,
      },
    }),
    ...(settings.mode === 'bullmq' ? [queue] : []),
  ],
  controllers: [WebhooksController],
  providers: [Orders],
})
class ShopModule {}

const app = await NestFactory.create(ShopModule, { logger: false });
await app.listen(0, '127.0.0.1');
const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
process.send?.(port);
process.once('disconnect', () => process.exit());
