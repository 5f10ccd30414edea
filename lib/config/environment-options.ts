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

/** Lists that came out of one variable: whoever put a secret with a comma there has to hear of it. */
const splitLists = new WeakSet<object>();

/** Whether a list of secrets is one variable, split at its commas. */
export function wasSplitAtCommas(secrets: unknown): boolean {
  return typeof secrets === 'object' && secrets !== null && splitLists.has(secrets);
}

function secretsIn(variable: string): readonly string[] {
  const secrets = variable.split(',').map((secret) => secret.trim());
  if (secrets.length > 1) splitLists.add(secrets);
  return secrets;
}
