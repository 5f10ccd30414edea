import { describe, expect, it } from 'vitest';
import { type JournalRecord, type StoredJournalRecord } from '../../../../lib/storage/journal-store.js';
import { decideEnlisting, writePlanned } from '../../../../lib/journal/payment/enlisting.js';
import { type RequestedPayment } from '../../../../lib/journal/payment/repeated-call.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { journalRecord } from '../../../support/journal-contract.js';
import { SEALED, SEALED_PROBLEM, storedRecord } from '../../../support/stored-record.js';

const SAME: RequestedPayment = { bodyHash: '1:abc' };
const OTHER_BODY: RequestedPayment = { bodyHash: '1:other' };
const OTHER_KEY: RequestedPayment = { ...SAME, idempotencyKey: 'another-key' };
const KEY = storedRecord().record.idempotencyKey;

const stored = (state: JournalRecord['state'], change: Partial<JournalRecord> = {}): StoredJournalRecord =>
  storedRecord({ state, ...change });
const probed = (change: Partial<JournalRecord>): StoredJournalRecord => {
  const { record, ...around } = stored('unknown', change);
  const { probe: _taken, ...rest } = record;
  return { ...around, record: rest, leaseLeftMs: 1 };
};
const refuse = (because: string): object => ({ act: 'refuse', because });
const EXISTING = { act: 'existing' };

describe('the table of enlisting a payment whose reference is in the journal', () => {
  it.each<[cell: string, StoredJournalRecord, RequestedPayment, object]>([
    ['planned: the same payment', stored('planned'), SAME, EXISTING],
    ['planned: another body is refused', stored('planned'), OTHER_BODY, refuse('another-payment')],
    ['planned: another key is refused', stored('planned'), OTHER_KEY, refuse('another-key')],
    [
      'in flight by a direct call, which may yet send nothing: unknown',
      { ...stored('in-flight'), leaseLeftMs: 1 },
      SAME,
      { act: 'unknown', evidence: 'in-flight' },
    ],
    [
      'in flight, and planned before: the same payment',
      { ...stored('in-flight', { plannedAt: 1 }), leaseLeftMs: 1 },
      SAME,
      EXISTING,
    ],
    [
      'in flight by a direct call whose lease is over, which may yet wake up: unknown',
      stored('in-flight'),
      SAME,
      { act: 'unknown', evidence: 'interrupted' },
    ],
    [
      'in flight, planned before, and its lease is over: the same payment',
      stored('in-flight', { plannedAt: 1 }),
      SAME,
      EXISTING,
    ],
    [
      'in flight: another key is refused',
      { ...stored('in-flight'), leaseLeftMs: 1 },
      OTHER_KEY,
      refuse('another-key'),
    ],
    ['in flight: another body is refused', stored('in-flight'), OTHER_BODY, refuse('another-payment')],
    ['unknown: the same payment', stored('unknown', { evidence: 'no-answer' }), SAME, EXISTING],
    [
      'unknown, and a probe of it may put back a direct call that sends nothing: unknown',
      probed({ evidence: 'interrupted' }),
      SAME,
      { act: 'unknown', evidence: 'in-flight' },
    ],
    [
      'unknown, planned before, and probed: the same payment',
      probed({ evidence: 'interrupted', plannedAt: 1 }),
      SAME,
      EXISTING,
    ],
    [
      'unknown, and its own call may still run: the same payment',
      { ...stored('unknown', { evidence: 'no-answer', probe: 'after-silence' }), leaseLeftMs: 1 },
      SAME,
      EXISTING,
    ],
    ['unknown: another body is refused', stored('unknown'), OTHER_BODY, refuse('another-payment')],
    ['accepted: the same payment', stored('accepted'), SAME, EXISTING],
    ['accepted: another key is refused', stored('accepted'), OTHER_KEY, refuse('another-key')],
    ['settled as success: the same payment', stored('settled', { outcome: 'success' }), SAME, EXISTING],
    ['ended failed: use a new reference', stored('settled', { outcome: 'failed' }), SAME, refuse('ended')],
    [
      'rejected and erased: use a new reference',
      stored('rejected', { erased: true, bodyHash: '' }),
      SAME,
      refuse('ended'),
    ],
    ['rejected: the next attempt is planned', stored('rejected'), OTHER_BODY, { act: 'plan', attempt: 2 }],
    [
      'rejected: the refused attempt is not planned',
      stored('rejected'),
      { ...SAME, attempt: 1 },
      { act: 'refuse-attempt', next: 2 },
    ],
    [
      'rejected: the key of the refused attempt is not planned again',
      stored('rejected'),
      { ...OTHER_BODY, idempotencyKey: KEY },
      { act: 'refuse-key' },
    ],
    [
      'rejected without a listed code: the same attempt with its key',
      stored('rejected', { keepsKey: true }),
      SAME,
      { act: 'plan', attempt: 1, idempotencyKey: KEY },
    ],
    [
      'rejected without a listed code: another body is refused',
      stored('rejected', { keepsKey: true }),
      OTHER_BODY,
      refuse('unlisted-refusal'),
    ],
    [
      'rejected, and its call may still run: unknown',
      { ...stored('rejected'), leaseLeftMs: 1 },
      SAME,
      { act: 'unknown', evidence: 'in-flight' },
    ],
    [
      'a damaged entry: unknown',
      { ...stored('planned'), damaged: 'no JSON' },
      SAME,
      { act: 'unknown', evidence: 'interrupted', damaged: 'no JSON' },
    ],
    [
      'an unknown entry that another process has sealed: unknown, and not the same payment',
      stored('unknown', { evidence: 'no-answer', bodyHash: SEALED }),
      SAME,
      { act: 'unknown', evidence: 'interrupted', damaged: SEALED_PROBLEM },
    ],
    [
      'a state of a newer version: unknown',
      stored('held' as JournalRecord['state']),
      SAME,
      { act: 'unknown', evidence: 'interrupted' },
    ],
  ])('%s', (_, existing, asked, decision) => {
    expect(decideEnlisting(existing, asked)).toEqual(decision);
  });
});

describe('writing a planned payment', () => {
  const payment = { ...journalRecord('order-1'), body: '{}' };

  it('hides an error of a store of your own, and says to roll the transaction back', async () => {
    const within = (): Promise<never> =>
      Promise.reject(new Error('connect ECONNREFUSED postgres://user:secret@db'));
    const writing = writePlanned({ ...memoryStorage().journal, within }, {}, SAME, payment);
    const error: unknown = await writing.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'PaymentsStorageError', mayHaveBeenProcessed: 'not-by-this-call' });
    expect((error as { hint: string }).hint).toContain('Roll the transaction back');
    expect(String(error)).not.toContain('secret');
  });

  it('gives up if other processes keep changing the payment', async () => {
    const refused = storedRecord({ state: 'rejected' });
    const joined = {
      insert: () => Promise.resolve({ inserted: false, stored: refused } as const),
      replace: () => Promise.resolve(undefined),
    };
    const store = { ...memoryStorage().journal, within: () => Promise.resolve(joined) };
    await expect(writePlanned(store, {}, SAME, payment)).rejects.toThrow('keep changing this payment');
  });
});
