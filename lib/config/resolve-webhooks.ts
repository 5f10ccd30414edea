import { type WebhookScheme } from '../common/webhook-scheme.js';
import { readOptions, unless, word } from './option.js';
import { isRecord, type OptionError } from './option-checks.js';
import { WEBHOOK_OPTIONS } from './option-defaults.js';
import { type ResolvedWebhookOptions, type ResolvedWebhookKey } from './resolved-options.js';
import { isShort, secretBytes, secretProblem } from '../common/webhook-secret.js';
import { wasSplitAtCommas } from './environment-options.js';

const DAY_MS = 86_400_000;

export function resolveWebhooks(value: unknown, error: OptionError): ResolvedWebhookOptions | undefined {
  if (value === undefined) return undefined;
  if (!isRecord(value)) throw error('webhooks', 'must be an object: write { scheme, secrets }.');
  return resolveWebhookSection(value, error);
}

/** @throws PaymentsConfigError that names the option. */
export function resolveWebhookSection(
  value: Record<string, unknown>,
  error: OptionError,
): ResolvedWebhookOptions {
  const { secrets, retentionDays, ...options } = readOptions(WEBHOOK_OPTIONS, value, 'webhooks', error);
  const { scheme, leaseMs, handlerTimeoutMs } = options;
  if (leaseMs <= handlerTimeoutMs) {
    throw error(
      'webhooks.leaseMs',
      'must be longer than `webhooks.handlerTimeoutMs`, or a second run could start beside the first: write at least twice as much.',
    );
  }
  const keys = resolveWebhookSecrets(secrets, scheme, error);
  return {
    ...options,
    keys,
    retentionMs: retentionDays * DAY_MS,
    warnings: [...secretWarnings(secrets, keys), ...replayWarnings(scheme, retentionDays)],
  };
}

/** The inbox must not forget a delivery that stays valid for ever. */
function replayWarnings({ name, signsTime }: WebhookScheme, retentionDays: number): readonly string[] {
  if (signsTime || retentionDays === Infinity) return [];
  return [
    `the scheme ${name} signs no time, so an old delivery can be sent again for ever, while PaymentsInbox.purge() forgets handled ` +
      `ones after ${retentionDays} days (webhooks.retentionDays), and only the journal then knows that they were handled. Write ` +
      'retentionDays: Infinity, or a scheme with a signed time if the gateway sends one: the timestamp of hmac(), or signsTime ' +
      'of customScheme().',
  ];
}

const ENCODING = unless(word('utf8', 'base64', 'hex'), undefined);
const SPLIT =
  'PAYMENTS_WEBHOOK_SECRET was split at its commas: if a comma belongs to one secret, write that one whole beside the ' +
  'factory, webhooks: { scheme, secrets: [process.env.PAYMENTS_WEBHOOK_SECRET] }.';
const ISO_MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** @throws PaymentsConfigError that names the entry; its message never repeats the secret. */
export function resolveWebhookSecrets(
  secrets: unknown,
  scheme: WebhookScheme,
  error: OptionError,
): readonly ResolvedWebhookKey[] {
  if (!Array.isArray(secrets) || secrets.length === 0) {
    throw error(
      'webhooks.secrets',
      `${typeof secrets === 'string' ? 'is not a list' : 'is missing'}: write a list with the signing secret (from the environment: PAYMENTS_WEBHOOK_SECRET).`,
    );
  }
  const errorOfList: OptionError = wasSplitAtCommas(secrets)
    ? (option, problem) => error(option, `${problem} ${SPLIT}`)
    : error;
  const keys = secrets.map((secret, index) =>
    resolveSecret(secret, `webhooks.secrets[${index}]`, scheme, errorOfList),
  );
  const now = Date.now();
  if (keys.every(({ notAfter }) => notAfter !== undefined && notAfter <= now)) {
    throw error('webhooks.secrets', 'holds only secrets whose `notAfter` has passed: add the current one.');
  }
  return keys;
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
  const encoding = ENCODING.read(spelled['encoding'], `${option}.encoding`, error);
  const allowShort = spelled['allowShort'] ?? false;
  if (typeof allowShort !== 'boolean') throw error(`${option}.allowShort`, 'must be true or false.');
  const written = { value, encoding, allowShort };
  const problem = secretProblem(written, scheme.secretForm);
  if (problem !== undefined) throw error(option, `${problem}.`);
  const bytes = secretBytes(written, scheme.secretForm);
  const notAfter = endOf(spelled['notAfter'], `${option}.notAfter`, error);
  // A closure keeps the key out of logs and serialized objects.
  return { bytes: () => bytes, notAfter, isShort: isShort(bytes, scheme.secretForm) };
}

function endOf(value: unknown, option: string, error: OptionError): number | undefined {
  if (value === undefined) return undefined;
  const isMoment = value instanceof Date || (typeof value === 'string' && ISO_MOMENT.test(value));
  const time = isMoment ? new Date(value).getTime() : Number.NaN;
  if (Number.isNaN(time)) throw error(option, 'is not a moment: write a Date or an ISO 8601 string.');
  return time;
}
