import { describe, expect, it } from 'vitest';
import { type JournalRecord, memoryStorage } from 'nestjs-payments';
import { giveUpAttempt, type UnmadePayment } from '../../../../lib/journal/payment/give-up-attempt.js';
import { SEALED } from '../../../support/stored-record.js';
import { toInFlight, toRejected, toSettled } from '../../../../lib/journal/payment/journal-transitions.js';

const PAYMENT: UnmadePayment = {
  account: 'default',
  environment: 'sandbox',
  family: 'disbursement',
  reference: 'run.S-1',
  operation: 'disbursement.bank',
  amount: '1.00',
  currency: 'TZS',
};
const BEGUN: JournalRecord = toInFlight({ ...PAYMENT, bodyHash: '1:a', body: '{}' }, 1, undefined);
const REFUSED = toRejected(BEGUN, 'proven');

/** A journal with a record, or without one. */
async function journalWith(record?: JournalRecord, leaseMs = 0) {
  const { journal } = memoryStorage();
  if (record) await journal.insert(record, leaseMs);
  const give = (): Promise<boolean> => giveUpAttempt(journal, PAYMENT);
  const current = async (): Promise<JournalRecord | undefined> => (await journal.get(PAYMENT))?.record;
  return { journal, give, current };
}

describe('giving an attempt up', () => {
  it('takes the first attempt of a payment that nobody has begun', async () => {
    const { journal, give, current } = await journalWith();
    expect(await give()).toBe(true);
    expect(await current()).toMatchObject({ state: 'rejected', attempt: 1, bodyHash: '' });
    expect(await current()).not.toHaveProperty('body');
    expect((await journal.insert(BEGUN, 0)).inserted).toBe(false);
  });

  it('takes the next attempt of a payment that was refused, with its own key, each time', async () => {
    const { journal, give, current } = await journalWith(REFUSED);
    const { version = 0 } = (await journal.get(PAYMENT)) ?? {};
    expect(await give()).toBe(true);
    expect(await current()).toMatchObject({ state: 'rejected', attempt: 2 });
    expect((await current())?.idempotencyKey).not.toBe(REFUSED.idempotencyKey);
    expect(await journal.replace(version, { ...BEGUN, attempt: 2 }, 0)).toBeUndefined();
    expect(await give()).toBe(true);
    expect(await current()).toMatchObject({ attempt: 3 });
  });

  it('takes the next attempt of a refused payment that a person has settled as failed, and keeps that word', async () => {
    const { give, current } = await journalWith(toSettled(REFUSED, 'failed', 'operator'));
    expect(await give()).toBe(true);
    expect(await current()).toMatchObject({
      state: 'settled',
      outcome: 'failed',
      settledBy: 'operator',
      attempt: 2,
    });
  });

  it.each<readonly [string, JournalRecord, number]>([
    ['is being made', BEGUN, 60_000],
    ['may have been made', BEGUN, 0],
    ['was turned away, and keeps its key', toRejected(BEGUN, 'turned-away'), 0],
    ['is refused, while a call may still run', REFUSED, 60_000],
    ['is refused, and sealed by another process', { ...REFUSED, bodyHash: SEALED }, 0],
    ['a webhook has settled', toSettled(REFUSED, 'failed', 'webhook'), 0],
    ['was settled as paid', { ...REFUSED, state: 'settled', outcome: 'paid', settledBy: 'operator' }, 0],
  ])('changes nothing of a payment that %s', async (_what, record, leaseMs) => {
    const { give, current } = await journalWith(record, leaseMs);
    expect(await give()).toBe(false);
    expect(await current()).toEqual(record);
  });

  it('changes nothing of a payment that the journal has forgotten', async () => {
    const { journal, give } = await journalWith({
      ...REFUSED,
      state: 'settled',
      outcome: 'paid',
      settledBy: 'operator',
    });
    while ((await journal.purge(PAYMENT, 'settled', 0)) === 0) await Promise.resolve();
    expect(await give()).toBe(false);
    expect(await journal.get(PAYMENT)).toBeUndefined();
  });

  it('has nothing to take from a payment whose person was erased, or after the last attempt', async () => {
    for (const last of [{ erased: true as const }, { attempt: 2 ** 31 - 1 }]) {
      const { give, current } = await journalWith({ ...REFUSED, ...last });
      expect(await give()).toBe(true);
      expect(await current()).toEqual({ ...REFUSED, ...last });
    }
  });
});
