import { describe, expect, it } from '@jest/globals';
import { type JournalRecord } from '../../../lib/common/journal-port.js';
import { webhookFit, type WebhookClaim, type WebhookFit } from '../../../lib/recovery/webhook-fit.js';
import { journalRecord } from '../../support/journal-contract.js';

const PAID: WebhookClaim = { outcome: 'success', amount: '1180.50', currency: 'TZS' };
const FAILED: WebhookClaim = { ...PAID, outcome: 'failed' };

describe('a webhook and the journal', () => {
  const table: [what: string, Partial<JournalRecord> | undefined, WebhookClaim, WebhookFit][] = [
    ['no entry', undefined, PAID, 'fits'],
    ['a payment in flight', {}, PAID, 'fits'],
    ['an accepted payment', { state: 'accepted' }, FAILED, 'fits'],
    ['an unknown payment', { state: 'unknown' }, PAID, 'fits'],
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
    // The inbox keeps two webhooks apart.
    ['another webhook', { state: 'settled', outcome: 'success', settledBy: 'webhook' }, FAILED, 'fits'],
  ];

  it.each(table)('%s', (_, change, claim, fit) => {
    expect(webhookFit(change && journalRecord('order-1', change), claim)).toBe(fit);
  });
});
