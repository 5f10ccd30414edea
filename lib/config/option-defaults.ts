import { PAYMENT_EVENT_NAMES } from '../common/events.js';
import { amountProblem, canonicalAmount, type MoneyInput, parseCents } from '../common/money.js';
import { type WebhookScheme } from '../common/webhook-scheme.js';
import { hasSchemeFields } from '../common/scheme-fields.js';
import { type PaymentsStorage } from '../storage/payments-storage.js';
import { type Encryption } from '../storage/sealed/encryption.js';
import { isEncryptionList, oneEncryption } from '../storage/sealed/encryption-list.js';
import { httpOption } from './http-options.js';
import {
  checked,
  count,
  flag,
  inCode,
  mapped,
  milliseconds,
  type Option,
  section,
  unless,
  word,
  words,
} from './option.js';
import { isRecord } from '../common/json-object.js';
import { type WebhookOptions } from './webhook-options.js';

/** Default waits before a probe. */
const COLLECTION_PROBE_MS = 15_000;
const DISBURSEMENT_PROBE_MS = 40_000;

/** How long a try may take, and how long handled outcomes stay, if no option says so. */
export const DEFAULT_TIMEOUT_MS = 30_000;
export const DEFAULT_RETENTION_DAYS = 30;

const LARGEST_CAP = 10_000;
const MOST_IN_FLIGHT = 1_000_000;
const LARGEST_DAILY_COUNT = 1_000_000_000;

/** Money may have moved after these codes: treating one as a refusal would lose money. */
export const NEVER_REFUSALS: readonly string[] = [
  'DUPLICATE_REQUEST',
  'DUPLICATE_REFERENCE',
  'PROVIDER_ERROR',
];

/** The options of `PaymentsModule`, each with its default and its own check. */
export const OPTIONS = {
  timeoutMs: milliseconds({ min: 1, default: DEFAULT_TIMEOUT_MS }),
  deadlineMs: milliseconds({ min: 1, default: 60_000 }),
  retry: section({
    maxAttempts: count({ min: 1, max: 100, default: 3 }),
    baseDelayMs: milliseconds({ min: 0, default: 500 }),
    maxDelayMs: milliseconds({ min: 0, default: 8_000 }),
  }),
  rate: section({ perSecond: cap(), concurrency: cap() }),
  maxInFlight: count({ min: 1, max: MOST_IN_FLIGHT, default: 1_000 }),
  probe: probe(),
  recoveryWindowMs: milliseconds({ min: 1, max: Number.MAX_SAFE_INTEGER, default: 900_000 }),
  staleAfterMs: milliseconds({ min: 1, max: Number.MAX_SAFE_INTEGER, default: 3_600_000 }),
  statusPaths: section({ collection: statusPath(), disbursement: statusPath() }),
  networks: networks(),
  limits: section({ collection: amountLimits(), disbursement: amountLimits() }),
  amountFormat: section({ collections: word('number', 'string'), disbursements: word('number', 'string') }),
  refusalCodes: refusalCodes(),
  banks: unless(
    section({
      maxAgeMs: milliseconds({ min: 1, default: 3_600_000 }),
      staleIfErrorMs: milliseconds({ min: 0, default: 86_400_000 }),
    }),
    undefined,
    'the gateway is asked every time',
  ),
  http: httpOption(),
  storage: storage(),
  encryption: encryption(),
};

/**
 * The options of the section `webhooks`, each with its default and its own check. `resolve-webhooks.ts` checks
 * combinations.
 */
export const WEBHOOK_OPTIONS = {
  scheme: scheme(),
  secrets: secrets(),
  bodyLimit: count({ min: 1, default: 65_536, unit: 'bytes' }),
  bodyTimeoutMs: milliseconds({ min: 1, default: 10_000 }),
  unverifiedBytesLimit: count({ min: 1, default: 16_777_216, unit: 'bytes' }),
  rawBody: rawBody(),
  expectRoute: flag(true),
  handlerTimeoutMs: milliseconds({ min: 1, default: 25_000 }),
  leaseMs: milliseconds({ min: 1, default: 60_000 }),
  inFlightWaitMs: milliseconds({ min: 0, default: 2_000 }),
  maxInFlight: count({ min: 1, max: MOST_IN_FLIGHT, default: 1_000 }),
  retentionDays: retentionDays(),
  unknownReferences: word('handle', 'set-aside', 'acknowledge'),
  supersede: supersede(),
};

