import { type JournalStore } from '../journal-store.js';
import { type InboxClaim } from '../inbox-store.js';
import { type HeldEntry } from './claim-once.js';
import { type RunScript, type SqlSession } from './sql-database.js';
import { type InboxStatements } from './sql-statements.js';

/** What a transactional claim needs beside its entry. */
interface TransactionParts {
  /** The connection of the transaction. */
  readonly session: SqlSession;
  /** Another connection, in case this one is lost. */
  readonly elsewhere: RunScript;
  readonly statements: Pick<InboxStatements, 'fail' | 'withdraw' | 'state'>;
  /** The journal on the transaction's connection. */
  readonly journal: JournalStore;
  readonly leaseMs: number;
}

/**
 * A claim that ends in the transaction of the handlers. The claim itself is committed first, so that other
 * replicas see it. Its end is committed together with the handlers' writes.
 */
export class TransactionalClaim implements InboxClaim {
  readonly attempt: number;
  readonly finished: readonly string[];
  readonly journal: JournalStore;
  private ended = false;
  private committed = false;
  private readonly leaseEnd: NodeJS.Timeout;

  constructor(
    private readonly entry: HeldEntry,
    private readonly parts: TransactionParts,
  ) {
    this.attempt = entry.attempt;
    this.finished = entry.finished;
    this.journal = parts.journal;
    this.leaseEnd = setTimeout(() => {
      this.abandon();
    }, parts.leaseMs).unref();
  }

  get transaction(): unknown {
    return this.parts.session.handle;
  }

  within<T>(handlers: () => T): T {
    const { session } = this.parts;
    return session.within ? session.within(handlers) : handlers();
  }

  mark(): Promise<boolean> {
    return Promise.resolve(!this.ended);
  }

  async finish(): Promise<boolean> {
    if (!this.end()) return this.committed;
    const { session } = this.parts;
    try {
      await session.finishAndCommit(this.entry);
      session.release('usable');
      this.committed = true;
    } catch (error) {
      await this.rollback('fail');
      const state = await this.stateNow();
      this.committed = state === 'done';
      if (!this.committed && state !== 'claimed again') throw error;
    }
    return this.committed;
  }

  async fail(): Promise<void> {
    if (this.end()) await this.rollback('fail');
  }

  async withdraw(): Promise<void> {
    if (this.end()) await this.rollback('withdraw');
  }

  /** Returns false if the claim has already ended. */
  private end(): boolean {
    const ending = !this.ended;
    this.ended = true;
    clearTimeout(this.leaseEnd);
    return ending;
  }

  /**
   * Rolls the transaction back, then opens the entry again or deletes it. After a COMMIT without an answer,
   * the result is unknown: both statements change the entry only if it failed.
   */
  private async rollback(then: 'fail' | 'withdraw'): Promise<void> {
    const { session, elsewhere, statements } = this.parts;
    const endClaim = (run: RunScript): Promise<unknown> => run(statements[then](this.entry));
    // Code of the handler may still run, and would write into the next use of the connection.
    session.block();
    try {
      await session.rollback();
      await endClaim(session.run);
      session.release('unknown');
    } catch {
      session.release('unknown');
      // If this fails too, another claim can take the entry at the end of its lease.
      await endClaim(elsewhere).catch(() => undefined);
    }
  }

  /** The entry's current state: the answer to a COMMIT may be lost, or another process may have the claim. */
  private stateNow(): Promise<string> {
    const { elsewhere, statements } = this.parts;
    return elsewhere(statements.state(this.entry)).then(
      ({ rows }) => rows[0]?.['state'] ?? 'claimed again',
      () => 'unknown',
    );
  }

  /** Neither a hanging handler nor a silent server may hold a connection forever. */
  private abandon(): void {
    this.ended = true;
    this.parts.session.release('unknown');
  }
}
