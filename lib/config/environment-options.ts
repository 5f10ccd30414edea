import { type WebhookOptions } from './webhook-options.js';
import { type PaymentsModuleOptions } from './payments-options.js';

/**
 * The result of a factory of `forRootAsync`: the options, with a `webhooks` section that the options beside
 * the factory may complete (a scheme cannot come from an environment variable).
 *
 * @publicApi
 */
export type PaymentsFactoryOptions = Omit<PaymentsModuleOptions, 'webhooks'> & {
  /** The part of the section that the factory knows. */
  readonly webhooks?: Partial<WebhookOptions> | undefined;
};

/** The variables that `optionsFromEnvironment` reads. */
export const PAYMENTS_VARIABLES = [
  'PAYMENTS_BASE_URL',
  'PAYMENTS_API_KEY',
  'PAYMENTS_API_SECRET',
  'PAYMENTS_WEBHOOK_SECRET',
  'PAYMENTS_TIMEOUT_MS',
] as const;

/** Reads the variables. An empty one counts as not set. */
export function optionsFromEnvironment(environment: NodeJS.ProcessEnv): PaymentsFactoryOptions {
  const read = (name: (typeof PAYMENTS_VARIABLES)[number]): string | undefined =>
    environment[name]?.trim() || undefined;
  const apiSecret = read('PAYMENTS_API_SECRET');
  const webhookSecret = read('PAYMENTS_WEBHOOK_SECRET');
  const timeout = read('PAYMENTS_TIMEOUT_MS');
  return {
    baseUrl: read('PAYMENTS_BASE_URL') ?? '',
    apiKey: read('PAYMENTS_API_KEY') ?? '',
    ...(apiSecret === undefined ? {} : { apiSecret }),
    ...(timeout === undefined ? {} : { timeoutMs: Number(timeout) }),
    ...(webhookSecret === undefined ? {} : { webhooks: { secrets: secretsIn(webhookSecret) } }),
  };
}

/** Lists split from one variable. The package warns, because a secret in it may contain a comma. */
const splitLists = new WeakSet<object>();

/** Whether a list of secrets was split from one variable. */
export function wasSplitAtCommas(secrets: unknown): boolean {
  return secrets instanceof Object && splitLists.has(secrets);
}

function secretsIn(variable: string): readonly string[] {
  const secrets = variable.split(',').map((secret) => secret.trim());
  if (secrets.length > 1) splitLists.add(secrets);
  return secrets;
}
