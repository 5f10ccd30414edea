import { ConfigModule } from '@nestjs/config';
import { hmac, paymentsConfig, type PaymentsFactoryOptions, PaymentsModule } from 'nestjs-payments';
import { PaymentsQueueModule } from 'nestjs-payments/bullmq';
import { redisStorage } from 'nestjs-payments/redis';
import { type Settings, settings } from './settings.js';

/** The account, the same in every process: all processes share the journal and the inbox in Redis. */
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
      // Another worker takes over after this time. A handler must end well before its claim.
      leaseMs: takeOverAfterMs,
      handlerTimeoutMs: Math.ceil(takeOverAfterMs / 2),
    },
  }),
});

/** @param part Web processes only store webhooks; workers handle them. */
export function queue(part: 'stores' | 'works') {
  return PaymentsQueueModule.forRootAsync({
    imports: [ConfigModule.forFeature(settings)],
    inject: [settings.KEY],
    useFactory: ({ redisUrl, prefix, concurrency, takeOverAfterMs }: Settings) => ({
      connection: { url: redisUrl },
      prefix: `${prefix}queue`,
      worker: part === 'works' && { concurrency, lockMs: Math.ceil(takeOverAfterMs / 2) },
      // Waits of at most 5, 10, 20 and 40 seconds, then the webhook fails finally, until `npm run office`
      // releases it.
      retry: { maxAttempts: 5, baseDelayMs: 5_000, maxDelayMs: 60_000 },
    }),
  });
}
