import { type StoredJournalRecord } from '../../storage/journal-store.js';
import { quoted } from '../../common/quoted.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { type PaymentFamily } from '../../common/vocabulary.js';
import { failureLabel } from '../../errors/payments-errors.js';
import { FullDays } from '../payment/daily-caps.js';

/**
 * What a run of `PaymentsJournal.recover()` did.
 *
 * @publicApi
 */
export interface RecoveryReport {
  /** Payments that were sent once more, with the same key and bytes. */
  readonly probed: number;
  /** Planned payments that were sent; absent if there are none. */
  readonly sent?: number;
  /** Payments whose end is known now. */
  readonly settled: number;
  /** Payments that may have been made and stay unknown. */
  readonly stillUnknown: number;
  /**
   * Payments for which the storage, or the key service of the option `encryption`, failed; absent if there are none. The
   * next run tries them again.
   */
  readonly failed?: number;
  /**
   * Families whose payments the storage did not list to the end; absent if it listed all. The next run lists them from
   * the beginning.
   */
  readonly unlisted?: readonly PaymentFamily[];
  /**
   * The run stopped before the last payment: at its time limit, with the application, or because the gateway limits the
   * status queries (429). The next run continues there.
   */
  readonly unfinished?: true;
}

/** The result for one payment. `known` is undefined if there was nothing to find out. */
export interface EntryEnd {
  readonly known?: boolean;
  readonly probed?: true;
  /** A planned payment was sent. */
  readonly sent?: true;
  /** Nobody asked about the payment, or got no answer, because the gateway limits the status queries. */
  readonly unasked?: true;
}

/** More payments, or accounts, are only counted. */
const NAMED_IN_LOG = 10;

/** Counts what a run did, and logs what it could not do in a few lines. */
export class RecoveryTally {
  unfinished = false;
  readonly fullDays = new FullDays();
  /** How many pages were listed. */
  pages = 0;
  private probed = 0;
  private sent = 0;
  private settled = 0;
  private stillUnknown = 0;
  private readonly failures: NamedPayments;
  private readonly unusable: NamedPayments;
  private readonly heldBack = new Set<string>();
  private readonly unlisted = new Map<PaymentFamily, unknown>();

  /** @param ofAll Whether the payments are of several accounts, which the log then names. */
  constructor(private readonly ofAll = false) {
    this.failures = new NamedPayments(ofAll);
    this.unusable = new NamedPayments(ofAll);
  }

  add({ known, probed, sent }: EntryEnd): void {
    if (probed) this.probed += 1;
    if (sent) this.sent += 1;
    if (known === true) this.settled += 1;
    if (known === false) this.stillUnknown += 1;
  }

  /** Counts a payment that this version cannot handle, or that nobody can read now. */
  passOver(existing: StoredJournalRecord, why: string): void {
    if (existing.unavailable) {
      this.failures.add(existing, why);
      return;
    }
    this.stillUnknown += 1;
    this.unusable.add(existing, why);
  }

  /** Counts how the recovery of a payment ends, or that it fails. Never rejects. */
  async addEnd(existing: StoredJournalRecord, end: Promise<EntryEnd>): Promise<void> {
    try {
      this.add(await end);
    } catch (error) {
      this.failures.add(existing, failureLabel(error));
    }
  }

  /** Notes that the gateway limits the status queries of an account, so that payments are left to the next run. */
  holdBack(account: string): void {
    this.heldBack.add(account);
    this.unfinished = true;
  }

  /** Notes that no further payment of a family can be listed. */
  endList(family: PaymentFamily, error: unknown): void {
    this.unlisted.set(family, error);
  }

  /** Throws the storage's error if nothing was listed at all. */
  assertListed(): void {
    const [error] = this.unlisted.values();
    if (this.pages === 0 && this.unlisted.size > 0) throw error;
  }

  report(): RecoveryReport {
    const { probed, sent, settled, stillUnknown, failures, unusable, unlisted } = this;
    const logger = new SafeLogger('PaymentsJournal');
    if (failures.count > 0)
      logger.error(`recover() failed for ${failures.text()}: the next run tries them again.`);
    for (const [family, error] of unlisted) {
      logger.error(
        `recover() could not list every ${family} (${failureLabel(error)}): the next run tries again.`,
      );
    }
    if (this.heldBack.size > 0) {
      logger.warn(
        `recover() asks for the status of no further payment${this.ofAll ? ` of ${namesOf(this.heldBack)}` : ''}, because the ` +
          'gateway limits the queries (HTTP 429): the next run continues there.',
      );
    }
    if (unusable.count > 0) {
      logger.error(
        `recover() sent nothing for ${unusable.text()}: unresolved() lists them; ask the gateway, then write down how they ended ` +
          'with settle(), or leave them to the version of the package that wrote them.',
      );
    }
    return {
      probed,
      ...(sent > 0 && { sent }),
      settled,
      stillUnknown,
      ...(failures.count > 0 && { failed: failures.count }),
      ...(unlisted.size > 0 && { unlisted: [...unlisted.keys()] }),
      ...(this.unfinished && { unfinished: true }),
    };
  }
}

function namesOf(accounts: ReadonlySet<string>): string {
  const names = [...accounts].slice(0, NAMED_IN_LOG).map((account) => quoted(account));
  const more = accounts.size - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

class NamedPayments {
  count = 0;
  private readonly names: string[] = [];

  constructor(private readonly ofAll: boolean) {}

  add({ record: { account, family, reference } }: StoredJournalRecord, why: string): void {
    this.count += 1;
    if (this.names.length >= NAMED_IN_LOG) return;
    const payment = `${family} ${quoted(reference)}`;
    this.names.push(`${payment} ${this.ofAll ? `of ${quoted(account)} ` : ''}(${why})`);
  }

  text(): string {
    const more = this.count - this.names.length;
    return `${this.names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  }
}