function cap(largest = LARGEST_CAP): Option<number | undefined> {
  const isCap = (value: unknown): value is number =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= largest;
  const problem = `must be a whole number from 1 to ${largest}: write for example 10, or leave it out for no cap.`;
  return unless(checked(`whole number, 1 to ${inCode(largest)}`, isCap, problem), undefined, 'no cap');
}

/**
 * Undefined: no probe for this family. Without options, collections are probed after the default waits and
 * payouts are not; `false` ends the probes of a family, or of both.
 */
function probe() {
  const families = section({
    collections: unless(probeWaits(COLLECTION_PROBE_MS), false, 'its defaults'),
    disbursements: unless(unless(probeWaits(DISBURSEMENT_PROBE_MS), undefined), false, 'false'),
  });
  return mapped(unless(families, false, '{}'), (resolved) => ({
    collection: resolved?.collections,
    disbursement: resolved?.disbursements,
  }));
}

function probeWaits(fallbackMs: number) {
  const afterSilenceMs = milliseconds({ min: 0, default: fallbackMs });
  const fallback = `${afterSilenceMs.default}, or afterSilenceMs if that is longer`;
  const afterAnswerMs = unless(milliseconds({ min: 0, default: fallbackMs }), undefined, fallback);
  // A gateway that reports an error at once may still be making the payment: it needs as much time as a
  // silent one.
  return mapped(section({ afterAnswerMs, afterSilenceMs }), (waits) => ({
    afterAnswerMs: waits.afterAnswerMs ?? Math.max(fallbackMs, waits.afterSilenceMs),
    afterSilenceMs: waits.afterSilenceMs,
  }));
}

