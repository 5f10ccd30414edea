import { type WebhookScheme } from '../common/webhook-scheme.js';
import { type PaymentsConfigError } from '../errors/payments-errors.js';
import { flag, readOptions, unless, word } from './option.js';
import { instantOf } from '../common/instant.js';
import { isRecord } from '../common/json-object.js';
import { type OptionError, unknownOptions } from '../errors/option-errors.js';
import { readAll, readEach } from '../errors/wrong-options.js';
import { DEFAULT_RETENTION_DAYS, isScheme, WEBHOOK_OPTIONS } from './option-defaults.js';
import { type ResolvedWebhookOptions, type ResolvedWebhookKey } from './resolved-options.js';
import { isShort, secretBytes, secretProblem } from '../common/webhook-secret.js';
import { wasSplitAtCommas } from './environment-options.js';

const DAY_MS = 86_400_000;

export function resolveWebhooks(value: unknown, error: OptionError): ResolvedWebhookOptions | undefined {
  if (value === undefined) return undefined;
  if (!isRecord(value)) throw error('webhooks', 'must be an object: write { scheme, secrets }.');
  return resolveWebhookSection(value, error);
}

/** @throws PaymentsConfigError that names every wrong option. */
export function resolveWebhookSection(
  value: Record<string, unknown>,
  error: OptionError,
): ResolvedWebhookOptions {
  const { shared, keys } = readAll({
    shared: () => readSharedWebhooks(value, error),
    keys: () => currentKeys(resolveWebhookSecrets(value['secrets'], schemeIn(value), error), error),
  });
  return { ...shared, keys, warnings: [...secretWarnings(value['secrets'], keys), ...shared.warnings] };
}

/** The section `webhooks` without its secrets. */
export type SharedWebhookOptions = Omit<ResolvedWebhookOptions, 'keys'>;

/** @throws PaymentsConfigError that names every wrong option but those of the secrets. */
export function readSharedWebhooks(value: Record<string, unknown>, error: OptionError): SharedWebhookOptions {
  const read = readOptions(WEBHOOK_OPTIONS, value, 'webhooks', error, (read) => [
    ...unknownOptions(Object.keys(value), Object.keys(WEBHOOK_OPTIONS), 'webhooks', error),
    ...shortLease(read, error),
  ]);
  const { secrets: _, retentionDays, ...options } = read;
  return {
    ...options,
    retentionMs: retentionDays * DAY_MS,
    warnings: replayWarnings(options.scheme, retentionDays),
  };
}

/** How long the handled outcomes of an account stay, with or without the option `webhooks`. */
export function retentionMsOf(webhooks: Pick<ResolvedWebhookOptions, 'retentionMs'> | undefined): number {
  return webhooks?.retentionMs ?? DEFAULT_RETENTION_DAYS * DAY_MS;
}

function shortLease(
  { leaseMs, handlerTimeoutMs }: { readonly leaseMs?: number; readonly handlerTimeoutMs?: number },
  error: OptionError,
): readonly PaymentsConfigError[] {
  if (leaseMs === undefined || handlerTimeoutMs === undefined || leaseMs > handlerTimeoutMs) return [];
  const problem =
    'must be longer than `webhooks.handlerTimeoutMs`, or a second run could start beside the first: write at least twice as much.';
  return [error('webhooks.leaseMs', problem)];
}

/** Undefined if it is wrong, which the table of options reports. */
function schemeIn({ scheme }: Record<string, unknown>): WebhookScheme | undefined {
  return isScheme(scheme) ? scheme : undefined;
}

/** The inbox must not forget a delivery that never expires. */
function replayWarnings({ name, signsTime }: WebhookScheme, retentionDays: number): readonly string[] {
  if (signsTime || retentionDays === Infinity) return [];
  return [
    `the scheme ${name} signs no time, so an attacker can replay an old delivery at any time, while PaymentsInbox.purge() forgets handled ` +
      `ones after ${retentionDays} days (webhooks.retentionDays), and only the journal then knows that they were handled. Write ` +
      'retentionDays: Infinity, or a scheme with a signed time if the gateway sends one: the timestamp of hmac(), or signsTime ' +
      'of customScheme().',
  ];
}

