import { type DynamicModule, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { existsSync, rmSync } from 'node:fs';
import { type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { PaymentsQueueModule } from 'nestjs-payments/bullmq';
import {
  OnPayment,
  type PaymentEventContext,
  PaymentsModule,
  type PaymentsStorage,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { redisStorage } from 'nestjs-payments/redis';
import { History } from './history.js';
import { EFFECT_HANDLER } from './check-event.js';
import { crashingStorage, type Reach } from './crashing-storage.js';
import { OperatorController } from './operator.controller.js';
import { type Outcome, outcomeOf, planOf, type StorageMode, STORAGES, troubleOf } from './plan.js';
import {
  ACCOUNT,
  LEASE_MS,
  type ReplicaMessage,
  type ReplicaSettings,
  SCHEME,
  SECRET,
  STOPPED_MS,
} from './replica-settings.js';
import { WebhooksController } from '../support/webhooks.controller.js';

const settings = JSON.parse(process.argv[2] ?? '') as ReplicaSettings;
const { crashPoints, stopPoints } = planOf(settings.size);
const history = new History(settings.history, settings.life);

/**
 * Every planned crash and stop happens once. It is written down before its file goes: a kill at random that comes between
 * the two leaves it for another replica, and not one that happened to nobody.
 */
const reach: Reach = async (point, reference, told) => {
  const file = join(settings.planned, reference);
  const lines = told === undefined ? [] : [told];
  if (crashPoints.get(reference) === point && existsSync(file)) {
    history.add([...lines, { what: 'killed', point, reference }]);
    rmSync(file, { force: true });
    process.kill(process.pid, 'SIGKILL');
  }
  if (stopPoints.get(reference) === point && existsSync(file)) {
    history.add([...lines, { what: 'stopped', point, reference }]);
    rmSync(file, { force: true });
    await tell({ stops: true });
    // The runner stops it and lets it continue; until then nothing moves here, whenever the signal comes.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STOPPED_MS);
    return;
  }
  if (lines.length > 0) history.add(lines);
};

/** Makes the effect of an outcome: a row that commits with the claim. */
export type MakeEffect = (reference: string, outcome: Outcome, transaction: unknown) => Promise<unknown>;

/** How a replica uses the application's own pool. */
export interface DatabaseUse {
  readonly makeEffect: MakeEffect;
  /** `postgresStorage()` or `redisStorage()`, as the mode says, if it is left out. */
  readonly storage?: PaymentsStorage;
}

let makeEffect: MakeEffect;

@Injectable()
class Orders {
  @OnPayment('*', { id: EFFECT_HANDLER })
  async ended(event: PaymentWebhookEvent, context: PaymentEventContext): Promise<void> {
    const { reference } = event.data;
    const { attempt, transaction } = context;
    const trouble = troubleOf(settings.size.seed, reference, attempt);
    await reach('in the handler', reference);
    if (trouble === 'throws early') throw new Error('The shop is closed.');
    const outcome = outcomeOf(event.event);
    if (transaction !== undefined) await makeEffect(reference, outcome, transaction);
    history.add({ what: 'effect', reference, outcome, attempt });
    await reach('after the effect', reference);
    if (trouble === 'outlives its lease') await pause(1.5 * LEASE_MS);
    if (trouble === 'is slow') await pause(0.8 * LEASE_MS);
  }

  @OnPayment('*')
  thank({ data: { reference } }: PaymentWebhookEvent, { attempt }: PaymentEventContext): void {
    const trouble = troubleOf(settings.size.seed, reference, attempt);
    if (trouble === 'throws late') throw new Error('The printer is out of paper.');
  }
}

function tell(message: ReplicaMessage): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, () => {
      resolve();
    });
  });
}

function openPool({ url, mode }: ReplicaSettings): Pool {
  // With few connections claims wait for one together, and share its commit; a transaction needs one for itself.
  const pool = new Pool({ connectionString: url, max: STORAGES[mode].isTransactional ? 20 : 2 });
  // A pool tells of idle connections that were lost; unheard, that would end the process.
  pool.on('error', () => undefined);
  return pool;
}

function openStorage({ mode, url }: ReplicaSettings, pool: Pool): PaymentsStorage {
  const { server, isTransactional } = STORAGES[mode];
  return server === 'redis'
    ? redisStorage({ url })
    : postgresStorage({ pool, transactional: isTransactional, preparedStatements: true });
}

@Module({})
class ShopModule {}

function shopModule(storage: PaymentsStorage): DynamicModule {
  const queue = PaymentsQueueModule.forRoot({
    connection: { url: settings.url },
    worker: { lockMs: LEASE_MS },
    retry: { maxAttempts: 100, baseDelayMs: 50, maxDelayMs: 500 },
  });
  return {
    module: ShopModule,
    imports: [
      PaymentsModule.forRoot({
        ...ACCOUNT,
        storage: crashingStorage(storage, history, reach),
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
    controllers: [WebhooksController, OperatorController],
    providers: [Orders],
  };
}

/** One replica of a merchant's application: it receives webhooks until it is killed. */
export async function startReplica(
  use: (pool: Pool, mode: StorageMode) => DatabaseUse | Promise<DatabaseUse>,
): Promise<void> {
  const pool = openPool(settings);
  const database = await use(pool, settings.mode);
  makeEffect = database.makeEffect;
  const storage = database.storage ?? openStorage(settings, pool);
  const app = await NestFactory.create(shopModule(storage), { logger: false });
  await app.listen(0, '127.0.0.1');
  const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
  await tell({ port });
  process.once('disconnect', () => process.exit());
}
