import { describe, expect, it } from 'vitest';
import { idempotencyKeyFor } from '../../../../lib/journal/payment/payment-identity.js';
import { type JournalRecord } from '../../../../lib/storage/journal-store.js';
import {
  afterStatus,
  readStatus,
  statusCall,
  type StatusVerdict,
} from '../../../../lib/journal/outcomes/status-query.js';
import { journalRecord } from '../../../support/journal-contract.js';

const RECORD = journalRecord('order/1');
const OURS = { reference: 'order/1', amount: 1180.5 };

it('asks for one payment at the path of the options', () => {
  const call = statusCall('/payments/{reference}/status?full=1', RECORD);
  expect(call).toMatchObject({
    kind: 'read',
    operation: 'collection.status',
    method: 'GET',
    path: '/payments/order%2F1/status?full=1',
  });
  expect(call?.read({ status: 'success' })).toEqual({ value: { status: 'success' }, warnings: [] });
  expect(call?.read('success')).toBeUndefined();
});

it.each([
  ['/payments/{reference}', '.', undefined],
  ['/payments/{reference}/status', '..', undefined],
  ['/payments/.{reference}?full=1', '.', undefined],
  ['/payments/{reference}', '...', '/payments/...'],
  ['/payments/{reference}', '.a', '/payments/.a'],
  ['/payments/{reference}', '%2e%2E', '/payments/%252e%252E'],
  ['/payments/order-{reference}', '..', '/payments/order-..'],
  ['/payments?reference={reference}', '..', '/payments?reference=..'],
  ['/payments?place=a/{reference}', '..', '/payments?place=a/..'],
])('at %s asks about the reference %j only if the path can name it', (path, reference, asked) => {
  expect(statusCall(path, journalRecord(reference))?.path).toBe(asked);
});

/** Answers that name no reference: "failed" is also what a lookup says that found nothing. */
const nameless = (status: string, verdict: StatusVerdict): [object, StatusVerdict][] =>
  [
    { status },
    { status, amount: 1180.5, message: 'Transaction not found' },
    { status, reference: null, amount: null },
    { status, id: 'another-transaction' },
  ].map((answer) => [answer, verdict]);

/** Answers without an amount: a gateway that has no such payment may repeat the reference of the path and say "failed". */
const amountless = (status: string): [object, StatusVerdict][] =>
  [{}, { amount: null }, { currency: 'TZS' }].map((fields) => [
    { reference: 'order/1', status, ...fields },
    { says: 'known' },
  ]);

describe('a status answer', () => {
  it.each<[answer: object, verdict: StatusVerdict]>([
    [
      { ...OURS, status: 'success' },
      { says: 'ended', outcome: 'success' },
    ],
    [
      { ...OURS, currency: ' TZS ', status: 'failed' },
      { says: 'ended', outcome: 'failed' },
    ],
    ...['failed', 'cancelled', 'expired'].flatMap(amountless),
    [{ reference: 'order/1', status: 'pending' }, { says: 'under-way' }],
    [
      { ...OURS, amount: null, status: 'success' },
      { says: 'ended', outcome: 'success' },
    ],
    ...['failed', 'cancelled', 'expired', 'odd'].flatMap((status) => nameless(status, { says: 'nothing' })),
    ...['success', 'pending', 'processing'].flatMap((status) => nameless(status, { says: 'known' })),
    [
      { ...OURS, reference: ' order/1 ', status: 'success' },
      { says: 'ended', outcome: 'success' },
    ],
    [{ ...OURS, status: 'processing' }, { says: 'under-way' }],
    [{ ...OURS, status: 'pending' }, { says: 'under-way' }],
    [{ ...OURS, status: 'odd' }, { says: 'known' }],
    [{ ...OURS, status: 7 }, { says: 'known' }],
    [{ ...OURS }, { says: 'known' }],
    [{ reference: 'order/1', status: 'odd' }, { says: 'nothing' }],
    ...['success', 'failed', 'pending', 'odd'].map((status): [object, StatusVerdict] => [
      { ...OURS, reference: 'order/2', status },
      { says: 'nothing' },
    ]),
    [{ ...OURS, reference: 7, status: 'success' }, { says: 'nothing' }],
    ...['success', 'failed', 'pending'].map((status): [object, StatusVerdict] => [
      { ...OURS, amount: '1.00', status },
      { says: 'known' },
    ]),
    [{ ...OURS, amount: '1.00' }, { says: 'known' }],
    [{ amount: '1.00', status: 'success' }, { says: 'nothing' }],
    [{ ...OURS, amount: '1.00', reference: 'order/2', status: 'success' }, { says: 'nothing' }],
    [{ ...OURS, currency: 'USD', status: 'success' }, { says: 'known' }],
    [{ reference: 'order/1', currency: 'USD', status: 'failed' }, { says: 'known' }],
    [{ ...OURS, status: 'paid' }, { says: 'known' }],
  ])('%j says %j', (answer, verdict) => {
    expect(readStatus(RECORD, { ...answer })).toEqual(verdict);
  });
});

