import { type ConfigFactory, type ConfigFactoryKeyHost, registerAs } from '@nestjs/config';
import { optionsFromEnvironment, type PaymentsFactoryOptions } from './environment-options.js';

/**
 * The options of the environment, through `@nestjs/config`, in the namespace `nestjs-payments`:
 *
 * | variable | option |
 * |---|---|
 * | `PAYMENTS_BASE_URL` | `baseUrl` |
 * | `PAYMENTS_API_KEY` | `apiKey` |
 * | `PAYMENTS_API_SECRET` | `apiSecret` |
 * | `PAYMENTS_WEBHOOK_SECRET` | `webhooks.secrets`, a comma list while rotating; a warning at boot says that
 * it was split |
 * | `PAYMENTS_TIMEOUT_MS` | `timeoutMs` |
 *
 * @example
 * ```ts
 * PaymentsModule.forRootAsync({
 *   ...paymentsConfig.asProvider(),
 *   webhooks: {
 *     scheme: hmac({ header: 'x-webhook-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] }),
 *     retentionDays: Infinity, // the signature holds no time, so an old delivery can always come again
 *   },
 * })
 * ```
 *
 * @publicApi
 */
export const paymentsConfig: ConfigFactory<PaymentsFactoryOptions> &
  ConfigFactoryKeyHost<PaymentsFactoryOptions> = registerAs('nestjs-payments', () =>
  optionsFromEnvironment(process.env),
);
