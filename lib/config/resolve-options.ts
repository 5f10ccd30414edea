import { DEFAULT_ACCOUNT } from '../common/vocabulary.js';
import { readOptions } from './option.js';
import { isRecord, optionErrors } from './option-checks.js';
import { OPTIONS } from './option-defaults.js';
import { resolveCredentials } from './resolve-credentials.js';
import { resolveWebhooks } from './resolve-webhooks.js';
import { type ResolvedPaymentsOptions } from './resolved-options.js';

/**
 * Checks the options of one account and fills in the defaults of `option-defaults.ts`.
 *
 * @throws PaymentsConfigError that names the option, what is wrong and what to write instead.
 */
export function resolveOptions(options: unknown, account: string = DEFAULT_ACCOUNT): ResolvedPaymentsOptions {
  const error = optionErrors(account);
  if (typeof account !== 'string' || !/^[\w.-]{1,64}$/.test(account)) {
    throw optionErrors(DEFAULT_ACCOUNT)(
      'name',
      'must be 1 to 64 letters, digits, dots, dashes or underscores.',
    );
  }
  if (!isRecord(options)) {
    throw error('(all)', 'must be an object: return { baseUrl, apiKey, apiSecret, … } from the factory.');
  }
  return {
    account,
    ...resolveCredentials(options, error),
    ...readOptions(OPTIONS, options, '', error),
    webhooks: resolveWebhooks(options['webhooks'], error),
  };
}
