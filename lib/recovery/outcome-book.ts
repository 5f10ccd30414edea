import {
  type JournalKey,
  type JournalRecord,
  type JournalStore,
  type StoredJournalRecord,
} from '../common/journal-port.js';
import { type PaymentOutcome } from '../common/statuses.js';
import { changeRecord } from '../transport/journal/change-record.js';
import { settled } from '../transport/journal/journal-transitions.js';
import { OutcomeWatch } from './outcome-watch.js';

/** Writes down how payments ended by an operator's word, and tells those who wait for it. */
export class OutcomeBook {
  readonly watch = new OutcomeWatch();

  constructor(private readonly store: JournalStore) {}

  /**
   * Settles a payment that has not ended yet.
   *
   * @returns What stands afterwards; undefined where there is no such payment.
   */
  async settle(key: JournalKey, outcome: PaymentOutcome): Promise<StoredJournalRecord | undefined> {
    const end = ({ record }: StoredJournalRecord): JournalRecord | undefined =>
      record.state === 'settled' ? undefined : settled(record, outcome, 'operator');
    const standing = await changeRecord(this.store, key, end, 'stays');
    this.watch.changed(key);
    return standing;
  }
}
