import { ConfigModule } from '@nestjs/config';
import { hmac, paymentsConfig, type PaymentsFactoryOptions, PaymentsModule } from 'nestjs-payments';
import { PaymentsQueueModule } from 'nestjs-payments/bullmq';
import { redisStorage } from 'nestjs-payments/redis';
import { type Settings, settings } from './settings.js';

/** The account, the same in every process: what one of them remembers in Redis, all of them know. */
export const payments = PaymentsModule.forRootAsync({
  imports: [ConfigModule.forFeature(paymentsConfig), ConfigModule.forFeature(settings)],
  inject: [paymentsConfig.KEY, settings.KEY],
  useFactory: (environment: PaymentsFactoryOptions, { redisUrl, prefix, takeOverAfterMs }: Settings) => ({
    ...environment,
    storage: redisStorage({ url: redisUrl, keyPrefix: prefix }),
    webhooks: {
      ...environment.webhooks,
      scheme: hmac({
        header: 'x-webhook-signature',
        algorithm: 'sha256',
        encoding: 'hex',
        payload: ['body'],
      }),
      retentionDays: Infinity, // the signature holds no time, so an old delivery can always come again
      // A claim outlives its worker by this, and a handler ends well before its claim.
      leaseMs: takeOverAfterMs,
      handlerTimeoutMs: Math.ceil(takeOverAfterMs / 2),
    },
  }),
});

/** @param part Who works on what is stored: the workers alone. */
export function queue(part: 'stores' | 'works') {
  return PaymentsQueueModule.forRootAsync({
    imports: [ConfigModule.forFeature(settings)],
    inject: [settings.KEY],
    useFactory: ({ redisUrl, prefix, concurrency, takeOverAfterMs }: Settings) => ({
      connection: { url: redisUrl },
      prefix: `${prefix}queue`,
      worker: part === 'works' && { concurrency, lockMs: Math.ceil(takeOverAfterMs / 2) },
      // Waits of at most 5, 10, 20 and 40 seconds, then the webhook is given up until `npm run office` releases it.
      retry: { maxAttempts: 5, baseDelayMs: 5_000, maxDelayMs: 60_000 },
    }),
  });
}
