import { type ConfigFactory, type ConfigFactoryKeyHost, registerAs } from '@nestjs/config';
import { type PaymentsModuleOptions, type WebhookOptions } from './payments-options.js';

/**
 * What a factory of `forRootAsync` may return: the options, with a `webhooks` section that the rest of the
 * registration may complete (a scheme cannot come from an environment variable).
 *
 * @publicApi
 */
export type PaymentsFactoryOptions = Omit<PaymentsModuleOptions, 'webhooks'> & {
  readonly webhooks?: Partial<WebhookOptions>;
};

/**
 * The options that the environment holds, through `@nestjs/config`:
 *
 * | variable | option |
 * |---|---|
 * | `PAYMENTS_BASE_URL` | `baseUrl` |
 * | `PAYMENTS_API_KEY` | `apiKey` |
 * | `PAYMENTS_API_SECRET` | `apiSecret` |
 * | `PAYMENTS_WEBHOOK_SECRET` | `webhooks.secrets`, a comma list while rotating |
 * | `PAYMENTS_TIMEOUT_MS` | `timeoutMs` |
 *
 * @example
 * PaymentsModule.forRootAsync({
 *   ...paymentsConfig.asProvider(),
 *   webhooks: { scheme: hmac({ header: 'x-webhook-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] }) },
 * })
 *
 * @publicApi
 */
export const paymentsConfig: ConfigFactory<PaymentsFactoryOptions> &
  ConfigFactoryKeyHost<PaymentsFactoryOptions> = registerAs('payments', () =>
  optionsFromEnvironment(process.env),
);

/** Reads the variables; an empty one counts as not set. */
export function optionsFromEnvironment(environment: NodeJS.ProcessEnv): PaymentsFactoryOptions {
  const read = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const apiSecret = read('PAYMENTS_API_SECRET');
  const webhookSecrets = read('PAYMENTS_WEBHOOK_SECRET');
  const timeout = read('PAYMENTS_TIMEOUT_MS');
  return {
    baseUrl: read('PAYMENTS_BASE_URL') ?? '',
    apiKey: read('PAYMENTS_API_KEY') ?? '',
    ...(apiSecret === undefined ? {} : { apiSecret }),
    ...(timeout === undefined ? {} : { timeoutMs: Number(timeout) }),
    ...(webhookSecrets === undefined
      ? {}
      : { webhooks: { secrets: webhookSecrets.split(',').map((secret) => secret.trim()) } }),
  };
}