it.each<[what: string, reference: string, echoed: string, verdict: StatusVerdict]>([
  ['that holds it', '1042', '1042', { says: 'ended', outcome: 'failed' }],
  ['of another payment', '1042', '1043', { says: 'nothing' }],
  // What names no reference proves no failure.
  ['that was rounded', '17000000000000001', '17000000000000001', { says: 'nothing' }],
  ['that was rounded to it', '17000000000000000', '17000000000000001', { says: 'nothing' }],
])('a status answer may write the reference as a number %s', (_, reference, echoed, verdict) => {
  const answer = { ...OURS, reference: JSON.parse(echoed) as unknown, status: 'failed' };
  expect(readStatus(journalRecord(reference), answer)).toEqual(verdict);
});

it('takes a rounded reference for none: a success shows that the gateway has a payment', () => {
  const answer = { ...OURS, reference: 17_000_000_000_000_000, status: 'success' };
  expect(readStatus(journalRecord('17000000000000001'), answer)).toEqual({ says: 'known' });
  expect(readStatus(journalRecord('17000000000000000'), answer)).toEqual({ says: 'known' });
  expect(readStatus(journalRecord('18000000000000000'), answer)).toEqual({ says: 'nothing' });
});

/** The record of an answer that the journal keeps. */
const accepted = (data: object): string => JSON.stringify({ envelope: {}, answer: { data } });
const keyOf = (attempt: number): string => idempotencyKeyFor({ ...RECORD, attempt });
const SECOND = { attempt: 2, idempotencyKey: keyOf(2) };
const ENDED: StatusVerdict = { says: 'ended', outcome: 'failed' };
const KNOWN: StatusVerdict = { says: 'known' };

describe('a status answer about a payment that was tried before', () => {
  it.each<[what: string, Partial<JournalRecord>, answer: object, whenFailed: StatusVerdict]>([
    ['the only try', {}, {}, ENDED],
    ['the only try, which the answer names by its key', {}, { idempotency_key: 'key-1' }, ENDED],
    ['the only try, if the answer names another key', {}, { idempotency_key: 'key-2' }, KNOWN],
    ['a second attempt', SECOND, {}, KNOWN],
    ['a second attempt, no key in the answer', SECOND, { idempotency_key: null }, KNOWN],
    ['a second attempt, named by its key', SECOND, { idempotency_key: keyOf(2) }, ENDED],
    ['a second attempt, the first one named by its key', SECOND, { idempotency_key: keyOf(1) }, KNOWN],
    [
      "a second attempt with the caller's own key, which the first may have had too",
      { attempt: 2, idempotencyKey: 'mine' },
      { idempotency_key: 'mine' },
      KNOWN,
    ],
    [
      'a second attempt, named by its transaction',
      { ...SECOND, state: 'accepted', answer: accepted({ provider_reference: 'PA-2' }) },
      { provider_reference: 'PA-2' },
      ENDED,
    ],
    [
      'a second attempt, named by the number of its transaction',
      { ...SECOND, state: 'accepted', answer: accepted({ provider_reference: 1042 }) },
      { provider_reference: 1042 },
      ENDED,
    ],
    [
      'a second attempt, named by a number to which that of the first may have been rounded',
      { ...SECOND, state: 'accepted', answer: accepted({ provider_reference: 90_071_992_547_409_920 }) },
      { provider_reference: 90_071_992_547_409_920 },
      KNOWN,
    ],
    [
      'a second attempt, another transaction named',
      { ...SECOND, state: 'accepted', answer: accepted({ provider_reference: 'PA-2' }) },
      { provider_reference: 'PA-1' },
      KNOWN,
    ],
    [
      'a second attempt that was accepted without a transaction',
      { ...SECOND, state: 'accepted', answer: accepted({}) },
      { provider_reference: 'PA-1' },
      KNOWN,
    ],
    [
      'a second attempt whose transaction is no text',
      { ...SECOND, state: 'accepted', answer: accepted({ provider_reference: '' }) },
      { provider_reference: '' },
      KNOWN,
    ],
    ['an attempt that was refused before, with the same key', { keepsKey: true }, {}, KNOWN],
    ['an attempt that was only turned away before', { keepsKey: true, turnedAway: true }, {}, ENDED],
    [
      'an attempt that was refused before, named by its key',
      { keepsKey: true },
      { idempotency_key: 'key-1' },
      KNOWN,
    ],
  ])('%s', (_, change, fields, whenFailed) => {
    const record = { ...RECORD, idempotencyKey: 'key-1', ...change };
    const says = (status: string): StatusVerdict => readStatus(record, { ...OURS, ...fields, status });
    const isOfIt = whenFailed.says === 'ended';
    expect(says('failed')).toEqual(whenFailed);
    expect(says('cancelled').says).toBe(isOfIt ? 'ended' : 'known');
    expect(says('expired').says).toBe(isOfIt ? 'ended' : 'known');
    expect(says('processing').says).toBe(isOfIt ? 'under-way' : 'known');
    // Money moved for this reference, by whichever attempt.
    expect(says('success')).toEqual({ says: 'ended', outcome: 'success' });
  });

  it.each<[StatusVerdict, status: string]>([
    [{ says: 'ended', outcome: 'success' }, 'success'],
    [KNOWN, 'pending'],
    [KNOWN, 'failed'],
  ])('proves %j of a second attempt if it says %s and names no amount', (verdict, status) => {
    expect(readStatus({ ...RECORD, ...SECOND }, { reference: 'order/1', status })).toEqual(verdict);
  });

  it('proves no end of the call that began while the gateway was asked', () => {
    const record = { ...RECORD, intent: 'later' };
    expect(readStatus(record, { ...OURS, status: 'failed' }, 'earlier')).toEqual(KNOWN);
    expect(readStatus(record, { ...OURS, status: 'failed' }, 'later')).toEqual(ENDED);
  });
});

