import { errorMessage } from '../common/error-message.js';
import { type PaymentEventName, type PaymentWebhookEvent } from '../common/events.js';
import { type JournalKey, type JournalScope, type JournalStore } from '../common/journal-port.js';
import { type PaymentOutcome } from '../common/statuses.js';
import { PaymentsStorageError } from '../errors/payments-storage.error.js';
import { type OutcomeBook } from './outcome-book.js';
import { webhookFit, type WebhookFit } from './webhook-fit.js';

const OUTCOMES: Readonly<Record<PaymentEventName, PaymentOutcome>> = {
  'payment.success': 'success',
  'payment.failed': 'failed',
  'payment.cancelled': 'cancelled',
  'payment.expired': 'expired',
};

/** Brings webhooks and the journal of one account together. Webhooks are sent for collections only. */
export class WebhookOutcomes {
  constructor(
    private readonly scope: Pick<JournalScope, 'account' | 'environment'>,
    private readonly store: JournalStore,
    private readonly book: OutcomeBook,
  ) {}

  /** How a webhook of one of the four events fits the payment of its reference. */
  async fit({ event, data }: PaymentWebhookEvent): Promise<WebhookFit> {
    const standing = await this.store.get(this.keyOf(data.reference));
    const { amount, currency } = data;
    return webhookFit(standing?.record, { outcome: outcomeOf(event), amount, currency });
  }

  /** Writes down how the payment ended, whatever stood there: which of two webhooks counts was decided before. */
  async settle({ event, data }: PaymentWebhookEvent): Promise<void> {
    try {
      await this.book.settle(this.keyOf(data.reference), outcomeOf(event), 'webhook', true);
    } catch (error) {
      const why = errorMessage(error);
      throw new PaymentsStorageError(`The outcome could not be written to the journal: ${why}`, {
        reference: data.reference,
      });
    }
  }

  private keyOf(reference: string): JournalKey {
    return { ...this.scope, family: 'collection', reference };
  }
}

function outcomeOf(event: string): PaymentOutcome {
  return OUTCOMES[event as PaymentEventName];
}
