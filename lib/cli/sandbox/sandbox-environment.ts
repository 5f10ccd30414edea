import { type PaymentsSandbox } from '../../sandbox/payments-sandbox.js';
import { type SeedFile } from './seed-file.js';

/** The variables of `environmentOf`. */
export const ENVIRONMENT_NAMES = [
  'PAYMENTS_BASE_URL',
  'PAYMENTS_API_KEY',
  'PAYMENTS_API_SECRET',
  'PAYMENTS_WEBHOOK_SECRET',
] as const;

/** The variables that `paymentsConfig` reads, for the merchant of the seed file or else the usual one. */
export function environmentOf(
  sandbox: PaymentsSandbox,
  seedFile?: SeedFile,
): Readonly<Record<(typeof ENVIRONMENT_NAMES)[number], string>> {
  const selection = seedFile && { merchant: seedFile.merchant };
  const { baseUrl, apiKey, apiSecret, webhooks } = sandbox.moduleOptions(selection);
  const secrets =
    webhooks?.secrets.map((secret) => (typeof secret === 'string' ? secret : secret.value)) ?? [];
  return {
    PAYMENTS_BASE_URL: baseUrl,
    PAYMENTS_API_KEY: apiKey,
    PAYMENTS_API_SECRET: apiSecret ?? '',
    PAYMENTS_WEBHOOK_SECRET: secrets.join(','),
  };
}
