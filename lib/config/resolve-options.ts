import { ACCOUNT_NAME_RULE, isAccountName } from '../common/account-name.js';
import { DEFAULT_ACCOUNT } from '../common/vocabulary.js';
import { readOptions } from './option.js';
import { isRecord } from '../common/json-object.js';
import { optionErrors } from '../errors/option-errors.js';
import { readAll } from '../errors/wrong-options.js';
import { OPTIONS } from './option-defaults.js';
import { twoAuthorizations } from './http-options.js';
import { unknownNames } from './option-names.js';
import { hasResolver, type ResolvedResolverOptions, resolveResolverOptions } from './resolve-accounts.js';
import { uncountedCaps } from './uncounted-caps.js';
import { resolveCredentials } from './resolve-credentials.js';
import { resolveWebhooks } from './resolve-webhooks.js';
import { type ResolvedPaymentsOptions } from './resolved-options.js';

/**
 * Checks the options of one account and fills in the defaults of `option-defaults.ts`.
 *
 * @throws PaymentsConfigError that names every wrong option, what is wrong and what to write instead.
 */
export function resolveOptions(options: unknown, account: string = DEFAULT_ACCOUNT): ResolvedPaymentsOptions {
  checkName(account);
  const error = optionErrors(account);
  if (!isRecord(options)) {
    throw error('(all)', 'must be an object: return { baseUrl, apiKey, apiSecret, … } from the factory.');
  }
  const { credentials, others, webhooks } = readAll({
    credentials: () => resolveCredentials(options, error),
    others: () =>
      readOptions(OPTIONS, options, '', error, (read) => [
        ...unknownNames(options, error),
        ...twoAuthorizations(options, error),
        ...uncountedCaps(read, error),
      ]),
    webhooks: () => resolveWebhooks(options['webhooks'], error),
  });
  return { account, ...credentials, ...others, webhooks };
}

/** @throws PaymentsConfigError */
function checkName(account: unknown): void {
  if (!isAccountName(account)) throw optionErrors(DEFAULT_ACCOUNT)('name', `must be ${ACCOUNT_NAME_RULE}.`);
}

/** The options of a registration: of one account, or of all accounts of a resolver. */
export type ResolvedRegistration = ResolvedPaymentsOptions | ResolvedResolverOptions;

/**
 * Checks the options of a registration.
 *
 * @throws PaymentsConfigError that names every wrong option, what is wrong and what to write instead.
 */
export function resolveRegistration(options: unknown, name: string): ResolvedRegistration {
  if (!hasResolver(options)) return resolveOptions(options, name);
  checkName(name);
  return resolveResolverOptions(options, name);
}
