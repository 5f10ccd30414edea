import { isRecord } from '../../common/json-object.js';
import { COLLECTION_STATUSES, DISBURSEMENT_STATUSES } from '../../common/vocabulary.js';
import { isPossibleClock } from '../clock/clock-state.js';
import { LONGEST_MS } from '../clock/duration.js';
import { LAST_MOMENT } from '../clock/timestamp.js';
import { codeOfTwo, type SandboxBank } from '../core/banks.js';
import { isMerchantName } from '../core/credentials.js';
import { FAULT_KINDS } from '../core/fault.js';
import { SANDBOX_OPERATIONS } from '../core/operation-name.js';
import { type StateKey } from '../core/state-key.js';
import { payoutKinds } from '../openapi/operations.generated.js';

/** Whether a JSON value has a form. */
type Check = (value: unknown) => boolean;

/** Whether a part fits the names in its key. */
type NamesCheck = (names: readonly string[], value: unknown) => boolean;

/** What a moment and a span are added to is a date too. */
const LAST_KEPT = LAST_MOMENT - LONGEST_MS;

const text: Check = (value) => typeof value === 'string';
const flag: Check = (value) => typeof value === 'boolean';
const count: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
/** The position of a random sequence. */
const word: Check = (value) => count(value) && Number(value) < 2 ** 32;
const moment: Check = (value) => typeof value === 'number' && Math.abs(value) <= LAST_KEPT;
const span: Check = (value) => typeof value === 'number' && value >= 0 && value <= LONGEST_MS;
const chance: Check = (value) => typeof value === 'number' && value >= 0 && value <= 1;
/** A wallet adds up amounts, and earlier versions let it begin with any: it may hold far more than one of them. */
const cents: Check = (value) => typeof value === 'string' && /^\d{1,40}$/.test(value);
const merchantName: Check = (value) => typeof value === 'string' && isMerchantName(value);
const answerable: Check = (value) => count(value) && Number(value) >= 200 && Number(value) <= 599;
const indexText: Check = (value) => typeof value === 'string' && /^(?:0|[1-9]\d{0,14})$/.test(value);
const signedCents: Check = (value) => typeof value === 'string' && /^-?\d{1,40}$/.test(value);

const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const nullable =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
/** A value of this form that also fits. */
const fitting =
  (check: Check, fits: (value: never) => boolean): Check =>
  (value) =>
    check(value) && fits(value as never);
/** An object with these fields, and maybe others. */
const record =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isRecord(value) && Object.entries(fields).every(([name, check]) => check(value[name]));

const delivery = record({
  copies: count,
  lost: count,
  forgedFirst: flag,
  atOnce: flag,
  delayMs: span,
  lateCopies: listOf(span),
});

const processing = { afterProcessing: optional(flag) };

/** The fields of each kind of fault that has some. */
const FAULT_FIELDS: Readonly<Record<string, Check>> = {
  status: record({
    status: answerable,
    options: record({ ...processing, retryAfter: optional(count), code: optional(text) }),
  }),
  html: record({ status: answerable, options: optional(record(processing)) }),
  delay: record({ delayMs: span }),
  drip: record({ everyMs: span }),
};

const money = (statuses: readonly string[]) => ({
  merchant: merchantName,
  amountCents: cents,
  feeCents: cents,
  createdAt: moment,
  plan: record({
    transitions: listOf(record({ afterMs: span, to: oneOf(...statuses) })),
    expires: flag,
    beforeAnswer: flag,
    delivery,
  }),
  status: oneOf(...statuses),
  settledAt: optional(moment),
  reason: optional(text),
});

/**
 * The form of each kind of part: what would otherwise break the emulator long after an import. Each has the fields
 * that the emulator calculates with or writes into answers.
 */
