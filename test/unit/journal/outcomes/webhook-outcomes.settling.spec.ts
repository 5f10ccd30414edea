import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type JournalStore } from '../../../../lib/storage/journal-store.js';
import { OutcomeNotifier } from '../../../../lib/journal/outcomes/outcome-recorder.js';
import { WebhookOutcomes, type WebhookSettling } from '../../../../lib/journal/outcomes/webhook-outcomes.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { paymentEvent } from '../../../../lib/testing/payment-event.js';
import { journalRecord } from '../../../support/journal-contract.js';

const SCOPE = { account: 'default', environment: 'sandbox' } as const;
const RECORD = journalRecord('order-1', { state: 'accepted' });

describe('a webhook that settles its payment', () => {
  let journal: JournalStore;
  let outcomes: WebhookOutcomes;
  let told: number;
  const event = (amount: string) => paymentEvent('payment.success', { reference: 'order-1', amount });
  const state = async () => (await journal.get(RECORD))?.record;

  beforeEach(async () => {
    ({ journal } = memoryStorage());
    await journal.insert(RECORD, 0);
    const watch = new OutcomeNotifier();
    outcomes = new WebhookOutcomes(SCOPE, journal, watch);
    told = 0;
    watch.on(RECORD, () => (told += 1));
  });

  it.each(['success', 'failed', 'cancelled', 'expired'] as const)('settles it as %s', async (outcome) => {
    const paid = paymentEvent(`payment.${outcome}`, { reference: 'order-1', amount: '1180.50' });
    await outcomes.settle(paid, { journal: undefined, otherMoney: false });
    expect(await state()).toMatchObject({ state: 'settled', outcome, settledBy: 'webhook' });
  });

  it('is refused if the payment was made with other money since it was compared', async () => {
    const settling = outcomes.settle(event('1.00'), { journal: undefined, otherMoney: false });
    await expect(settling).rejects.toMatchObject({ name: 'PaymentsStorageError', reference: 'order-1' });
    expect(await state()).toMatchObject({ state: 'accepted' });
    expect(told).toBe(0);
  });

  it('settles it if an operator has checked the other money', async () => {
    await outcomes.settle(event('1.00'), { journal: undefined, otherMoney: true });
    expect(await state()).toMatchObject({ state: 'settled', outcome: 'success', settledBy: 'webhook' });
  });

  it('notifies the waiters in this process, but not before a transaction was committed', async () => {
    await outcomes.settle(event('1180.50'), { journal, otherMoney: false });
    expect(await state()).toMatchObject({ state: 'settled', outcome: 'success' });
    expect(told).toBe(0);
    outcomes.notifyWaiters(event('1180.50'));
    expect(told).toBe(1);
    await outcomes.settle(event('1180.50'), { journal: undefined, otherMoney: false });
    expect(told).toBe(2);
  });

  it('is not written again if it said the same before, and keeps the charge that it named', async () => {
    const settling = { journal: undefined, otherMoney: false };
    await outcomes.settle(event('1180.50'), settling);
    const first = await journal.get(RECORD);
    await outcomes.settle(event('1180.50'), settling);
    expect((await journal.get(RECORD))?.version).toBe(first?.version);
    await outcomes.settle(
      paymentEvent('payment.failed', { reference: 'order-1', amount: '1180.50' }),
      settling,
    );
    expect(await state()).toMatchObject({ state: 'settled', outcome: 'failed' });
  });

  it('is refused if another webhook has settled the payment since it was looked up', async () => {
    const failed = paymentEvent('payment.failed', { reference: 'order-1', amount: '1180.50' });
    const { fit: seen } = await outcomes.compare(event('1180.50'));
    // This process pauses for longer than its claim holds; another one handles it, and an operator releases the other.
    await outcomes.settle(event('1180.50'), { journal: undefined, otherMoney: false, seen });
    await outcomes.settle(failed, { journal: undefined, otherMoney: true });
    const late = outcomes.settle(event('1180.50'), { journal: undefined, otherMoney: false, seen });
    await expect(late).rejects.toMatchObject({ name: 'PaymentsStorageError', reference: 'order-1' });
    expect(await state()).toMatchObject({ state: 'settled', outcome: 'failed' });
  });

  describe('if the same webhook has settled the payment since it was looked up', () => {
    const settle = (change: Partial<WebhookSettling>) =>
      outcomes.settle(event('1180.50'), { journal: undefined, otherMoney: false, seen: 'fits', ...change });
    const changed = { name: 'PaymentsStorageError', reference: 'order-1' };

    beforeEach(() => settle({}));

    it.each([
      ['in a transaction, which handled it too', () => ({ journal, isFirstRun: true })],
      ['in the first run of its entry: the inbox has forgotten another one', () => ({ isFirstRun: true })],
    ])('is refused %s', async (_where, how) => {
      const { version } = (await journal.get(RECORD))!;
      await expect(settle(how())).rejects.toMatchObject(changed);
      expect(await journal.get(RECORD)).toMatchObject({ version });
    });

    it.each([
      ['without a transaction', () => ({})],
      ['in a transaction', () => ({ journal })],
    ])(
      'is taken in a further run %s: an earlier one without may have ended before its handlers',
      async (_where, how) => {
        await settle({ isFirstRun: false, ...how() });
        expect(await state()).toMatchObject({ state: 'settled', outcome: 'success' });
      },
    );
  });

  it('takes the record for its own if the answer to its write was lost, and the client wrote again', async () => {
    const replace = journal.replace.bind(journal);
    vi.spyOn(journal, 'replace').mockImplementationOnce(async (...args) => {
      await replace(...args);
      return replace(...args);
    });
    const settling = { journal: undefined, otherMoney: false, seen: 'fits', isFirstRun: true } as const;
    await outcomes.settle(event('1180.50'), settling);
    expect(await state()).toMatchObject({ state: 'settled', outcome: 'success' });
  });

  it('is refused in a transaction if the same webhook settles the payment between the lookup and the write', async () => {
    const replace = journal.replace.bind(journal);
    vi.spyOn(journal, 'replace').mockImplementationOnce(async (...args) => {
      await replace(...args);
      return undefined;
    });
    const settling = { journal, otherMoney: false, seen: 'fits', isFirstRun: true } as const;
    await expect(outcomes.settle(event('1180.50'), settling)).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      reference: 'order-1',
    });
  });

  it('settles nothing if its name says no outcome', async () => {
    const refunded = { ...event('1180.50'), event: 'payment.refunded' };
    await outcomes.settle(refunded, { journal: undefined, otherMoney: false });
    expect(await state()).toEqual(RECORD);
  });

  it('of an unknown name is known if any payment has its reference', async () => {
    const named = (reference: string) =>
      outcomes.compare({ ...paymentEvent('payment.success', { reference }), event: 'payout.paid' });
    expect(await named('order-1')).toEqual({ known: true, fit: 'fits' });
    expect(await named(' order-1 ')).toEqual({ known: true, fit: 'fits' });
    expect(await named('salary-1')).toEqual({ known: false, fit: 'fits' });
    await journal.insert({ ...RECORD, family: 'disbursement', reference: 'salary-1' }, 0);
    expect(await named('salary-1')).toEqual({ known: true, fit: 'fits' });
  });

  it('has nothing to settle if the journal does not know the payment', async () => {
    const other = paymentEvent('payment.success', { reference: 'order-2' });
    expect(await outcomes.compare(other)).toMatchObject({ known: false, fit: 'fits' });
    await outcomes.settle(other, { journal: undefined, otherMoney: false });
    expect(await journal.get({ ...RECORD, reference: 'order-2' })).toBeUndefined();
  });
});
