import { type WebhookOptions } from './webhook-options.js';
import { type PaymentsModuleOptions } from './payments-options.js';

/**
 * What a factory of `forRootAsync` may return: the options, with a `webhooks` section that the rest of the
 * registration may complete (a scheme cannot come from an environment variable).
 *
 * @publicApi
 */
export type PaymentsFactoryOptions = Omit<PaymentsModuleOptions, 'webhooks'> & {
  /** As much of the section as the factory knows. */
  readonly webhooks?: Partial<WebhookOptions>;
};

/** Every variable that `optionsFromEnvironment` reads. */
export const PAYMENTS_VARIABLES = [
  'PAYMENTS_BASE_URL',
  'PAYMENTS_API_KEY',
  'PAYMENTS_API_SECRET',
  'PAYMENTS_WEBHOOK_SECRET',
  'PAYMENTS_TIMEOUT_MS',
] as const;

/** Reads the variables; an empty one counts as not set. */
export function optionsFromEnvironment(environment: NodeJS.ProcessEnv): PaymentsFactoryOptions {
  const read = (name: (typeof PAYMENTS_VARIABLES)[number]): string | undefined =>
    environment[name]?.trim() || undefined;
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