export const PART_CHECKS: Readonly<Record<StateKey[0], Check>> = {
  settings: record({ seed: optional(word), webhookSecret: optional(text) }),
  clock: fitting(
    record({ kind: oneOf('real', 'manual'), skew: moment, stoppedAt: optional(moment) }),
    isPossibleClock,
  ),
  counters: record({ requests: count, endpoints: count }),
  banks: fitting(
    listOf(record({ id: count, name: text, code: text, long_code: optional(text) })),
    (banks: readonly SandboxBank[]) => codeOfTwo(banks) === undefined,
  ),
  faults: record({
    planned: count,
    chances: listOf((entry) => Array.isArray(entry) && text(entry[0]) && word(entry[1])),
    waiting: listOf(
      record({
        id: text,
        operation: oneOf(...SANDBOX_OPERATIONS),
        reference: optional(text),
        merchant: optional(text),
        left: nullable((value) => count(value) && value !== 0),
        probability: chance,
        fault: fitting(
          record({ kind: oneOf(...FAULT_KINDS) }),
          (fault: { readonly kind: string }) => FAULT_FIELDS[fault.kind]?.(fault) ?? true,
        ),
      }),
    ),
  }),
  ids: word,
  merchant: record({
    available: cents,
    locked: cents,
    adjustments: optional(listOf(record({ at: moment, cents: signedCents, reference: optional(text) }))),
    pairs: optional(
      fitting(
        record({ firstValid: count, newest: count }),
        (pairs: { readonly firstValid: number; readonly newest: number }) => pairs.firstValid <= pairs.newest,
      ),
    ),
  }),
  directory: listOf((entry) => Array.isArray(entry) && text(entry[0]) && nullable(text)(entry[1])),
  key: record({
    request: optional(text),
    answer: optional(record({ status: count, body: isRecord })),
  }),
  payment: record({
    ...money(COLLECTION_STATUSES),
    request: record({ reference: text, phone: text, customer_name: text, customer_email: text }),
    method: oneOf('mobile_money', 'partnerpesa'),
    providerReference: text,
    channel: text,
    expiresAt: moment,
    processingAt: optional(moment),
  }),
  payout: record({
    ...money(DISBURSEMENT_STATUSES),
    request: record({ reference: text, remarks: text }),
    recipient: record({ kind: oneOf(...payoutKinds), channel: text, fields: isRecord }),
  }),
  endpoint: record({
    id: text,
    merchant: optional(merchantName),
    createdAt: moment,
    url: text,
    events: optional(listOf(text)),
    enabled: flag,
    secrets: fitting(
      listOf(record({ text, createdAt: moment, expiresAt: optional(moment) })),
      (secrets: readonly { readonly expiresAt?: number }[]) =>
        secrets.some(({ expiresAt }) => expiresAt === undefined),
    ),
  }),
  delivery: record({
    id: text,
    endpoint: optional(text),
    event: record({
      id: text,
      merchant: merchantName,
      event: text,
      reference: text,
      body: text,
      contentType: text,
      plan: delivery,
    }),
    attempts: listOf(
      record({
        number: count,
        at: moment,
        url: optional(text),
        answer: optional(record({ status: count, headers: isRecord, body: text })),
        forged: flag,
        problem: optional(text),
        headers: isRecord,
      }),
    ),
    state: oneOf('waiting', 'delivered', 'exhausted', 'skipped'),
    failures: count,
    nextAttemptAt: optional(moment),
    lateCopiesAt: listOf(moment),
  }),
  answered: count,
  request: record({ id: text, at: text, method: text, path: text, headers: isRecord, varied: listOf(text) }),
  timeline: record({
    at: text,
    what: oneOf('request', 'payment', 'payout', 'delivery'),
    id: nullable(text),
    facts: isRecord,
    text,
  }),
};

interface NamedMoney {
  readonly merchant: string;
  readonly request: { readonly reference: string };
}

const ofMerchant: NamesCheck = ([merchant]) => merchantName(merchant);
const ofId: NamesCheck = ([id], value) => (value as { readonly id: string }).id === id;
const ofMoney: NamesCheck = ([merchant, reference], value) => {
  const named = value as NamedMoney;
  return named.merchant === merchant && named.request.reference === reference;
};

/** What the names in a key must be: the emulator finds a part by them. */
export const NAME_CHECKS: Readonly<Partial<Record<StateKey[0], NamesCheck>>> = {
  ids: ofMerchant,
  merchant: ofMerchant,
  directory: ([merchant]) => merchant === '' || merchantName(merchant),
  key: ofMerchant,
  payment: ofMoney,
  payout: ofMoney,
  endpoint: ofId,
  delivery: ofId,
  request: ofId,
  timeline: ([merchant, , index]) => merchantName(merchant) && indexText(index),
};
