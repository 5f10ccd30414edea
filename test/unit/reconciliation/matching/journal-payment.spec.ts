import { expect, it } from 'vitest';
import { movementOf } from '../../../../lib/reconciliation/matching/movement-of.js';
import { journalPayment } from '../../../../lib/reconciliation/matching/journal-payment.js';
import { SEALED, storedRecord } from '../../../support/stored-record.js';
import { type StoredJournalRecord } from '../../../../lib/storage/journal-store.js';

it('a payment that a clock changed before it was made changed when it was made', () => {
  const record = {
    family: 'collection',
    reference: 'a',
    amount: '10.00',
    state: 'settled',
    outcome: 'success',
  };
  const stored = {
    record,
    createdAt: 200,
    updatedAt: 100,
    idleMs: 50,
    ageMs: 0,
  } as unknown as StoredJournalRecord;
  const own = journalPayment(stored);
  expect(own).toMatchObject({ createdAt: 200, changedAt: 200 });
  expect(movementOf(own, { largestFeeCents: 0, payoutsEndWithinMs: Infinity })).toMatchObject({
    from: 200,
    to: 200,
  });
});

it('a payment that another process has sealed has its state, but no fee', () => {
  for (const field of ['bodyHash', 'answer', 'body'] as const) {
    const sealed = storedRecord({ state: 'settled', outcome: 'success', [field]: SEALED });
    expect(journalPayment(sealed)).toMatchObject({ state: 'moved', status: 'success', feeCents: undefined });
  }
});

it('a payment that was sealed again after it ended changed when it ended', () => {
  const record = { family: 'collection', reference: 'a', amount: '10.00', state: 'settled', endedAt: 300 };
  const stored = { record, createdAt: 100, updatedAt: 900, idleMs: 50, ageMs: 850 };
  expect(journalPayment(stored as unknown as StoredJournalRecord)).toMatchObject({ changedAt: 300 });
});

it.each([
  ['refused without a listed code', { state: 'rejected', keepsKey: true }, false],
  ['turned away', { state: 'rejected', keepsKey: true, turnedAway: true }, true],
  ['turned away, and made again since', { state: 'in-flight', keepsKey: true, turnedAway: true }, false],
] as const)('a payment that was %s', (_, change, isTurnedAway) => {
  expect(journalPayment(storedRecord(change))).toMatchObject({ state: 'unknown', isTurnedAway });
});

it('nobody says of a payment that is damaged that it was turned away', () => {
  const stored = storedRecord({ state: 'rejected', keepsKey: true, turnedAway: true });
  expect(journalPayment({ ...stored, damaged: 'it is cut off' })).toMatchObject({
    state: 'unknown',
    isTurnedAway: false,
  });
});