describe('what is written down after a status answer', () => {
  const FAILED_BY_OPERATOR = { state: 'settled', outcome: 'failed', settledBy: 'operator' } as const;
  const CONFLICT = { state: 'unknown', evidence: 'conflict', acknowledged: true } as const;
  const say = (change: Partial<JournalRecord>, status: string): JournalRecord | undefined =>
    afterStatus({ ...RECORD, ...change }, { ...OURS, status }, RECORD.intent);

  it.each<[status: string, Partial<JournalRecord>, Partial<JournalRecord>]>([
    ['success', { state: 'in-flight' }, { state: 'settled', outcome: 'success', settledBy: 'status' }],
    ['failed', { state: 'unknown' }, { state: 'settled', outcome: 'failed', settledBy: 'status' }],
    ['failed', { state: 'accepted' }, { state: 'settled', outcome: 'failed', settledBy: 'status' }],
    ['failed', { state: 'unknown', ...SECOND }, { state: 'unknown', acknowledged: true }],
    ['failed', { state: 'in-flight', ...SECOND }, { state: 'in-flight', acknowledged: true }],
    ['success', { state: 'in-flight', ...SECOND }, { state: 'settled', outcome: 'success' }],
    ['pending', { state: 'unknown' }, { state: 'accepted', acknowledged: true }],
    ['pending', { state: 'unknown', ...SECOND }, { state: 'unknown', acknowledged: true }],
    ['odd', { state: 'in-flight' }, { state: 'in-flight', acknowledged: true }],
    ['success', { state: 'rejected' }, { state: 'settled', outcome: 'success' }],
    ['failed', { state: 'rejected' }, { state: 'rejected' }],
    ['failed', { state: 'rejected', ...SECOND }, { state: 'rejected' }],
    ['pending', { state: 'rejected' }, CONFLICT],
    ['odd', { state: 'rejected' }, CONFLICT],
    ['success', { state: 'rejected', ...SECOND }, { state: 'settled', outcome: 'success' }],
    ['odd', { state: 'accepted', acknowledged: true }, { state: 'accepted', acknowledged: true }],
    ['failed', FAILED_BY_OPERATOR, { ...FAILED_BY_OPERATOR, acknowledged: true }],
    ['cancelled', FAILED_BY_OPERATOR, { ...FAILED_BY_OPERATOR, acknowledged: true }],
    ['odd', FAILED_BY_OPERATOR, CONFLICT],
    ['pending', FAILED_BY_OPERATOR, CONFLICT],
    ['processing', FAILED_BY_OPERATOR, CONFLICT],
    ['success', FAILED_BY_OPERATOR, CONFLICT],
    ['failed', { ...FAILED_BY_OPERATOR, ...SECOND }, { ...FAILED_BY_OPERATOR, acknowledged: true }],
    ['pending', { ...FAILED_BY_OPERATOR, ...SECOND }, CONFLICT],
    ['pending', { state: 'settled', outcome: 'success', settledBy: 'operator' }, { outcome: 'success' }],
    ['pending', { state: 'settled', outcome: 'failed', settledBy: 'webhook' }, { outcome: 'failed' }],
  ])('%s about %j', (status, change, next) => {
    expect(say(change, status)).toMatchObject({ attempt: change.attempt ?? 1, ...next });
  });

  it.each<[status: string, Partial<JournalRecord>]>([
    ['pending', { state: 'accepted' }],
    ['processing', { state: 'accepted' }],
    ['odd', { state: 'accepted' }],
    ['pending', { state: 'settled', outcome: 'success', settledBy: 'webhook' }],
  ])('is the same record if %s brings nothing new: %j', (status, change) => {
    const record: JournalRecord = { ...RECORD, acknowledged: true, ...change };
    expect(afterStatus(record, { ...OURS, status }, record.intent)).toBe(record);
  });

  it('is nothing if the answer says nothing', () => {
    const { intent } = RECORD;
    expect(afterStatus(RECORD, { reference: 'order/2', status: 'success' }, intent)).toBeUndefined();
  });
});
