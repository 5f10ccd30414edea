// One replica of an application that pays batches, until it is killed.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Pool } from 'pg';
import { PaymentsModule } from 'nestjs-payments';
import { PayoutBatchesModule } from 'nestjs-payments/batches';
import { bullmqEngine } from 'nestjs-payments/bullmq';
import { postgresStorage } from 'nestjs-payments/postgres';
import { History } from '../history.js';
import { insist } from '../insist.js';
import {
  type BatchReplicaSettings,
  DEADLINE_MS,
  LOCK_MS,
  POLICY,
  QUEUE,
  RATE,
  RETRY,
  SPARED,
} from './batch-settings.js';
import { Dying } from './dying.js';

const MEASURED_EVERY_MS = 500;

const settings = JSON.parse(process.argv[2] ?? '') as BatchReplicaSettings;
const history = new History(settings.history, settings.life);
const isSpared = settings.life.startsWith(SPARED);
const dying = new Dying(settings.planned, history, isSpared);
// So few that payments wait for a connection together, and share its commit.
const pool = new Pool({ connectionString: settings.url, max: 2 });
pool.on('error', () => undefined);

@Module({
  imports: [
    PaymentsModule.forRoot({
      ...settings.gateway,
      environment: 'sandbox',
      storage: dying.storage(postgresStorage({ pool, preparedStatements: true })),
      rate: RATE,
      retry: RETRY,
      deadlineMs: DEADLINE_MS,
    }),
    PayoutBatchesModule.forRoot({
      engine: dying.engine(
        bullmqEngine({ connection: { url: settings.redis }, queueName: QUEUE, lockMs: LOCK_MS }),
      ),
      policy: POLICY,
    }),
  ],
})
class ReplicaModule {}

// As a supervisor of processes does: again, while the storage is away.
const app = await insist(() =>
  NestFactory.createApplicationContext(ReplicaModule, { logger: false, abortOnError: false }),
);
process.once('disconnect', () => process.exit());
// It has no port: it works.
process.send?.({ port: 0 });
if (isSpared) {
  setInterval(() => {
    history.add({ what: 'memory', kb: Math.round(process.memoryUsage.rss() / 1_024) });
  }, MEASURED_EVERY_MS);
}
app.enableShutdownHooks();
