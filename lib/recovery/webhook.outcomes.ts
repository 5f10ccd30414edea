import { type PaymentEventName, type PaymentWebhookEvent } from '../common/events.js';
import {
  type JournalKey,
  type JournalRecord,
  type JournalScope,
  type JournalStore,
  type StoredJournalRecord,
} from '../common/journal-port.js';
import { type PaymentOutcome } from '../common/statuses.js';
import { failureLabel } from '../errors/failure-label.js';
import { PaymentsStorageError } from '../errors/payments-storage.error.js';
import { isPaymentsError } from '../errors/payments.error.js';
import { changeRecord } from '../transport/journal/change-record.js';
import { settled } from '../transport/journal/journal-transitions.js';
import { type OutcomeWatch } from './outcome-watch.js';
import { webhookFit, type WebhookFit } from './webhook-fit.js';

const OUTCOMES: Readonly<Record<PaymentEventName, PaymentOutcome>> = {
  'payment.success': 'success',
  'payment.failed': 'failed',
  'payment.cancelled': 'cancelled',
  'payment.expired': 'expired',
};

/** How a webhook settles its payment. */
export interface WebhookSettling {
  /** The journal inside a transaction; the account's own one where there is none. */
  readonly journal: JournalStore | undefined;
  /** Whether the payment may have been made with another amount or currency: somebody looked at it, and said so. */
  readonly otherMoney: boolean;
}

/** Brings webhooks and the journal of one account together. Webhooks are sent for collections only. */
export class WebhookOutcomes {
  constructor(
    private readonly scope: Pick<JournalScope, 'account' | 'environment'>,
    private readonly store: JournalStore,
    private readonly watch: OutcomeWatch,
  ) {}

  /** How a webhook of one of the four events fits the payment of its reference. */
  async fit({ event, data }: PaymentWebhookEvent): Promise<WebhookFit> {
    const standing = await this.store.get(this.keyOf(data.reference));
    const { amount, currency } = data;
    return webhookFit(standing?.record, { outcome: outcomeOf(event), amount, currency });
  }

  /**
   * Writes down how the payment ended, whatever stood there: which of two webhooks counts was decided before.
   *
   * @throws PaymentsStorageError also where the payment was written down since `fit`, with other money: the next delivery
   * finds it.
   */
  async settle(
    { event, data }: PaymentWebhookEvent,
    { journal, otherMoney }: WebhookSettling,
  ): Promise<void> {
    const { reference, amount, currency } = data;
    const claim = { outcome: outcomeOf(event), amount, currency };
    const end = ({ record }: StoredJournalRecord): JournalRecord | undefined => {
      if (!otherMoney && webhookFit(record, claim) === 'mismatch') throw writtenMeanwhile(reference);
      const stays = record.state === 'settled' && record.outcome === claim.outcome;
      return stays ? undefined : settled(record, claim.outcome, 'webhook');
    };
    try {
      await changeRecord(journal ?? this.store, this.keyOf(reference), end, 'stays');
    } catch (error) {
      if (isPaymentsError(error)) throw error;
      throw new PaymentsStorageError(
        `The outcome could not be written to the journal: ${failureLabel(error)}`,
        { reference },
      );
    }
    if (!journal) this.watch.changed(this.keyOf(reference));
  }

  /** Tells those who wait for the outcome in this process, once a transaction with it was committed. */
  tellWaiters({ data }: PaymentWebhookEvent): void {
    this.watch.changed(this.keyOf(data.reference));
  }

  private keyOf(reference: string): JournalKey {
    const { account, environment } = this.scope;
    return { account, environment, family: 'collection', reference };
  }
}

function writtenMeanwhile(reference: string): PaymentsStorageError {
  const message =
    'The payment was written down meanwhile, with another amount or currency: the next delivery is set aside.';
  return new PaymentsStorageError(message, { reference });
}

function outcomeOf(event: string): PaymentOutcome {
  return OUTCOMES[event as PaymentEventName];
}
