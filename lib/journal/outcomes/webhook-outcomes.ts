import { finalStatus } from '../../gateway/answer/wire-record.js';
import { trimmedReference } from '../../gateway/validation/field-rules.js';
import {
  type JournalKey,
  type JournalRecord,
  type JournalScope,
  type JournalStore,
  type PaymentTombstone,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { type PaymentEventData, type PaymentWebhookEvent } from '../../common/events.js';
import {
  movesMoney,
  PAYMENT_FAMILIES,
  type PaymentFamily,
  type PaymentOutcome,
} from '../../common/vocabulary.js';
import { failureLabel, PaymentsStorageError, isPaymentsError } from '../../errors/payments-errors.js';
import { changeRecord } from '../payment/change-record.js';
import { toAcknowledged, toAcknowledgedWithoutMoney, toSettled } from '../payment/journal-transitions.js';
import { isOfThisAttempt } from './attempt-match.js';
import { type OutcomeNotifier } from './outcome-recorder.js';
import {
  reportedOutcome,
  forgottenPayment,
  isSettledSo,
  type KnownPayment,
  webhookFit,
  type ReportedOutcome,
  type WebhookFit,
} from './compare-webhook.js';

/** The payment of a webhook, as far as the journal knows it. */
export interface WebhookPayment {
  /** Whether the journal holds, or has forgotten, a payment with this reference. */
  readonly known: boolean;
  readonly fit: WebhookFit | 'other-spelling';
  readonly outcome?: PaymentOutcome | undefined;
  /** A webhook has settled the payment like this one, maybe with another amount: somebody may have released this one. */
  readonly isSettledSo?: boolean;
  /** The hash in the journal. */
  readonly providerReference?: string | undefined;
  /** The reported outcome; absent if the specification does not list the event. */
  readonly said?: ReportedOutcome | undefined;
}

interface FoundPayment {
  readonly payment: KnownPayment;
  /** Whether a webhook can only be about the current attempt. */
  readonly isOfItsAttempt: (data: PaymentEventData) => boolean;
}

/** How a webhook settles its payment. */
export interface WebhookSettling {
  /** The journal inside a transaction; undefined for that of the account. */
  readonly journal: JournalStore | undefined;
  /** Whether amount and currency may differ, because somebody released the webhook. */
  readonly otherMoney: boolean;
  /** The fit at the first look. If undefined, every record is overwritten. */
  readonly seen?: WebhookPayment['fit'];
  readonly said?: ReportedOutcome | undefined;
  /** Whether no earlier run for this webhook can have settled the payment and stopped before its handlers. */
  readonly isFirstRun?: boolean;
}

/**
 * Another process changed the payment after a webhook was compared with it. The next delivery is compared
 * again.
 */
export class ChangedMeanwhileError extends PaymentsStorageError {
  constructor(how: string, reference: string) {
    super(`The payment was ${how}: the next delivery finds it.`, { reference });
  }
}

/**
 * Compares webhooks with the journal and settles payments. The specification has webhooks for collections
 * only.
 */
export class WebhookOutcomes {
  constructor(
    private readonly scope: Pick<JournalScope, 'account' | 'environment'>,
    private readonly store: JournalStore,
    private readonly notifier: OutcomeNotifier,
  ) {}

  /**
   * Finds the payment of a webhook. `other-spelling`: the journal knows the reference only without the white
   * space around it, so the amounts would not be compared.
   */
  async compare(event: PaymentWebhookEvent): Promise<WebhookPayment> {
    const { reference } = event.data;
    const said = reportedOutcome(event);
    if (!said) return { known: await this.knowsAnySpelling(event), fit: 'fits' };
    const found = await this.find(this.keyOf(reference));
    if (found) {
      const { outcome, providerReference } = found.payment;
      const fit = webhookFit(found.payment, said, () => found.isOfItsAttempt(event.data));
      return {
        known: true,
        fit,
        outcome,
        providerReference,
        said,
        isSettledSo: isSettledSo(found.payment, said),
      };
    }
    const trimmed = trimmedReference(reference);
    const knowsTrimmed = trimmed !== reference && (await this.find(this.keyOf(trimmed))) !== undefined;
    return { known: false, fit: knowsTrimmed ? 'other-spelling' : 'fits', said };
  }

  /**
   * Writes down the outcome. The caller has decided which of two webhooks counts.
   *
   * @throws PaymentsStorageError
   * @throws ChangedMeanwhileError if since `compare` the payment was written with another amount, was made once
   * more, or was settled by a webhook.
   */
  async settle(
    event: PaymentWebhookEvent,
    { journal, otherMoney, seen, said = reportedOutcome(event), isFirstRun = false }: WebhookSettling,
  ): Promise<void> {
    const { reference } = event.data;
    if (!said) return;
    // The run that settled the payment also ran the handlers, unless a run of this webhook stopped in between: of one
    // without a transaction the payment stays settled. From the second look on, a run without a transaction may itself
    // have written the record and lost the answer.
    let isHandled = isFirstRun;
    const assertUnchanged = ({ payment, isOfItsAttempt }: FoundPayment): void => {
      const fit = webhookFit(payment, said, () => isOfItsAttempt(event.data));
      const changed = seen !== undefined && seen !== fit;
      if (!otherMoney && fit === 'mismatch') {
        throw new ChangedMeanwhileError('written down meanwhile, with another amount or currency', reference);
      }
      if (changed && fit === 'settled-otherwise') {
        throw new ChangedMeanwhileError('settled otherwise meanwhile, by another webhook', reference);
      }
      if (changed && fit === 'earlier-attempt') {
        throw new ChangedMeanwhileError('made once more meanwhile', reference);
      }
      if (changed && fit === 'settled' && isHandled) {
        throw new ChangedMeanwhileError('settled meanwhile, by the same webhook', reference);
      }
      isHandled = isFirstRun && journal !== undefined;
    };
    const end = ({ record }: StoredJournalRecord): JournalRecord | undefined => {
      assertUnchanged(fromRecord(record));
      return settledByWebhook(record, said);
    };
    const store = journal ?? this.store;
    const key = this.keyOf(reference);
    const work = async (): Promise<void> => {
      if (await changeRecord(store, key, end, 'stays')) return;
      const tombstone = await store.tombstone(key);
      if (!tombstone) return;
      assertUnchanged(fromTombstone(tombstone));
      if (tombstone.end === said.outcome && tombstone.settledBy === 'webhook') return;
      await store.endTombstone(key, { end: said.outcome, settledBy: 'webhook' });
    };
    await writing(event, work());
    if (!journal) this.notifier.changed(key);
  }

  /**
   * Writes down that the gateway has the payment of a webhook that settles nothing. So an operator's `failed`
   * does not free its reference, and an earlier one is contradicted.
   *
   * @throws PaymentsStorageError
   */
  async acknowledge(event: PaymentWebhookEvent): Promise<void> {
    const acknowledge = saysNoMoneyMoved(event) ? toAcknowledgedWithoutMoney : toAcknowledged;
    for (const key of this.keysOf(event)) {
      await writing(
        event,
        changeRecord(this.store, key, ({ record }) => acknowledge(record), 'stays'),
      );
    }
  }

  /** Notifies the callers in this process that wait for the outcome, after a commit. */
  notifyWaiters({ data }: PaymentWebhookEvent): void {
    this.notifier.changed(this.keyOf(data.reference));
  }

  private async knowsAnySpelling(event: PaymentWebhookEvent): Promise<boolean> {
    for (const key of this.keysOf(event)) {
      if (await this.find(key)) return true;
    }
    return false;
  }

  /** The payments that an event may be about. An unlisted event may be about a payout. */
  private keysOf(event: PaymentWebhookEvent): readonly JournalKey[] {
    const { reference } = event.data;
    const spellings = [...new Set([reference, trimmedReference(reference)])];
    const families = reportedOutcome(event) ? (['collection'] as const) : PAYMENT_FAMILIES;
    return spellings.flatMap((spelling) => families.map((family) => this.keyOf(spelling, family)));
  }

  private async find(key: JournalKey): Promise<FoundPayment | undefined> {
    const existing = await this.store.get(key);
    if (existing) return fromRecord(existing.record);
    const tombstone = await this.store.tombstone(key);
    return tombstone && fromTombstone(tombstone);
  }

  private keyOf(reference: string, family: PaymentFamily = 'collection'): JournalKey {
    const { account, environment } = this.scope;
    return { account, environment, family, reference };
  }
}

function fromRecord(record: JournalRecord): FoundPayment {
  return { payment: record, isOfItsAttempt: (data) => isOfThisAttempt(record, data) };
}

function fromTombstone(tombstone: PaymentTombstone): FoundPayment {
  return { payment: forgottenPayment(tombstone), isOfItsAttempt: () => tombstone.attempt === 1 };
}

/**
 * The record after a webhook settled it; undefined if it stays. A webhook overwrites the same outcome from
 * another source, because a settlement by webhook counts even if the inbox has forgotten it.
 */
function settledByWebhook(record: JournalRecord, reported: ReportedOutcome): JournalRecord | undefined {
  const { outcome, providerReference } = reported;
  const isSame = record.state === 'settled' && record.outcome === outcome;
  const kept = providerReference ?? (isSame ? record.providerReference : undefined);
  const stays = isSame && record.settledBy === 'webhook' && kept === record.providerReference;
  return stays ? undefined : toSettled(record, outcome, 'webhook', kept);
}

async function writing({ data }: PaymentWebhookEvent, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (isPaymentsError(error)) throw error;
    throw new PaymentsStorageError(
      `The webhook could not be written to the journal: ${failureLabel(error)}`,
      {
        reference: data.reference,
      },
    );
  }
}

/** By name and status: an unlisted event may be about anything, for example a failed refund. */
function saysNoMoneyMoved(event: PaymentWebhookEvent): boolean {
  const outcomes = [reportedOutcome(event)?.outcome, finalStatus('collection', event.data.status)];
  return outcomes.every((outcome) => outcome !== undefined && !movesMoney(outcome));
}
