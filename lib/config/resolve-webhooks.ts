import { PAYMENT_EVENT_NAMES } from '../common/events.js';
import { type WebhookScheme } from '../common/webhook-scheme.js';
import { isRecord, type OptionError, wholeNumber } from './option-checks.js';
import { resolveWebhookSecrets } from './resolve-webhook-secrets.js';
import { type ResolvedWebhookOptions } from './resolved-options.js';

const DAY_MS = 86_400_000;

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
    keys: resolveWebhookSecrets(value['secrets'], scheme, error),
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
    'is missing, and there is no default because the specification does not show how the gateway signs: write hmac({ … }), standardWebhooks(), stripeStyle({ … }) or customScheme({ … }).',
  );
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
