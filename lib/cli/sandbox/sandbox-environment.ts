import { type PaymentsModuleOptions } from '../../config/payments-options.js';

/** Converts options to the variables that `paymentsConfig` reads. */
export function environmentOf({ baseUrl, apiKey, apiSecret, webhooks }: PaymentsModuleOptions) {
  const secrets =
    webhooks?.secrets.map((secret) => (typeof secret === 'string' ? secret : secret.value)) ?? [];
  return {
    PAYMENTS_BASE_URL: baseUrl,
    PAYMENTS_API_KEY: apiKey,
    PAYMENTS_API_SECRET: apiSecret ?? '',
    PAYMENTS_WEBHOOK_SECRET: secrets.join(','),
  };
}
