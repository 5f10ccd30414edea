import { type JournalStore } from '../common/journal-port.js';
import { type InboxClaim } from '../common/storage-port.js';
import { type HeldEntry } from './claim-once.js';
import { finishAndCommit } from './handler-transaction.js';
import { type InboxStatements } from './inbox-statements.js';
import { type LentConnection, type RunStatement } from './lent-connection.js';

/** What a transactional claim needs beside the entry. */
export interface TransactionParts {
  /** Where the transaction was begun. */
  readonly connection: LentConnection;
  /** Another connection, for the case that this one is lost. */
  readonly elsewhere: RunStatement;
  readonly statements: Pick<InboxStatements, 'giveBack' | 'withdraw' | 'state'>;
  /** Name of the table of the inbox. */
  readonly table: string;
  /** Bound to the connection. */
  readonly journal: JournalStore;
  readonly leaseMs: number;
}

/**
 * A claim whose end is written in the transaction of the handlers. The claim itself was committed before, so that other
 * replicas see it; the end stands only together with everything that the handlers wrote.
 */
export class TransactionalClaim implements InboxClaim {
  readonly attempt: number;
  readonly finished: readonly string[];
  readonly transaction: unknown;
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
    this.transaction = parts.connection.client;
    this.journal = parts.journal;
    this.leaseEnd = setTimeout(() => {
      this.abandon();
    }, parts.leaseMs).unref();
  }

  mark(): Promise<boolean> {
    return Promise.resolve(!this.ended);
  }

  async finish(): Promise<boolean> {
    if (!this.end()) return this.committed;
    const { connection, table } = this.parts;
    try {
      await connection.run(finishAndCommit(table, this.entry.values));
      connection.giveBack('usable');
      this.committed = true;
    } catch (error) {
      await this.undo('giveBack');
      const state = await this.stateNow();
      this.committed = state === 'done';
      if (!this.committed && state !== 'claimed again') throw error;
    }
    return this.committed;
  }

  async fail(): Promise<void> {
    if (this.end()) await this.undo('giveBack');
  }

  async withdraw(): Promise<void> {
    if (this.end()) await this.undo('withdraw');
  }

  /** False: the claim ended before. */
  private end(): boolean {
    const ending = !this.ended;
    this.ended = true;
    clearTimeout(this.leaseEnd);
    return ending;
  }

  /**
   * Undoes the transaction, then gives the entry back or forgets it. After a COMMIT without an answer nobody knows whether it
   * happened; the entry is then given back only if it did not.
   */
  private async undo(then: 'giveBack' | 'withdraw'): Promise<void> {
    const { connection, elsewhere, statements } = this.parts;
    const endClaim = (run: RunStatement): Promise<unknown> => run(statements[then], this.entry.values);
    // Something that the handler began may still run, and would write on whatever the connection is lent for next.
    connection.lockOut();
    try {
      await connection.run('ROLLBACK');
      await endClaim(connection.run);
      connection.giveBack('unknown');
    } catch {
      connection.giveBack('unknown');
      // Where this fails too, the end of the lease gives the entry back.
      await endClaim(elsewhere).catch(() => undefined);
    }
  }

  /** What became of the entry: the answer to a COMMIT may have been lost, or somebody else may have the claim. */
  private stateNow(): Promise<string> {
    const { elsewhere, statements } = this.parts;
    return elsewhere(statements.state, this.entry.values).then(
      ({ rows }) => rows[0]?.['state'] ?? 'claimed again',
      () => 'unknown',
    );
  }

  /** A handler that hangs must not hold a connection for ever, nor one whose server fell silent. */
  private abandon(): void {
    this.ended = true;
    this.parts.connection.giveBack('unknown');
  }
}
