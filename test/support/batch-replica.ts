import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createPostgresBackend } from 'bullmq';
import { Pool } from 'pg';
import { PaymentsModule } from 'nestjs-payments';
import { PayoutBatchesModule } from 'nestjs-payments/batches';
import { bullmqEngine, type BullmqEngineOptions } from 'nestjs-payments/bullmq';
import { postgresStorage } from 'nestjs-payments/postgres';

/** What the process is told in its environment. */
interface Place {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly database: string;
  readonly schema: string;
  /** Of its connections: the clock of the spec is found first. */
  readonly options: string;
  /** Absent: jobs are in PostgreSQL, too. */
  readonly redis?: string;
  readonly queueName: string;
}

const place = JSON.parse(process.env['BATCH_REPLICA'] ?? '{}') as Place;
const { baseUrl, apiKey, apiSecret } = place;
const pool = new Pool({ connectionString: place.database, options: place.options, max: 8 });
pool.on('error', () => undefined);

function jobs(): Pick<BullmqEngineOptions, 'connection' | 'backend'> {
  if (place.redis !== undefined) return { connection: { url: place.redis } };
  const connection = new Pool({ connectionString: place.database, options: '-c search_path=bullmq' });
  return { connection, backend: createPostgresBackend };
}

@Module({
  imports: [
    PaymentsModule.forRoot({
      baseUrl,
      apiKey,
      apiSecret,
      environment: 'sandbox',
      storage: postgresStorage({ pool, schema: place.schema }),
      rate: { perSecond: 10_000 },
    }),
    PayoutBatchesModule.forRoot({
      engine: bullmqEngine({
        ...jobs(),
        queueName: place.queueName,
        lockMs: 1_000,
      }),
      policy: { stopAfterUnknown: 100, stopAfterRefused: 100 },
    }),
  ],
})
class ReplicaModule {}

const app = await NestFactory.createApplicationContext(ReplicaModule, { logger: false });
app.enableShutdownHooks();
process.stdout.write('works\n');
