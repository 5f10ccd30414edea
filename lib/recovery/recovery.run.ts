import {
  type JournalEntry,
  type JournalScope,
  type JournalState,
  type JournalStore,
  type StoredJournalRecord,
} from '../common/journal-port.js';
import { type PaymentFamily } from '../common/operations.js';
import { type GatewayClient } from '../transport/gateway-client.js';
import { changeRecord } from '../transport/journal/change-record.js';
import { journalEntry } from './journal-entry.js';
import { scanJournal } from './journal-scan.js';
import { oldestInState } from './oldest-unresolved.js';
import { decideRecovery, isStale, keptUnknown, type RecoveryRules } from './recovery-decision.js';
import { type StatusResolver } from './status.resolver.js';

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
}

/** Tells the application about a payment of which nothing was heard for too long. */
export type AnnounceStale = (entry: JournalEntry) => void;

const FAMILIES: readonly PaymentFamily[] = ['collection', 'disbursement'];

/** Goes through the payments whose outcome is open. */
export class RecoveryRun {
  constructor(
    private readonly scope: Pick<JournalScope, 'account' | 'environment'>,
    private readonly rules: RecoveryRules,
    private readonly store: JournalStore,
    private readonly client: Pick<GatewayClient, 'probe'>,
    private readonly status: StatusResolver,
    private readonly announceStale: AnnounceStale,
  ) {}

  /** Whether accepted payouts may still settle. */
  canAskAboutPayouts(): boolean {
    return this.status.canAsk('disbursement');
  }

  async recover(): Promise<RecoveryReport> {
    const count = { probed: 0, settled: 0, stillUnknown: 0 };
    for (const family of FAMILIES) {
      for await (const standing of this.unresolved(family)) {
        const { known, probed } = await this.resolve(standing);
        if (probed) count.probed += 1;
        if (known === true) count.settled += 1;
        if (known === false) count.stillUnknown += 1;
        await this.announceIfStale(standing);
      }
    }
    return count;
  }

  unresolved(family: PaymentFamily): AsyncGenerator<StoredJournalRecord, void, undefined> {
    return scanJournal(this.store, { ...this.scope, family }, this.openStates(family));
  }

  /** The one that has been open for the longest time. */
  async oldest(): Promise<StoredJournalRecord | undefined> {
    let oldest: StoredJournalRecord | undefined;
    for (const family of FAMILIES) {
      for (const state of this.openStates(family)) {
        oldest = await oldestInState(this.store, { ...this.scope, family }, state, oldest);
      }
    }
    return oldest;
  }

  /** Accepted payouts never settle by themselves, so they count only where the gateway can be asked about them. */
  private openStates(family: PaymentFamily): readonly JournalState[] {
    const acceptedToo = family === 'collection' || this.status.canAsk(family);
    return ['in-flight', 'unknown', ...(acceptedToo ? (['accepted'] as const) : [])];
  }

  /** `known` is undefined where nothing was to be found out. */
  private async resolve(
    standing: StoredJournalRecord,
  ): Promise<{ readonly known?: boolean; readonly probed?: true }> {
    const { record } = standing;
    const decision = decideRecovery(standing, this.rules);
    if (decision === 'leave') return {};
    const asked = await this.status.ask(standing);
    if (record.state === 'accepted') return asked.record.state === 'settled' ? { known: true } : {};
    if (asked.record.state !== record.state) return { known: true };
    if (decision === 'probe') return this.probe(asked);
    await changeRecord(this.store, record, (current) => keptUnknown(current, this.rules), 'stays');
    return { known: false };
  }

  private async probe(
    standing: StoredJournalRecord,
  ): Promise<{ readonly known?: boolean; readonly probed?: true }> {
    const result = await this.client.probe(standing);
    if (!result) return {};
    const state = result.standing?.state;
    return { probed: true, known: state === 'accepted' || state === 'settled' };
  }

  /** Announced by the replica that writes it down, once. */
  private async announceIfStale(seen: StoredJournalRecord): Promise<void> {
    if (!isStale(seen, this.rules)) return;
    const standing = await this.store.get(seen.record);
    if (!standing || standing.leaseLeftMs > 0 || !isStale(standing, this.rules)) return;
    const marked = await this.store.replace(standing.version, { ...standing.record, stale: true }, 0);
    if (marked) this.announceStale(journalEntry(marked));
  }
}