function statusPath(): Option<string | undefined> {
  const isPath = (value: unknown): value is string =>
    typeof value === 'string' && /^\/[^\s#]*$/.test(value) && value.split('{reference}').length === 2;
  const example = "'/payments/{reference}'";
  const problem = `must be a path below baseUrl with {reference} in it once: write for example ${example}.`;
  return unless(checked(`path below baseUrl, for example ${example}`, isPath, problem), undefined, 'none');
}

function networks(): Option<ReadonlySet<string> | undefined> {
  const form = { pattern: /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/, example: "['NET_ONE', 'NET_TWO']" };
  return mapped(words(form, 'any upper-case word'), (names, path, error) => {
    if (names?.size !== 0) return names;
    throw error(path, 'is empty, so every payout would be refused: name a network, or leave it out.');
  });
}

function refusalCodes(): Option<ReadonlySet<string>> {
  const form = { pattern: /^[A-Z][A-Z0-9_]*$/, example: "['LIMIT_EXCEEDED']" };
  return mapped(words(form, '[]'), (codes = new Set(), path, error) => {
    const unsafe = NEVER_REFUSALS.find((code) => codes.has(code));
    if (unsafe === undefined) return codes;
    throw error(path, `holds ${unsafe}, after which money may have moved: take it out.`);
  });
}

function amountLimits() {
  const fields = section({ min: amount(), max: amount(), perDay: perDay() });
  return mapped(fields, ({ min, max, perDay: day }, path, error) => {
    if (min !== undefined && max !== undefined && min > max)
      throw error(path, 'has a `min` above its `max`: swap them.');
    if (min !== undefined && day?.maxCents !== undefined && min > day.maxCents)
      throw error(
        path,
        'has a `min` above `perDay.amount`, so every payment would be refused: raise the amount.',
      );
    return { minCents: min, maxCents: max, perDay: day };
  });
}

function perDay() {
  const fields = section({ amount: amount(), count: cap(LARGEST_DAILY_COUNT) });
  const limits = mapped(fields, ({ amount: sum, count: maxCount }, path, error) => {
    if (sum === undefined && maxCount === undefined) {
      throw error(path, "is empty: write for example { amount: '50000000', count: 1000 }, or leave it out.");
    }
    return { maxCents: sum === undefined ? undefined : Number(sum), maxCount };
  });
  return unless(limits, undefined, 'no cap');
}

function amount(): Option<bigint | undefined> {
  return {
    takes: 'amount of TZS',
    default: 'no bound',
    read: (value, path, error) => {
      if (value === undefined) return undefined;
      const problem = amountProblem(value);
      if (problem !== undefined) throw error(path, `${problem}.`);
      return parseCents(canonicalAmount(value as MoneyInput));
    },
  };
}

function storage(): Option<PaymentsStorage | undefined> {
  const isStorage = (value: unknown): value is PaymentsStorage =>
    isRecord(value) && ['journal', 'inbox', 'conflicts'].every((part) => isRecord(value[part]));
  const problem =
    'is not a storage, which has a journal, an inbox and conflicts: write memoryStorage(), or leave it out.';
  return unless(checked('storage', isStorage, problem), undefined, 'memoryStorage()');
}

function encryption(): Option<Encryption | undefined> {
  const problem =
    "is no encryption of the package, nor a list of some: write aesGcm({ keys: { '2026-11': key }, current: '2026-11' }) or " +
    'envelope({ … }), or leave it out.';
  const given = checked('encryption, or a list of encryptions', isEncryptionList, problem);
  return unless(mapped(given, oneEncryption), undefined, 'nothing is sealed');
}

/** Whether a value is a scheme, of the package or written by hand. */
export function isScheme(value: unknown): value is WebhookScheme {
  return isRecord(value) && typeof value['verify'] === 'function' && hasSchemeFields(value);
}

function scheme(): Option<WebhookScheme> {
  const missing =
    'is missing, and there is no default because the specification does not show how the gateway signs: write hmac({ … }), ' +
    'standardWebhooks(), stripeStyle({ … }) or customScheme({ … }).';
  const broken = 'verifies, but its other fields are no scheme: make it with customScheme({ … }).';
  return {
    takes: 'signature scheme',
    default: 'required',
    read: (value, path, error) => {
      if (isScheme(value)) return value;
      const verifies = isRecord(value) && typeof value['verify'] === 'function';
      throw error(path, verifies ? broken : missing);
    },
  };
}

/** The form of a secret depends on its scheme: `resolveWebhookSecrets` checks it. */
function secrets(): Option<unknown> {
  return { takes: 'list of signing secrets', default: 'required', read: (value) => value };
}

function rawBody(): Option<WebhookOptions['rawBody']> {
  const isFunction = (value: unknown): value is NonNullable<WebhookOptions['rawBody']> =>
    typeof value === 'function';
  const problem = 'is not a function: write (request) => request.rawBody, or leave it out.';
  const option = checked('function of the request', isFunction, problem);
  return unless(option, undefined, 'the package reads the request');
}

function retentionDays(): Option<number> {
  const days = count({ min: 1, max: 36_500, default: DEFAULT_RETENTION_DAYS, unit: 'days' });
  return {
    ...days,
    takes: `${days.takes}, or Infinity`,
    read: (value, path, error) => (value === Infinity ? Infinity : days.read(value, path, error)),
  };
}

function supersede(): Option<readonly (readonly [string, string])[]> {
  const names: readonly unknown[] = PAYMENT_EVENT_NAMES;
  const isPair = (pair: unknown): boolean =>
    Array.isArray(pair) && pair.length === 2 && pair.every((name) => names.includes(name));
  const arePairs = (value: unknown): value is readonly (readonly [string, string])[] =>
    Array.isArray(value) && value.every(isPair);
  const problem =
    "must be a list of pairs of event names: write for example [['payment.failed', 'payment.success']].";
  const option = checked('list of pairs of event names', arePairs, problem);
  return mapped(unless(option, undefined, '[]'), (pairs = []) => pairs);
}
