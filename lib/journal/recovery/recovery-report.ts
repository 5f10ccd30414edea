import { type StoredJournalRecord } from '../../storage/journal-store.js';
import { quoted } from '../../common/quoted.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { failureLabel } from '../../errors/payments-errors.js';

/**
 * What a run of `PaymentsJournal.recover()` did.
 *
 * @publicApi
 */
export interface RecoveryReport {
  /** Payments that were sent once more, with the key and the bytes of the first time. */
  readonly probed: number;
  /** Payments of which is known now what came of them. */
  readonly settled: number;
  /** Payments that may have been made, and nothing here can tell. */
  readonly stillUnknown: number;
  /** Payments that this run could not deal with, because the storage failed for them; absent where there were none. */
  readonly failed?: number;
  /**
   * The run ended before it came to every payment, by its time limit, or because the application stops: the
   * next one goes on there.
   */
  readonly unfinished?: true;
}

/** What came of one payment. `known` is undefined where nothing was to be found out. */
export interface EntryEnd {
  readonly known?: boolean;
  readonly probed?: true;
}

/** More are only counted. */
const NAMED_IN_LOG = 10;

/** Counts what a run did, and logs what it could not do: two lines at most, however much that is. */
export class RecoveryTally {
  unfinished = false;
  private probed = 0;
  private settled = 0;
  private stillUnknown = 0;
  private readonly failures = new NamedPayments();
  private readonly unusable = new NamedPayments();

  add({ known, probed }: EntryEnd): void {
    if (probed) this.probed += 1;
    if (known === true) this.settled += 1;
    if (known === false) this.stillUnknown += 1;
  }

  /** One that this version cannot read, or must not touch. */
  passOver(existing: StoredJournalRecord, why: string): void {
    this.stillUnknown += 1;
    this.unusable.add(existing, why);
  }

  fail(existing: StoredJournalRecord, error: unknown): void {
    this.failures.add(existing, failureLabel(error));
  }

  report(): RecoveryReport {
    const { probed, settled, stillUnknown, failures, unusable } = this;
    const logger = new SafeLogger('PaymentsJournal');
    if (failures.count > 0)
      logger.error(`recover() failed for ${failures.text()}: the next run tries them again.`);
    if (unusable.count > 0) {
      logger.error(
        `recover() sent nothing for ${unusable.text()}: unresolved() lists them; ask the gateway, then write down how they ended ` +
          'with settle(), or leave them to the version of the package that wrote them.',
      );
    }
    return {
      probed,
      settled,
      stillUnknown,
      ...(failures.count > 0 && { failed: failures.count }),
      ...(this.unfinished && { unfinished: true }),
    };
  }
}

class NamedPayments {
  count = 0;
  private readonly names: string[] = [];

  add({ record: { family, reference } }: StoredJournalRecord, why: string): void {
    this.count += 1;
    if (this.names.length < NAMED_IN_LOG) this.names.push(`${family} ${quoted(reference)} (${why})`);
  }

  text(): string {
    const more = this.count - this.names.length;
    return `${this.names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  }
}
