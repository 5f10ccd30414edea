import { describe, expect, it } from 'vitest';
import {
  cutShort,
  journalEntry,
  alreadySettled,
  settledEntry,
  noOutcome,
  notFound,
} from '../../../../lib/journal/recovery/journal-answers.js';
import { journalRecord } from '../../../support/journal-contract.js';
import { SEALED, SEALED_PROBLEM, storedRecord } from '../../../support/stored-record.js';

const { operation, reference, idempotencyKey } = journalRecord('order-1');
const NAMED = { operation, reference, idempotencyKey };

describe('waiting for an outcome in vain', () => {
  it.each([
    [{ state: 'accepted', evidence: 'no-answer' }, 0, 'in-flight'],
    [{ state: 'unknown', evidence: 'no-answer' }, 0, 'no-answer'],
    [{ state: 'planned' }, 0, 'in-flight'],
    [{ state: 'in-flight' }, 0, 'interrupted'],
    [{ state: 'in-flight' }, 1, 'in-flight'],
  ] as const)('says of %j with %d ms of lease: %s', (change, leaseLeftMs, evidence) => {
    expect(noOutcome(storedRecord(change, { leaseLeftMs }), 50)).toMatchObject({
      ...NAMED,
      name: 'PaymentOutcomeUnknownError',
      evidence,
      message: `No outcome came within 50 ms: the payment is ${change.state} and stays open.`,
      hint: 'Keep it open and keep waiting: it has not failed, so do not make it again under another reference.',
    });
  });

  it.each([
    [storedRecord({ state: 'accepted' }), 'in-flight'],
    [storedRecord({ state: 'unknown', evidence: 'no-answer' }), 'no-answer'],
  ])('says that the application stops, which ends the wait: %#', (existing, evidence) => {
    expect(cutShort('order-1', existing)).toMatchObject({
      ...NAMED,
      name: 'PaymentOutcomeUnknownError',
      evidence,
      message: expect.stringContaining('The application stops') as unknown,
      hint: expect.stringContaining('do not make it again under another reference') as unknown,
    });
    expect(cutShort('order-1', undefined)).toMatchObject({ evidence: 'in-flight', reference: 'order-1' });
  });

  it('says of a refusal that proves nothing to make the same call again', () => {
    expect(noOutcome(storedRecord({ state: 'rejected', keepsKey: true }), 50)).toMatchObject({
      ...NAMED,
      name: 'PaymentOutcomeUnknownError',
      evidence: 'unlisted-code',
      message:
        'No outcome came within 50 ms: the gateway refused the payment or turned it away without a listed refusal, so it stays open.',
      hint: expect.stringContaining(
        'Make the same call again with the same reference and content',
      ) as unknown,
    });
  });

  it.each([
    ['it is no JSON', { ...storedRecord({ state: 'rejected' }), damaged: 'it is no JSON' }],
    [SEALED_PROBLEM, storedRecord({ state: 'rejected', bodyHash: SEALED })],
  ])('believes no refusal that cannot be read: %s', (why, damaged) => {
    expect(noOutcome(damaged, 50)).toMatchObject({
      ...NAMED,
      name: 'PaymentOutcomeUnknownError',
      evidence: 'interrupted',
      message: `No outcome came within 50 ms: the journal cannot read the payment, because ${why}.`,
      hint: expect.stringContaining('keep waiting') as unknown,
    });
  });

  it('names the payment that was refused, and the one that is not there', () => {
    expect(noOutcome(storedRecord({ state: 'rejected' }), 50)).toMatchObject({
      ...NAMED,
      name: 'PaymentRejectedError',
      code: 'REJECTED',
      hint: expect.stringContaining('the next attempt') as unknown,
    });
    expect(notFound('disbursement', 'salary-1')).toMatchObject({
      code: 'ENTRY_NOT_FOUND',
      reference: 'salary-1',
      message: expect.stringContaining('holds no disbursement') as unknown,
    });
  });
});