const SECRET_SPELLING = {
  encoding: unless(word('utf8', 'base64', 'hex'), undefined),
  allowShort: flag(false),
};
const SECRET_FIELDS = ['value', ...Object.keys(SECRET_SPELLING), 'notAfter'];
const SPLIT =
  'PAYMENTS_WEBHOOK_SECRET was split at its commas: if a comma belongs to one secret, write that one whole beside the ' +
  'factory, webhooks: { scheme, secrets: [process.env.PAYMENTS_WEBHOOK_SECRET] }.';

/**
 * @param scheme Undefined if it is wrong: then the form of a secret is not known.
 * @throws PaymentsConfigError that names every wrong entry; its message never repeats a secret.
 */
export function resolveWebhookSecrets(
  secrets: unknown,
  scheme: WebhookScheme | undefined,
  error: OptionError,
): readonly ResolvedWebhookKey[] {
  if (!Array.isArray(secrets) || secrets.length === 0) {
    throw error(
      'webhooks.secrets',
      `${typeof secrets === 'string' ? 'is not a list' : 'is missing'}: write a list with the signing secret (from the environment: PAYMENTS_WEBHOOK_SECRET).`,
    );
  }
  if (!scheme) return [];
  const errorOfList: OptionError = wasSplitAtCommas(secrets)
    ? (option, problem) => error(option, `${problem} ${SPLIT}`)
    : error;
  const readers = secrets.map(
    (secret, index) => () => resolveSecret(secret, `webhooks.secrets[${index}]`, scheme, errorOfList),
  );
  return readEach(readers);
}

/** At boot somebody can still correct it. If the scheme is wrong, no key is known yet. */
function currentKeys(keys: readonly ResolvedWebhookKey[], error: OptionError): readonly ResolvedWebhookKey[] {
  if (keys.length === 0 || !haveEnded(keys)) return keys;
  throw error('webhooks.secrets', 'holds only secrets whose `notAfter` has passed: add the current one.');
}

/** Whether the `notAfter` of every key has passed, so that no delivery is genuine. */
export function haveEnded(keys: readonly ResolvedWebhookKey[]): boolean {
  const now = Date.now();
  return keys.every(({ notAfter }) => notAfter !== undefined && notAfter <= now);
}

/** The warnings about accepted secrets, for the log at boot. */
function secretWarnings(secrets: unknown, keys: readonly ResolvedWebhookKey[]): readonly string[] {
  const short = keys.flatMap(({ isShort, bytes }, index) =>
    isShort
      ? [
          `webhooks.secrets[${index}] has only ${bytes().length} bytes (allowShort): an attacker with one delivery can try out ` +
            'all secrets of that length. Ask the gateway for a longer one.',
        ]
      : [],
  );
  return wasSplitAtCommas(secrets)
    ? [`PAYMENTS_WEBHOOK_SECRET is read as ${keys.length} secrets, any of which signs. ${SPLIT}`, ...short]
    : short;
}

function resolveSecret(
  secret: unknown,
  option: string,
  scheme: WebhookScheme,
  error: OptionError,
): ResolvedWebhookKey {
  const spelled: Record<string, unknown> = isRecord(secret) ? secret : { value: secret };
  const { value } = spelled;
  if (typeof value !== 'string')
    throw error(option, 'must be a string or { value, encoding, allowShort, notAfter }.');
  const { bytes, notAfter } = readAll({
    bytes: () => resolveBytes(value, spelled, option, scheme, error),
    notAfter: () => endOf(spelled['notAfter'], `${option}.notAfter`, error),
  });
  // A closure keeps the key out of logs and serialized objects.
  return { bytes: () => bytes, notAfter, isShort: isShort(bytes, scheme.secretForm) };
}

function resolveBytes(
  value: string,
  spelled: Record<string, unknown>,
  option: string,
  { secretForm }: WebhookScheme,
  error: OptionError,
): Uint8Array {
  const spelling = readOptions(SECRET_SPELLING, spelled, option, error, () =>
    unknownOptions(Object.keys(spelled), SECRET_FIELDS, option, error),
  );
  const written = { value, ...spelling };
  const problem = secretProblem(written, secretForm);
  if (problem !== undefined) throw error(option, `${problem}.`);
  return secretBytes(written, secretForm);
}

function endOf(value: unknown, option: string, error: OptionError): number | undefined {
  if (value === undefined) return undefined;
  const time = value instanceof Date ? value.getTime() : instantOf(value, { dateAlone: true });
  if (time !== undefined && !Number.isNaN(time)) return time;
  throw error(option, 'is not a moment: write a Date or an ISO 8601 string.');
}
