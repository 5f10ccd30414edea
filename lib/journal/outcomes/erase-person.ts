import { PAYMENT_EVENT_NAMES } from '../../common/events.js';
import { pages } from '../../common/pages.js';
import { type InboxScope, type PaymentFamily } from '../../common/vocabulary.js';
import { PaymentsError } from '../../errors/payments-errors.js';
import { trimmedReference } from '../../gateway/validation/field-rules.js';
import { type ConflictStore, type InboxConflict } from '../../storage/conflict-store.js';
import {
  type JournalRecord,
  type JournalStore,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { unreadable } from '../../storage/sealed/sealed-journal.js';
import { changeRecord } from '../payment/change-record.js';
import { isAcknowledged, toErased } from '../payment/journal-transitions.js';

const PAGE_SIZE = 1_000;
/** Those of the specification, which has webhooks for collections only. */
const LISTED: readonly string[] = PAYMENT_EVENT_NAMES;
/** The family that may have a payment with the same reference. */
const OTHER: Readonly<Record<PaymentFamily, PaymentFamily>> = {
  collection: 'disbursement',
  disbursement: 'collection',
};

/** Takes the person out of a payment that has ended, and out of the events of it that were set aside. */
export class PersonEraser {
  constructor(
    private readonly scope: InboxScope,
    private readonly journal: JournalStore,
    private readonly conflicts: Pick<ConflictStore, 'list' | 'remove'>,
  ) {}

  /**
   * @returns The record afterwards; undefined if there is none.
   * @throws PaymentsError with the code `ENTRY_OPEN`
   */
  async erase(family: PaymentFamily, reference: string): Promise<StoredJournalRecord | undefined> {
    const key = { ...this.scope, family, reference };
    const existing = await this.journal.get(key);
    if (!existing) return undefined;
    refuseOpen(existing);
    const events = await this.eventsOf(family, reference);
    const contradiction = events.find(({ kind }) => kind === 'conflict' || kind === 'mismatch');
    if (contradiction)
      throw entryOpen(reference, `an event is set aside that contradicts it (${contradiction.kind})`);
    const other = OTHER[family];
    if (events.some(isUnlisted) && (await this.knows(other, reference)))
      throw entryOpen(
        reference,
        `an event is set aside that may be about the ${other} of the same reference`,
      );
    // First the events: if this process ends in between, the entry still says that there is something to erase.
    for (const { id } of events) await this.conflicts.remove(this.scope, id);
    return changeRecord(
      this.journal,
      key,
      (current) => {
        refuseOpen(current);
        return withoutPerson(current.record);
      },
      'stays',
    );
  }

  private async knows(family: PaymentFamily, reference: string): Promise<boolean> {
    const key = { ...this.scope, family, reference };
    return Boolean((await this.journal.get(key)) ?? (await this.journal.tombstone(key)));
  }

  /** Reads all that was set aside: no storage has an index by reference, because there is little of it. */
  private async eventsOf(family: PaymentFamily, reference: string): Promise<readonly InboxConflict[]> {
    const read = (last?: InboxConflict): Promise<readonly InboxConflict[]> =>
      this.conflicts.list(this.scope, { limit: PAGE_SIZE, ...(last && { after: last.id }) });
    const found: InboxConflict[] = [];
    for await (const page of pages(PAGE_SIZE, read))
      found.push(...page.filter((event) => mayBeAbout(event, family, reference)));
    return found;
  }
}

/** An event with white space around the reference is about the payment, too: nobody can pay under such a reference. */
function mayBeAbout(event: InboxConflict, family: PaymentFamily, reference: string): boolean {
  return (family === 'collection' || isUnlisted(event)) && trimmedReference(event.reference) === reference;
}

/** It may be about a payout, too. */
function isUnlisted({ event }: InboxConflict): boolean {
  return !LISTED.includes(event);
}

/** Erases everything that names a person, and keeps the facts of the payment. */
export function withoutPerson(record: JournalRecord): JournalRecord {
  if (record.erased) return record;
  const { answer: _answer, ...rest } = toErased(record);
  // The answer was the sign that the gateway has the payment.
  return { ...rest, bodyHash: '', erased: true, ...(isAcknowledged(record) && { acknowledged: true }) };
}

/** @throws PaymentsError with the code `ENTRY_OPEN` if the request or the answer may still be needed. */
function refuseOpen(existing: StoredJournalRecord): void {
  const why = openBecause(existing);
  if (why !== undefined) throw entryOpen(existing.record.reference, why);
}

/** Why a payment has not ended for good; undefined if it has. */
function openBecause(existing: StoredJournalRecord): string | undefined {
  const { record, leaseLeftMs } = existing;
  const { state, keepsKey } = record;
  const damaged = unreadable(existing);
  if (damaged !== undefined) return `it cannot be read: ${damaged}`;
  if (leaseLeftMs > 0) return 'a call of it may be running';
  if (state === 'rejected') {
    return keepsKey ? 'it was refused without a listed code, so the same call may follow' : undefined;
  }
  return state === 'settled' ? undefined : `it is ${state}`;
}

function entryOpen(reference: string, why: string): PaymentsError {
  return new EntryOpenError(
    'ENTRY_OPEN',
    `Nothing was erased, because the payment has not ended for good: ${why}.`,
    {
      reference,
      hint: 'Find out how it ended, write that down with PaymentsJournal.settle(), release or discard what was set aside, then erase it.',
    },
  );
}

/** The payment may have been made. */
class EntryOpenError extends PaymentsError {
  override readonly mayHaveBeenProcessed = true;
}
