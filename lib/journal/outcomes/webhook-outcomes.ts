import { finalStatus } from '../../gateway/answer/wire-record.js';
import { trimmedReference } from '../../common/reference.js';
import {
  type JournalKey,
  type JournalRecord,
  type JournalScope,
  type JournalStore,
  type PaymentTombstone,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { type PaymentEventData, type PaymentWebhookEvent } from '../../common/events.js';
import { type PaymentFamily, movesMoney, type PaymentOutcome } from '../../common/vocabulary.js';
import { failureLabel, PaymentsStorageError, isPaymentsError } from '../../errors/payments-errors.js';
import { changeRecord } from '../payment/change-record.js';
import { toAcknowledged, toAcknowledgedWithoutMoney, toSettled } from '../payment/journal-transitions.js';
import { isOfThisAttempt } from './attempt-match.js';
import { type OutcomeNotifier } from './outcome-recorder.js';
import {
  reportedOutcome,
  forgottenPayment,
  type KnownPayment,
  webhookFit,
  type ReportedOutcome,
  type WebhookFit,
} from './webhook-fit.js';

/** What the journal knows of the payment of a webhook. */
export interface WebhookPayment {
  /** Whether the journal holds a payment under the reference, or has forgotten one. */
  readonly known: boolean;
  readonly fit: WebhookFit | 'other-spelling';
  /** How the payment ended, as far as the journal knows. */
  readonly outcome?: PaymentOutcome | undefined;
  /** The hash of the provider reference that the journal holds. */
  readonly providerReference?: string | undefined;
  /** What the webhook says; absent where it is none of the four. */
  readonly said?: ReportedOutcome | undefined;
}

interface FoundPayment {
  readonly payment: KnownPayment;
  /** Whether what a webhook says can be about no other attempt than the current one. */
  readonly isOfItsAttempt: (data: PaymentEventData) => boolean;
}

/** How a webhook settles its payment. */
export interface WebhookSettling {
  /** The journal inside a transaction; the account's own one where there is none. */
  readonly journal: JournalStore | undefined;
  /** Whether the payment may have been made with another amount or currency: somebody looked at it, and said so. */
  readonly otherMoney: boolean;
  /** How the webhook fitted when it was looked at; nothing: whatever stands there is written over. */
  readonly seen?: WebhookPayment['fit'];
  /** What the webhook says, where it was read before. */
  readonly said?: ReportedOutcome | undefined;
  /** Whether no earlier run for this webhook can have settled the payment and ended before its handlers. */
  readonly isFirstRun?: boolean;
}

/**
 * The journal knows more of a payment than when a webhook of it was compared with it: the process stood
 * still, and others went on. The next delivery finds what they wrote.
 */
export class ChangedMeanwhileError extends PaymentsStorageError {
  constructor(how: string, reference: string) {
    super(`The payment was ${how}: the next delivery finds it.`, { reference });
  }
}

/** Brings webhooks and the journal of one account together. The specification has webhooks for collections only. */
export class WebhookOutcomes {
  constructor(
    private readonly scope: Pick<JournalScope, 'account' | 'environment'>,
    private readonly store: JournalStore,
    private readonly watch: OutcomeNotifier,
  ) {}

  /**
   * What the journal knows of the payment of a webhook. `other-spelling`: it knows the reference only without
   * the white space around it, so the webhook would get past the comparison of the amounts.
   */
  async look(event: PaymentWebhookEvent): Promise<WebhookPayment> {
    const { reference } = event.data;
    const said = reportedOutcome(event);
    if (!said) return { known: await this.knowsAnySpelling(event), fit: 'fits' };
    const found = await this.find(this.keyOf(reference));
    if (found) {
      const { outcome, providerReference } = found.payment;
      const fit = webhookFit(found.payment, said, () => found.isOfItsAttempt(event.data));
      return { known: true, fit, outcome, providerReference, said };
    }
    const trimmed = trimmedReference(reference);
    const knowsTrimmed = trimmed !== reference && (await this.find(this.keyOf(trimmed))) !== undefined;
    return { known: false, fit: knowsTrimmed ? 'other-spelling' : 'fits', said };
  }

  /**
   * Writes down how the payment ended, whatever stood there: which of two webhooks counts was decided before.
   *
   * @throws PaymentsStorageError
   * @throws ChangedMeanwhileError where the payment was written down since `look` with other money, was made
   * once more, or was settled by a webhook: this process stood still.
   */
  async settle(
    event: PaymentWebhookEvent,
    { journal, otherMoney, seen, said = reportedOutcome(event), isFirstRun = false }: WebhookSettling,
  ): Promise<void> {
    const { reference } = event.data;
    if (!said) return;
    // Who settled it has handled it too: always in a transaction, and elsewhere where no run of this webhook
    // ended in between. What stands after the first look may be what this one wrote, when the answer to that
    // was lost.
    let isHandled = journal !== undefined || isFirstRun;
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
      isHandled = journal !== undefined;
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
    if (!journal) this.watch.changed(this.keyOf(reference));
  }

  /**
   * Writes down that the gateway has the payment of a webhook that settles nothing: an operator's `failed`
   * does not free its reference, and is contradicted where it came before.
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

  /** Tells those who wait for the outcome in this process, once a transaction with it was committed. */
  tellWaiters({ data }: PaymentWebhookEvent): void {
    this.watch.changed(this.keyOf(data.reference));
  }

  private async knowsAnySpelling(event: PaymentWebhookEvent): Promise<boolean> {
    for (const key of this.keysOf(event)) {
      if (await this.find(key)) return true;
    }
    return false;
  }

  /** The payments that an event may be about. One whose name nobody knows may be about a payout. */
  private keysOf(event: PaymentWebhookEvent): readonly JournalKey[] {
    const { reference } = event.data;
    const spellings = [...new Set([reference, trimmedReference(reference)])];
    const families: readonly PaymentFamily[] = reportedOutcome(event)
      ? ['collection']
      : ['collection', 'disbursement'];
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
 * The record of a payment that a webhook settles; undefined where it stands already. Also where somebody else
 * said the same before: what a webhook has settled is believed when the inbox has forgotten it.
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

/** By its name and by its status: one of another name may speak of anything, of a refund that failed, too. */
function saysNoMoneyMoved(event: PaymentWebhookEvent): boolean {
  const outcomes = [reportedOutcome(event)?.outcome, finalStatus('collection', event.data.status)];
  return outcomes.every((outcome) => outcome !== undefined && !movesMoney(outcome));
}
