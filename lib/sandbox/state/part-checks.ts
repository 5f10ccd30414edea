import { isRecord } from '../../common/json-object.js';
import { COLLECTION_STATUSES, DISBURSEMENT_STATUSES } from '../../common/vocabulary.js';
import { FAULT_KINDS } from '../core/fault.js';
import { type StateKey } from '../core/state-key.js';
import { payoutKinds } from '../openapi/operations.generated.js';

/** Whether a JSON value has a form. */
type Check = (value: unknown) => boolean;

/** The last moment that a `Date` knows, in milliseconds. */
const LAST_MOMENT = 8.64e15;

const text: Check = (value) => typeof value === 'string';
const flag: Check = (value) => typeof value === 'boolean';
const count: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
/** The position of a random sequence. */
const word: Check = (value) => count(value) && Number(value) < 2 ** 32;
const moment: Check = (value) => typeof value === 'number' && Math.abs(value) <= LAST_MOMENT;
const span: Check = (value) => moment(value) && Number(value) >= 0;
const chance: Check = (value) => typeof value === 'number' && value >= 0 && value <= 1;
const cents: Check = (value) => typeof value === 'string' && /^\d{1,20}$/.test(value);
const signedCents: Check = (value) => typeof value === 'string' && /^-?\d{1,20}$/.test(value);

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

const money = (statuses: readonly string[]) => ({
  merchant: text,
  request: record({ reference: text }),
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
  clock: record({ kind: oneOf('real', 'manual'), skew: moment, stoppedAt: optional(moment) }),
  counters: record({ requests: count, endpoints: count }),
  banks: listOf(record({ id: count, name: text, code: text, long_code: optional(text) })),
  faults: record({
    planned: count,
    chance: word,
    waiting: listOf(
      record({
        id: text,
        operation: text,
        reference: optional(text),
        merchant: optional(text),
        left: nullable(count),
        probability: chance,
        fault: record({
          kind: oneOf(...FAULT_KINDS),
          status: optional(count),
          delayMs: optional(span),
          everyMs: optional(span),
        }),
      }),
    ),
  }),
  ids: word,
  merchant: record({
    available: cents,
    locked: cents,
    adjustments: optional(listOf(record({ at: moment, cents: signedCents, reference: optional(text) }))),
  }),
  directory: listOf((entry) => Array.isArray(entry) && text(entry[0]) && nullable(text)(entry[1])),
  key: record({
    request: optional(text),
    answer: optional(record({ status: count, body: isRecord })),
  }),
  payment: record({
    ...money(COLLECTION_STATUSES),
    method: oneOf('mobile_money', 'partnerpesa'),
    providerReference: text,
    channel: text,
    expiresAt: moment,
    processingAt: optional(moment),
  }),
  payout: record({
    ...money(DISBURSEMENT_STATUSES),
    recipient: record({ kind: oneOf(...payoutKinds), channel: text, fields: isRecord }),
  }),
  endpoint: record({
    id: text,
    merchant: optional(text),
    createdAt: moment,
    url: text,
    events: optional(listOf(text)),
    enabled: flag,
    secrets: listOf(record({ text, createdAt: moment, expiresAt: optional(moment) })),
  }),
  delivery: record({
    id: text,
    endpoint: optional(text),
    event: record({
      id: text,
      merchant: text,
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