describe('an entry of the journal', () => {
  it('has an outcome and evidence only if there are any', () => {
    const bare = journalEntry(storedRecord());
    expect(Object.keys(bare)).not.toEqual(expect.arrayContaining(['outcome']));
    expect(Object.keys(bare)).not.toEqual(expect.arrayContaining(['evidence']));
    const whole = journalEntry(storedRecord({ state: 'settled', outcome: 'success', evidence: 'no-answer' }));
    expect(whole).toMatchObject({ ...NAMED, state: 'settled', outcome: 'success', evidence: 'no-answer' });
    expect(whole.createdAt).toEqual(new Date(1_800_000_000_000));
  });

  it('says why it cannot be read, and nothing if it can', () => {
    expect(journalEntry(storedRecord())).not.toHaveProperty('damaged');
    expect(journalEntry({ ...storedRecord(), damaged: 'no JSON' })).toMatchObject({ damaged: 'no JSON' });
    const sealed = storedRecord({ state: 'settled', outcome: 'paid', bodyHash: SEALED });
    expect(journalEntry(sealed)).toMatchObject({ ...NAMED, state: 'settled', damaged: SEALED_PROBLEM });
  });

  it.each([
    ['refused with proof', storedRecord({ state: 'rejected' }), true],
    ['refused without proof', storedRecord({ state: 'rejected', keepsKey: true }), false],
    ['refused, and cannot be read', { ...storedRecord({ state: 'rejected' }), damaged: 'no JSON' }, false],
    ['refused, and sealed', storedRecord({ state: 'rejected', bodyHash: SEALED }), false],
    ['not refused', storedRecord({ state: 'planned', keepsKey: true }), undefined],
  ])('that was %s says whether that is final', (_, existing, final) => {
    expect(journalEntry(existing).final).toBe(final);
  });
});

describe('whether a payment may have been made, if its entry is', () => {
  it('not there: the storage may have lost it', () => {
    expect(notFound('collection', 'order-1').mayHaveBeenProcessed).toBe('not-by-this-call');
  });

  it.each([
    ['accepted', true],
    ['success', true],
    ['paid', true],
    ['unlisted-refusal', true],
    ['rejected', false],
    ['failed', false],
    ['cancelled', false],
    ['expired', false],
  ] as const)('forgotten, and its end was %s: %s', (end, made) => {
    const error = notFound('collection', 'order-1', { attempt: 1, end });
    expect(error).toMatchObject({
      name: 'PaymentsError',
      code: 'ENTRY_FORGOTTEN',
      reference: 'order-1',
      message: expect.stringContaining(`attempt 1 was the last one, and its end "${end}"`) as unknown,
      mayHaveBeenProcessed: made,
    });
  });

  it.each([
    ['success', true],
    ['paid', true],
    [undefined, true],
    ['failed', false],
    ['expired', false],
  ] as const)('settled as %s: %s', (outcome, made) => {
    const record = journalRecord('order-1', {
      state: 'settled',
      settledBy: 'operator',
      ...(outcome && { outcome }),
    });
    expect(alreadySettled(record)).toMatchObject({
      code: 'ALREADY_SETTLED',
      hint: expect.stringMatching(
        /^Do not pay again, under this reference or another\. .* reconciliation shows a "status" exception to explain\.$/,
      ) as unknown,
      mayHaveBeenProcessed: made,
    });
  });

  it('settled by a webhook without money: nothing speaks against a new reference', () => {
    const record = journalRecord('order-1', { state: 'settled', settledBy: 'webhook', outcome: 'failed' });
    expect(alreadySettled(record).hint).toBeUndefined();
    expect(alreadySettled({ ...record, outcome: 'success' }).hint).toBeDefined();
  });
});

describe('a payment that an operator settles', () => {
  const stored = storedRecord({ state: 'settled', outcome: 'failed', attempt: 2 });

  it.each([undefined, 2])('may be meant whatever its attempt, or by its last one: %s', (attempt) => {
    expect(settledEntry(stored, 'failed', attempt)).toMatchObject({ outcome: 'failed', attempt: 2 });
  });

  it('is refused if it was sent again after the end that was meant', () => {
    const open = storedRecord({ state: 'accepted', attempt: 1 });
    expect(() => settledEntry(open, 'failed', 1)).toThrow(
      expect.objectContaining({ code: 'SENT_AGAIN', mayHaveBeenProcessed: true }),
    );
  });

  it.each([
    ['another attempt was meant', 'failed', 1, 'ANOTHER_ATTEMPT'],
    ['it has another outcome', 'paid', 2, 'ALREADY_SETTLED'],
  ] as const)('is refused if %s', (_, outcome, attempt, code) => {
    expect(() => settledEntry(stored, outcome, attempt)).toThrow(expect.objectContaining({ code }));
  });
});
