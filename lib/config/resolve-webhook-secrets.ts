import { type WebhookScheme } from '../common/webhook-scheme.js';
import { secretBytes, secretProblem } from '../common/webhook-secret.js';
import { isRecord, oneOf, type OptionError } from './option-checks.js';
import { type ResolvedWebhookKey } from './resolved-options.js';

const ENCODINGS = ['utf8', 'base64', 'hex'] as const;
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
  const encoding =
    spelled['encoding'] === undefined
      ? undefined
      : oneOf(error, `${option}.encoding`, spelled['encoding'], ENCODINGS);
  const written = { value, encoding };
  const problem = secretProblem(written, scheme.secretForm);
  if (problem !== undefined) throw error(option, `${problem}.`);
  const bytes = secretBytes(written, scheme.secretForm);
  const notAfter = endOf(spelled['notAfter'], `${option}.notAfter`, error);
  // Not enumerable: whoever prints or serializes an object that leads here does not print the key.
  return Object.defineProperty({ bytes, notAfter }, 'bytes', { enumerable: false });
}

function endOf(value: unknown, option: string, error: OptionError): number | undefined {
  if (value === undefined) return undefined;
  const time = momentOf(value);
  if (Number.isNaN(time)) throw error(option, 'is not a moment: write a Date or an ISO 8601 string.');
  return time;
}

function momentOf(value: unknown): number {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'string' && ISO_MOMENT.test(value) ? Date.parse(value) : Number.NaN;
}
