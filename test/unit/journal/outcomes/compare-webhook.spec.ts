import { describe, expect, it } from 'vitest';
import { type JournalRecord, type PaymentTombstone } from '../../../../lib/storage/journal-store.js';
import {
  forgottenPayment,
  webhookFit,
  type ReportedOutcome,
  type WebhookFit,
} from '../../../../lib/journal/outcomes/compare-webhook.js';
import { journalRecord } from '../../../support/journal-contract.js';

const PAID: ReportedOutcome = { outcome: 'success', amount: '1180.50', currency: 'TZS' };
const CHARGE: ReportedOutcome = { ...PAID, providerReference: 'p1' };
const BY_WEBHOOK = { state: 'settled', outcome: 'success', settledBy: 'webhook' } as const;
const FAILED: ReportedOutcome = { ...PAID, outcome: 'failed' };

describe('a webhook and the journal', () => {
  const table: [what: string, Partial<JournalRecord>, ReportedOutcome, WebhookFit][] = [
    ['a payment in flight', {}, PAID, 'fits'],
    ['an accepted payment', { state: 'accepted' }, FAILED, 'fits'],
    ['an unknown payment', { state: 'unknown' }, PAID, 'fits'],
    ['an unknown payment that had an end before', { ...BY_WEBHOOK, state: 'unknown' }, FAILED, 'fits'],
    ['another amount', { state: 'accepted' }, { ...PAID, amount: '1180.51' }, 'mismatch'],
    ['another currency', { state: 'accepted' }, { ...PAID, currency: 'KES' }, 'mismatch'],
    [
      'another amount of a payment called refused',
      { state: 'rejected' },
      { ...PAID, amount: '1.00' },
      'mismatch',
    ],
    ['a payment called refused', { state: 'rejected' }, PAID, 'contested'],
    ['a payment called refused that failed', { state: 'rejected' }, FAILED, 'contested'],
    [
      "an operator's same word",
      { state: 'settled', outcome: 'success', settledBy: 'operator' },
      PAID,
      'fits',
    ],
    [
      "an operator's other word",
      { state: 'settled', outcome: 'failed', settledBy: 'operator' },
      PAID,
      'contested',
    ],
    [
      'another status answer',
      { state: 'settled', outcome: 'success', settledBy: 'status' },
      FAILED,
      'contested',
    ],
    ['the same webhook', BY_WEBHOOK, PAID, 'settled'],
    ['another webhook', BY_WEBHOOK, FAILED, 'settled-otherwise'],
    ['a webhook with another amount', BY_WEBHOOK, { ...PAID, amount: '1.00' }, 'mismatch'],
    ['the same charge', { ...BY_WEBHOOK, providerReference: 'p1' }, CHARGE, 'settled'],
    ['a first charge that is named', BY_WEBHOOK, CHARGE, 'settled'],
    ['no charge that is named', { ...BY_WEBHOOK, providerReference: 'p1' }, PAID, 'settled'],
    ['another charge', { ...BY_WEBHOOK, providerReference: 'p0' }, CHARGE, 'settled-otherwise'],
  ];

  it.each<[PaymentTombstone['end'], PaymentTombstone['settledBy'], ReportedOutcome, WebhookFit]>([
    ['success', 'webhook', PAID, 'settled'],
    ['success', 'webhook', CHARGE, 'settled'],
    ['success', 'webhook', FAILED, 'settled-otherwise'],
    ['success', 'status', PAID, 'fits'],
    ['success', 'operator', FAILED, 'contested'],
    ['rejected', undefined, PAID, 'contested'],
    ['rejected', undefined, FAILED, 'contested'],
    ['unlisted-refusal', undefined, PAID, 'contested'],
    ['unlisted-refusal', undefined, FAILED, 'earlier-attempt'],
    ['accepted', undefined, PAID, 'fits'],
  ])('a forgotten payment that was %s by %s', (end, settledBy, claim, fit) => {
    const tombstone = { attempt: 2, end, ...(settledBy && { settledBy }) };
    expect(webhookFit(forgottenPayment(tombstone), claim, () => true)).toBe(fit);
  });

  it.each(table)('%s', (_, change, claim, fit) => {
    expect(webhookFit(journalRecord('order-1', change), claim, () => true)).toBe(fit);
  });

  it.each<[what: string, Partial<JournalRecord>, ReportedOutcome, WebhookFit]>([
    ['a payment in flight', {}, FAILED, 'earlier-attempt'],
    ['an accepted payment', { state: 'accepted' }, FAILED, 'earlier-attempt'],
    ['an accepted payment', { state: 'accepted' }, { ...FAILED, outcome: 'cancelled' }, 'earlier-attempt'],
    ['an unknown payment', { state: 'unknown' }, { ...FAILED, outcome: 'expired' }, 'earlier-attempt'],
    [
      'an unknown payment that had this end before',
      { state: 'unknown', outcome: 'failed' },
      FAILED,
      'earlier-attempt',
    ],
    [
      'a status answer that says success',
      { state: 'settled', outcome: 'success', settledBy: 'status' },
      FAILED,
      'earlier-attempt',
    ],
    ['the same word', { state: 'settled', outcome: 'failed', settledBy: 'operator' }, FAILED, 'fits'],
    ['a refused payment', { state: 'rejected' }, FAILED, 'contested'],
    ['an attempt refused without a code', { state: 'rejected', keepsKey: true }, FAILED, 'earlier-attempt'],
    ['such an attempt', { state: 'rejected', keepsKey: true }, PAID, 'contested'],
    ['such a first attempt', { state: 'rejected', keepsKey: true, attempt: 1 }, FAILED, 'contested'],
    ['another webhook', BY_WEBHOOK, FAILED, 'settled-otherwise'],
    ['another amount', { state: 'accepted' }, { ...FAILED, amount: '1.00' }, 'mismatch'],
    // Money that moved counts for the payment.
    ['an accepted payment', { state: 'accepted' }, PAID, 'fits'],
    [
      "an operator's other word",
      { state: 'settled', outcome: 'failed', settledBy: 'operator' },
      PAID,
      'contested',
    ],
  ])('%s, and a webhook that may be about an earlier attempt: %j %j', (_, change, claim, fit) => {
    expect(webhookFit(journalRecord('order-1', { attempt: 2, ...change }), claim, () => false)).toBe(fit);
  });
});
