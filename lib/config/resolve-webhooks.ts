import { PAYMENT_EVENT_NAMES } from '../common/events.js';
import { type WebhookScheme } from '../common/webhook-scheme.js';
import { isRecord, oneOf, type OptionError, wholeNumber } from './option-checks.js';
import { type ResolvedWebhookKey, type ResolvedWebhookOptions } from './resolved-options.js';

const MIN_SECRET_BYTES = 16;
const DAY_MS = 86_400_000;
const ENCODED = { base64: /^[A-Za-z0-9+/]+={0,2}$/, hex: /^(?:[0-9a-fA-F]{2})+$/ } as const;

export function resolveWebhooks(value: unknown, error: OptionError): ResolvedWebhookOptions | undefined {
  if (value === undefined) return undefined;
  if (!isRecord(value)) throw error('webhooks', 'must be an object: write { scheme, secrets }.');
  const scheme = checkedScheme(value['scheme'], error);
  const number = (option: string, min: number, fallback: number, max?: number): number =>
    wholeNumber(error, `webhooks.${option}`, value[option], {
      min,
      fallback,
      ...(max === undefined ? {} : { max }),
    });
  const handlerTimeoutMs = number('handlerTimeoutMs', 1, 25_000);
  const leaseMs = number('leaseMs', 1, 60_000);
  if (leaseMs <= handlerTimeoutMs) {
    throw error(
      'webhooks.leaseMs',
      'must be longer than `webhooks.handlerTimeoutMs`, or a second run could start beside the first: write at least twice as much.',
    );
  }
  return {
    scheme,
    keys: resolveSecrets(value['secrets'], scheme, error),
    bodyLimit: number('bodyLimit', 1, 262_144),
    handlerTimeoutMs,
    leaseMs,
    inFlightWaitMs: number('inFlightWaitMs', 0, 2_000),
    retentionMs: number('retentionDays', 1, 30, 36_500) * DAY_MS,
    supersede: supersedePairs(value['supersede'], error),
  };
}

function checkedScheme(scheme: unknown, error: OptionError): WebhookScheme {
  if (isRecord(scheme) && typeof scheme['verify'] === 'function') return scheme as unknown as WebhookScheme;
  throw error(
    'webhooks.scheme',
    'is missing, and there is no default because the specification does not show how the gateway signs: write hmac({ … }) or customScheme({ … }).',
  );
}

function resolveSecrets(
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
  const keys = secrets.map((secret, index) =>
    resolveSecret(secret, `webhooks.secrets[${index}]`, scheme, error),
  );
  const now = Date.now();
  if (keys.every(({ notAfter }) => notAfter !== undefined && notAfter <= now)) {
    throw error('webhooks.secrets', 'holds only secrets whose `notAfter` has passed: add the current one.');
  }
  return keys;
}

function resolveSecret(
  secret: unknown,
  option: string,
  scheme: WebhookScheme,
  error: OptionError,
): ResolvedWebhookKey {
  const spelled: Record<string, unknown> = isRecord(secret) ? secret : { value: secret };
  const { value } = spelled;
  if (typeof value !== 'string') throw error(option, 'must be a string or { value, encoding, notAfter }.');
  if (value.trim() === '') throw error(option, 'is blank: write the signing secret, or leave the entry out.');
  if (value !== value.trim()) throw error(option, 'begins or ends with white space: remove it.');
  const encoding = oneOf(error, `${option}.encoding`, spelled['encoding'] ?? scheme.secretEncoding, [
    'utf8',
    'base64',
    'hex',
  ]);
  if (encoding !== 'utf8' && !ENCODED[encoding].test(value)) {
    throw error(option, `is not ${encoding}: write it in that encoding, or correct \`encoding\`.`);
  }
  const bytes = Buffer.from(value, encoding);
  if (bytes.length < MIN_SECRET_BYTES) {
    throw error(
      option,
      `is shorter than ${MIN_SECRET_BYTES} bytes and could be guessed: use a longer secret.`,
    );
  }
  const notAfter = endOf(spelled['notAfter'], `${option}.notAfter`, error);
  // Not enumerable: whoever prints or serializes an object that leads here does not print the key.
  return Object.defineProperty({ bytes, notAfter }, 'bytes', { enumerable: false });
}

function endOf(value: unknown, option: string, error: OptionError): number | undefined {
  if (value === undefined) return undefined;
  const time = value instanceof Date ? value.getTime() : typeof value === 'string' ? Date.parse(value) : NaN;
  if (Number.isNaN(time)) throw error(option, 'is not a moment: write a Date or an ISO 8601 string.');
  return time;
}

function supersedePairs(value: unknown, error: OptionError): readonly (readonly [string, string])[] {
  const names: readonly unknown[] = PAYMENT_EVENT_NAMES;
  const isPair = (pair: unknown): pair is readonly [string, string] =>
    Array.isArray(pair) && pair.length === 2 && pair.every((name) => names.includes(name));
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every(isPair)) return value;
  throw error(
    'webhooks.supersede',
    "must be a list of pairs of event names: write for example [['payment.failed', 'payment.success']].",
  );
}
