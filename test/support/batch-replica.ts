import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Pool } from 'pg';
import { PaymentsModule } from 'nestjs-payments';
import { PayoutBatchesModule } from 'nestjs-payments/batches';
import { bullmqEngine } from 'nestjs-payments/bullmq';
import { postgresStorage } from 'nestjs-payments/postgres';

/** What the process is told in its environment. */
interface Place {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly database: string;
  readonly schema: string;
  readonly redis: string;
  readonly queueName: string;
}

const place = JSON.parse(process.env['BATCH_REPLICA'] ?? '{}') as Place;
const { baseUrl, apiKey, apiSecret } = place;
const pool = new Pool({ connectionString: place.database, max: 8 });
pool.on('error', () => undefined);

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
        connection: { url: place.redis },
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
