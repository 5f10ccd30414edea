import { type JournalStore } from '../common/journal-port.js';
import { type InboxClaim } from '../common/storage-port.js';
import { PaymentsStorageError } from '../errors/payments-storage.error.js';
import { type HeldEntry } from './claim-once.js';
import { type InboxStatements } from './inbox-statements.js';
import { type LentConnection, type RunStatement } from './lent-connection.js';

/** What a transactional claim needs beside the entry. */
export interface TransactionParts {
  /** Where the transaction was begun. */
  readonly connection: LentConnection;
  /** Another connection, for the case that this one is lost. */
  readonly elsewhere: RunStatement;
  readonly statements: Pick<InboxStatements, 'finishInTransaction' | 'giveBack' | 'isFinished'>;
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
    try {
      this.committed = await this.commit();
      if (!this.committed) await this.parts.connection.run('ROLLBACK');
      this.parts.connection.giveBack('usable');
    } catch (error) {
      await this.undo();
      this.committed = await this.isFinished();
      if (!this.committed) throw error;
    }
    return this.committed;
  }

  async fail(): Promise<void> {
    if (this.end()) await this.undo();
  }

  /** False: the claim ended before. */
  private end(): boolean {
    const ending = !this.ended;
    this.ended = true;
    clearTimeout(this.leaseEnd);
    return ending;
  }

  private async commit(): Promise<boolean> {
    const { connection, statements } = this.parts;
    const { rows } = await connection.run(statements.finishInTransaction, this.entry.values);
    if (rows[0]?.['stands'] !== 'true') {
      throw new PaymentsStorageError(
        'A handler ended the webhook transaction by itself, so its writes and the record may not agree: take COMMIT and ' +
          'ROLLBACK out of the handler (SAVEPOINT and ROLLBACK TO are fine).',
      );
    }
    if (rows[0]['finished'] !== '1') return false;
    const { command } = await connection.run('COMMIT');
    if (command === 'COMMIT') return true;
    throw new PaymentsStorageError(
      'PostgreSQL undid the webhook transaction at its COMMIT: a statement that the handler did not wait for has failed.',
    );
  }

  /**
   * Undoes the transaction and gives the entry back. After a COMMIT without an answer nobody knows whether it happened; the
   * entry is then given back only if it did not.
   */
  private async undo(): Promise<void> {
    const { connection, elsewhere, statements } = this.parts;
    const giveBack = (run: RunStatement): Promise<unknown> => run(statements.giveBack, this.entry.values);
    // Something that the handler began may still run, and would write on whatever the connection is lent for next.
    connection.lockOut();
    try {
      await connection.run('ROLLBACK');
      await giveBack(connection.run);
      connection.giveBack('unknown');
    } catch {
      connection.giveBack('unknown');
      // Where this fails too, the end of the lease gives the entry back.
      await giveBack(elsewhere).catch(() => undefined);
    }
  }

  /** Whether the transaction was committed after all, and only the answer was lost. */
  private async isFinished(): Promise<boolean> {
    const { elsewhere, statements } = this.parts;
    const found = await elsewhere(statements.isFinished, this.entry.values).catch(() => undefined);
    return found?.rows.length === 1;
  }

  /** A handler that hangs must not hold a connection for ever, nor one whose server fell silent. */
  private abandon(): void {
    this.ended = true;
    this.parts.connection.giveBack('unknown');
  }
}
