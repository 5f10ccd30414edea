import { type PaymentsModuleOptions } from '../../config/payments-options.js';

/** The variables of `environmentOf`. */
export const ENVIRONMENT_NAMES = [
  'PAYMENTS_BASE_URL',
  'PAYMENTS_API_KEY',
  'PAYMENTS_API_SECRET',
  'PAYMENTS_WEBHOOK_SECRET',
] as const;

/** Converts options to the variables that `paymentsConfig` reads. */
export function environmentOf({
  baseUrl,
  apiKey,
  apiSecret,
  webhooks,
}: PaymentsModuleOptions): Readonly<Record<(typeof ENVIRONMENT_NAMES)[number], string>> {
  const secrets =
    webhooks?.secrets.map((secret) => (typeof secret === 'string' ? secret : secret.value)) ?? [];
  return {
    PAYMENTS_BASE_URL: baseUrl,
    PAYMENTS_API_KEY: apiKey,
    PAYMENTS_API_SECRET: apiSecret ?? '',
    PAYMENTS_WEBHOOK_SECRET: secrets.join(','),
  };
}
