import { setImmediate } from 'node:timers/promises';
import { pages } from '../../common/pages.js';
import { type InboxScope, PAYMENT_FAMILIES } from '../../common/vocabulary.js';
import { type BatchLine, type BatchStore, type StoredBatch } from '../batch-store.js';
import { type InboxConflict } from '../conflict-store.js';
import { type JournalScope, type StoredJournalRecord } from '../journal-store.js';
import { type PaymentsStorage } from '../payments-storage.js';
import { KeyServiceError } from './encryption.js';
import { isLineOutdated, openLine, sealAgain } from './sealed-batches.js';
import { openConflict, sealPayload } from './sealed-conflicts.js';
import { openRecord, SEALED_FIELDS, sealRecord } from './sealed-journal.js';
import { type ValueSealer } from './value-sealer.js';

/**
 * What a run of `PaymentsJournal.reseal()` did. Each number counts payments, events that were set aside, and lines of batches.
 *
 * @publicApi
 */
export interface ResealReport {
  /** Sealed with the current key now. */
  readonly resealed: number;
  /** Were sealed with the current key before, or hold nothing to seal. They are not opened, so one of them may be damaged. */
  readonly current: number;
  /** A call of the payment is running, or somebody changed the entry at the same time. The next run takes them. */
  readonly busy: number;
  /**
   * Cannot be opened: the key is missing, the entry cannot be read, or what an earlier key sealed is damaged. Of what the current
   * key sealed, only the key is looked for.
   */
  readonly unreadable: number;
  /** Cannot be opened or sealed now: the key service did not answer. The next run takes them. */
  readonly unavailable: number;
  /** The run was stopped by its signal before the last entry. */
  readonly unfinished?: true;
}

type Outcome = 'resealed' | 'current' | 'busy' | 'unreadable' | 'unavailable';

const PAGE = { limit: 200 };

/** Seals with the current key what is stored of an account, one page after the other. */
export class Resealing {
  constructor(
    private readonly storage: PaymentsStorage,
    private readonly sealer: ValueSealer,
  ) {}

  /** May run beside everything else: it replaces only the version that it read. */
  async run(scope: InboxScope, signal?: AbortSignal): Promise<ResealReport> {
    const counts = { resealed: 0, current: 0, busy: 0, unreadable: 0, unavailable: 0 };
    for await (const step of this.steps(scope)) {
      if (signal?.aborted) return { ...counts, unfinished: true };
      counts[await step().catch(unavailable)] += 1;
    }
    return counts;
  }

  private async *steps(scope: InboxScope): AsyncGenerator<() => Promise<Outcome>, void, undefined> {
    for (const family of PAYMENT_FAMILIES) {
      for await (const stored of this.payments({ ...scope, family })) yield () => this.resealPayment(stored);
    }
    for await (const stored of this.events(scope)) yield () => this.resealEvent(stored);
    const { batches } = this.storage;
    if (!batches) return;
    for await (const load of loadsOf(batches, scope)) {
      for await (const line of linesOf(batches, load))
        yield () => this.resealLine(batches, scope, load, line);
    }
  }

  private async *payments(scope: JournalScope): AsyncGenerator<StoredJournalRecord, void, undefined> {
    let after: string | undefined;
    do {
      const page = await this.storage.journal.list(scope, [], {
        ...PAGE,
        ...(after !== undefined && { after }),
      });
      yield* page.entries;
      after = page.next;
      // A storage in this process answers at once, but calls and webhooks must get their turn.
      await setImmediate();
    } while (after !== undefined);
  }

  private async *events(scope: InboxScope): AsyncGenerator<InboxConflict, void, undefined> {
    for (let after: string | undefined; ;) {
      const page = await this.storage.conflicts.list(scope, {
        ...PAGE,
        ...(after !== undefined && { after }),
      });
      yield* page;
      after = page.at(-1)?.id;
      if (after === undefined) return;
      await setImmediate();
    }
  }

  private async resealPayment(stored: StoredJournalRecord): Promise<Outcome> {
    const { record, version, leaseLeftMs, damaged } = stored;
    if (damaged !== undefined) return 'unreadable';
    const sealed = SEALED_FIELDS.flatMap((field) => record[field] || []);
    if (!sealed.some((text) => this.sealer.isOutdated(text))) return this.keep(sealed);
    // A call that ends writes its refusal only if nobody else has changed the record.
    if (leaseLeftMs > 0 || record.state === 'in-flight') return 'busy';
    const opened = await openRecord(stored, this.sealer);
    if (opened.damaged !== undefined) return 'unreadable';
    const isEnded = record.state === 'settled';
    // It ended no later, though the store changes it now.
    const same = isEnded ? { ...opened.record, endedAt: record.endedAt ?? stored.updatedAt } : opened.record;
    const resealed = await sealRecord(same, this.sealer);
    return (await this.storage.journal.replace(version, resealed, 0)) ? 'resealed' : 'busy';
  }

  /** Keeps what is sealed with the current key, without opening it: only its key must be there. */
  private async keep(texts: readonly string[]): Promise<Outcome> {
    for (const text of texts) if (!(await this.sealer.hasKeyOf(text))) return 'unreadable';
    return 'current';
  }

  private async resealLine(
    batches: BatchStore,
    scope: InboxScope,
    load: string,
    stored: BatchLine,
  ): Promise<Outcome> {
    if (!isLineOutdated(stored, this.sealer)) return this.keep([stored.content, stored.result]);
    const opened = await openLine(scope, load, stored, this.sealer);
    if (opened.problem !== undefined) return 'unreadable';
    const sealed = await sealAgain(scope, load, opened.line, this.sealer);
    return (await batches.replaceLine(load, stored, sealed)) ? 'resealed' : 'busy';
  }

  private async resealEvent(stored: InboxConflict): Promise<Outcome> {
    if (!this.sealer.isOutdated(stored.payload)) return this.keep([stored.payload]);
    const opened = await openConflict(stored, this.sealer);
    if (opened.damaged !== undefined) return 'unreadable';
    const payload = await sealPayload(stored, opened, this.sealer);
    return (await this.storage.conflicts.replacePayload(stored, payload)) ? 'resealed' : 'busy';
  }
}

/** The key service may not open an entry now, or not seal it. Any other failure ends the run. */
function unavailable(error: unknown): Outcome {
  if (error instanceof KeyServiceError) return 'unavailable';
  throw error;
}

async function* loadsOf(batches: BatchStore, scope: InboxScope): AsyncGenerator<string, void, undefined> {
  const read = (last?: StoredBatch): Promise<readonly StoredBatch[]> =>
    batches.list(scope, { ...PAGE, ...(last && { after: last.record.batch }) });
  for await (const page of pages(PAGE.limit, read)) yield* page.map(({ record }) => record.load);
}

async function* linesOf(batches: BatchStore, load: string): AsyncGenerator<BatchLine, void, undefined> {
  const read = (last?: BatchLine): Promise<readonly BatchLine[]> =>
    batches.lines(load, { ...PAGE, after: last?.number ?? 0 });
  for await (const page of pages(PAGE.limit, read)) {
    yield* page;
    await setImmediate();
  }
}
