import { type JournalRecord } from '../common/journal-port.js';
import { type PaymentOutcome } from '../common/statuses.js';

/** What a webhook says about a payment. */
export interface WebhookClaim {
  readonly outcome: PaymentOutcome;
  /** Canonical money string. */
  readonly amount: string;
  readonly currency: string;
}

/**
 * How a webhook fits what the journal knows.
 *
 * - `mismatch`: it names another amount or currency than the payment was made with.
 * - `contested`: the payment was called refused, or ended otherwise by somebody else's word; the webhook wins.
 */
export type WebhookFit = 'fits' | 'mismatch' | 'contested';

/**
 * Compares a webhook with the payment in the journal. Two webhooks that contradict each other are the inbox's to keep
 * apart.
 */
export function webhookFit(record: JournalRecord | undefined, claim: WebhookClaim): WebhookFit {
  if (!record) return 'fits';
  if (record.amount !== claim.amount || record.currency !== claim.currency) return 'mismatch';
  if (record.state === 'rejected') return 'contested';
  const othersWord = record.state === 'settled' && record.settledBy !== 'webhook';
  return othersWord && record.outcome !== claim.outcome ? 'contested' : 'fits';
}
