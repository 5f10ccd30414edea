import { beforeEach, describe, expect, it } from 'vitest';
import { providerReferenceOf } from '../../../../lib/journal/outcomes/compare-webhook.js';
import { OutcomeNotifier } from '../../../../lib/journal/outcomes/outcome-recorder.js';
import { WebhookOutcomes } from '../../../../lib/journal/outcomes/webhook-outcomes.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { paymentEvent } from '../../../../lib/testing/payment-event.js';
import { journalRecord } from '../../../support/journal-contract.js';

const SCOPE = { account: 'default', environment: 'sandbox' } as const;
const OWN = { journal: undefined, otherMoney: false } as const;

describe('what the journal keeps of the webhooks of a payment', () => {
  let outcomes: WebhookOutcomes;
  const { journal } = memoryStorage();
  const event = (name: string, provider_reference: string | null) =>
    paymentEvent(name, { reference: 'order-1', amount: '1180.50', provider_reference });
  const storedEntry = async () => (await journal.get(journalRecord('order-1')))?.record;

  beforeEach(async () => {
    const existing = await journal.get(journalRecord('order-1'));
    if (existing) await journal.remove(existing.record, existing.version);
    await journal.insert(journalRecord('order-1', { state: 'accepted' }), 0);
    outcomes = new WebhookOutcomes(SCOPE, journal, new OutcomeNotifier());
  });

  it('is the charge that was named, even if a later delivery names none', async () => {
    await outcomes.settle(event('payment.success', 'p1'), OWN);
    await outcomes.settle(event('payment.success', null), OWN);
    const providerReference = providerReferenceOf(event('payment.success', 'p1'));
    expect(await storedEntry()).toMatchObject({
      outcome: 'success',
      settledBy: 'webhook',
      providerReference,
    });
    expect((await outcomes.compare(event('payment.success', 'p2'))).fit).toBe('settled-otherwise');
  });

  it('is no charge of an outcome that was replaced', async () => {
    await outcomes.settle(event('payment.success', 'p1'), OWN);
    await outcomes.settle(event('payment.failed', 'p1'), OWN);
    expect(await storedEntry()).toMatchObject({ outcome: 'failed', settledBy: 'webhook' });
    expect(await storedEntry()).not.toHaveProperty('providerReference');
  });

  it('does not change, not even in its version, if the same webhook is repeated', async () => {
    await outcomes.settle(event('payment.success', 'p1'), OWN);
    const before = await journal.get(journalRecord('order-1'));
    await outcomes.settle(event('payment.success', 'p1'), OWN);
    expect((await journal.get(journalRecord('order-1')))?.version).toBe(before?.version);
  });

  it('is told apart from an unknown payment, and from one of another spelling', async () => {
    const look = (reference: string) =>
      outcomes.compare(paymentEvent('payment.success', { reference, amount: '1180.50' }));
    expect(await look('order-1')).toMatchObject({ known: true, fit: 'fits' });
    expect(await look('order-2')).toMatchObject({ known: false, fit: 'fits' });
    expect(await look(' order-1')).toMatchObject({ known: false, fit: 'other-spelling' });
  });

  it('ends a later attempt by a failure only if the failure names the transaction of that attempt', async () => {
    const answer = '{"envelope":{},"answer":{"data":{"provider_reference":"p2"}}}';
    const existing = (await journal.get(journalRecord('order-1')))!;
    const second = journalRecord('order-1', { state: 'accepted', attempt: 2, answer });
    await journal.replace(existing.version, second, 0);
    const fit = async (name: string, transaction: string | null) =>
      (await outcomes.compare(event(name, transaction))).fit;
    expect(await fit('payment.failed', 'p1')).toBe('earlier-attempt');
    expect(await fit('payment.failed', null)).toBe('earlier-attempt');
    expect(await fit('payment.failed', ' p2 ')).toBe('fits');
    expect(await fit('payment.success', 'p1')).toBe('fits');
  });

  it('is compared with the last attempt of a payment that was forgotten', async () => {
    const settled = journalRecord('order-1', {
      state: 'settled',
      outcome: 'success',
      settledBy: 'status',
      attempt: 2,
    });
    let now = 1;
    const store = memoryStorage({ now: () => now }).journal;
    await store.insert(settled, 0);
    await store.insert({ ...settled, reference: 'order-2', attempt: 1 }, 0);
    now = 1_000;
    expect(await store.purge(SCOPE, 'settled', 1)).toBe(2);
    const forgotten = new WebhookOutcomes(SCOPE, store, new OutcomeNotifier());
    const look = async (reference: string) =>
      (await forgotten.compare(paymentEvent('payment.failed', { reference }))).fit;
    expect(await look('order-1')).toBe('earlier-attempt');
    expect(await look('order-2')).toBe('contested');
  });

  it('ends no attempt that began since it was looked at', async () => {
    const failed = event('payment.failed', null);
    const { fit } = await outcomes.compare(failed);
    const existing = (await journal.get(journalRecord('order-1')))!;
    await journal.replace(existing.version, journalRecord('order-1', { attempt: 2 }), 0);
    await expect(outcomes.settle(failed, { ...OWN, seen: fit })).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      message: expect.stringContaining('made once more meanwhile') as unknown,
    });
    expect(await storedEntry()).toMatchObject({ state: 'in-flight', attempt: 2 });
    // An operator who released it has looked.
    await outcomes.settle(failed, OWN);
    expect(await storedEntry()).toMatchObject({ state: 'settled', outcome: 'failed', attempt: 2 });
  });
});
