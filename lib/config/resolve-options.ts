import { DEFAULT_ACCOUNT } from '../common/vocabulary.js';
import { amountProblem, canonicalAmount, type MoneyInput, parseCents } from '../common/money.js';
import { type PaymentsStorage } from '../storage/payments-storage.js';
import {
  isRecord,
  oneOf,
  type OptionError,
  optionErrors,
  section,
  wholeNumber,
  wordList,
} from './option-checks.js';
import { optionsRecord, resolveCredentials } from './resolve-credentials.js';
import { resolveRecovery } from './resolve-recovery.js';
import { resolveWebhooks } from './resolve-webhooks.js';
import {
  type ResolvedLimits,
  type ResolvedPaymentsOptions,
  type ResolvedBankDirectory,
  type ResolvedRateOptions,
} from './resolved-options.js';

/** Codes after which money may have moved: calling one of them a refusal would lose money. */
const NEVER_REFUSALS = ['DUPLICATE_REQUEST', 'DUPLICATE_REFERENCE', 'PROVIDER_ERROR'];

/** Fields of sections in which a mistyped one would take a safeguard away. */
const RETRY = ['maxAttempts', 'baseDelayMs', 'maxDelayMs'];
const CAPS = ['perSecond', 'concurrency'];
const FAMILIES = ['collection', 'disbursement'];
const AMOUNT_FORMATS = ['collections', 'disbursements'];

/**
 * Checks the options of one account and fills in the defaults.
 *
 * @throws PaymentsConfigError that names the option, what is wrong and what to write instead.
 */
export function resolveOptions(input: unknown, account: string = DEFAULT_ACCOUNT): ResolvedPaymentsOptions {
  const error = optionErrors(account);
  if (typeof account !== 'string' || !/^[\w.-]{1,64}$/.test(account)) {
    throw optionErrors(DEFAULT_ACCOUNT)(
      'name',
      'must be 1 to 64 letters, digits, dots, dashes or underscores.',
    );
  }
  const options = optionsRecord(input, error);
  const number = (option: string, fallback: number): number =>
    wholeNumber(error, option, options[option], { min: 1, fallback });
  return {
    account,
    ...resolveCredentials(options, error),
    timeoutMs: number('timeoutMs', 30_000),
    deadlineMs: number('deadlineMs', 60_000),
    retry: resolveRetry(section(options, 'retry', error, RETRY), error),
    rate: resolveRate(section(options, 'rate', error, CAPS), error),
    ...resolveRecovery(options, error),
    networks: resolveNetworks(options['networks'], error),
    limits: resolveLimits(section(options, 'limits', error, FAMILIES), error),
    amountFormat: resolveAmountFormat(section(options, 'amountFormat', error, AMOUNT_FORMATS), error),
    refusalCodes: resolveRefusalCodes(options['refusalCodes'], error),
    banks: resolveBanks(options, error),
    http: section(options, 'http', error),
    storage: resolveStorage(options['storage'], error),
    webhooks: resolveWebhooks(options['webhooks'], error),
  };
}

function resolveRetry(retry: Record<string, unknown>, error: OptionError): ResolvedPaymentsOptions['retry'] {
  const number = (option: string, bounds: { min: number; max?: number; fallback: number }): number =>
    wholeNumber(error, `retry.${option}`, retry[option], bounds);
  return {
    maxAttempts: number('maxAttempts', { min: 1, max: 100, fallback: 3 }),
    baseDelayMs: number('baseDelayMs', { min: 0, fallback: 500 }),
    maxDelayMs: number('maxDelayMs', { min: 0, fallback: 8_000 }),
  };
}

function resolveNetworks(value: unknown, error: OptionError): ReadonlySet<string> | undefined {
  const pattern = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;
  const networks = wordList(error, 'networks', value, { pattern, example: "['NET_ONE', 'NET_TWO']" });
  if (networks?.size === 0) {
    throw error('networks', 'is empty, so every payout would be refused: name a network, or leave it out.');
  }
  return networks;
}

function resolveRefusalCodes(value: unknown, error: OptionError): ReadonlySet<string> {
  const codes = wordList(error, 'refusalCodes', value, {
    pattern: /^[A-Z][A-Z0-9_]*$/,
    example: "['LIMIT_EXCEEDED']",
  });
  const unsafe = NEVER_REFUSALS.find((code) => codes?.has(code));
  if (unsafe === undefined) return codes ?? new Set();
  throw error('refusalCodes', `holds ${unsafe}, after which money may have moved: take it out.`);
}

function resolveLimits(
  limits: Record<string, unknown>,
  error: OptionError,
): ResolvedPaymentsOptions['limits'] {
  const family = (name: string): ResolvedLimits => {
    const bounds = section(limits, name, (option, problem) => error(`limits.${option}`, problem), [
      'min',
      'max',
    ]);
    const minCents = limitCents(bounds['min'], `limits.${name}.min`, error);
    const maxCents = limitCents(bounds['max'], `limits.${name}.max`, error);
    if (minCents !== undefined && maxCents !== undefined && minCents > maxCents) {
      throw error(`limits.${name}`, 'has a `min` above its `max`: swap them.');
    }
    return { minCents, maxCents };
  };
  return { collection: family('collection'), disbursement: family('disbursement') };
}

function limitCents(value: unknown, option: string, error: OptionError): bigint | undefined {
  if (value === undefined) return undefined;
  const problem = amountProblem(value);
  if (problem !== undefined) throw error(option, `${problem}.`);
  return parseCents(canonicalAmount(value as MoneyInput));
}

function resolveAmountFormat(
  formats: Record<string, unknown>,
  error: OptionError,
): ResolvedPaymentsOptions['amountFormat'] {
  const format = (family: string): 'number' | 'string' =>
    oneOf(error, `amountFormat.${family}`, formats[family], ['number', 'string']);
  return { collections: format('collections'), disbursements: format('disbursements') };
}

function resolveStorage(value: unknown, error: OptionError): PaymentsStorage | undefined {
  if (value === undefined) return undefined;
  if (isRecord(value) && ['journal', 'inbox', 'conflicts'].every((part) => isRecord(value[part])))
    return value as unknown as PaymentsStorage;
  throw error(
    'storage',
    'is not a storage, which has a journal, an inbox and conflicts: write memoryStorage(), or leave it out.',
  );
}

const FIELDS = ['maxAgeMs', 'staleIfErrorMs'];

/** How long the list of banks is kept; undefined: not at all. */
export function resolveBanks(
  options: Record<string, unknown>,
  error: OptionError,
): ResolvedBankDirectory | undefined {
  if (options['banks'] === undefined) return undefined;
  const banks = section(options, 'banks', error, FIELDS);
  const number = (name: keyof ResolvedBankDirectory, min: number, fallback: number): number =>
    wholeNumber(error, `banks.${name}`, banks[name], { min, fallback });
  return {
    maxAgeMs: number('maxAgeMs', 1, 3_600_000),
    staleIfErrorMs: number('staleIfErrorMs', 0, 86_400_000),
  };
}

const LARGEST = 10_000;

/** The caps on calls of one account; undefined: no cap. */
export function resolveRate(rate: Record<string, unknown>, error: OptionError): ResolvedRateOptions {
  const cap = (name: keyof ResolvedRateOptions): number | undefined => {
    const number = rate[name];
    if (number === undefined) return undefined;
    if (typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= LARGEST)
      return number;
    throw error(
      `rate.${name}`,
      `must be a whole number from 1 to ${LARGEST}: write for example 10, or leave it out for no cap.`,
    );
  };
  return { perSecond: cap('perSecond'), concurrency: cap('concurrency') };
}
