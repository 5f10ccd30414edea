import { type JournalStore } from '../journal-store.js';
import { type InboxClaim } from '../inbox-store.js';
import { type HeldEntry } from './claim-once.js';
import { type InboxStatements } from './inbox-statements.js';
import { type PooledConnection, type RunStatement } from './pooled-connection.js';
import { textLiteral, MOMENT } from './sql-text.js';

/** What a transactional claim needs beside its entry. */
export interface TransactionParts {
  /** The connection of the transaction. */
  readonly connection: PooledConnection;
  /** Another connection, in case this one is lost. */
  readonly elsewhere: RunStatement;
  readonly statements: Pick<InboxStatements, 'fail' | 'withdraw' | 'state'>;
  /** Name of the inbox's table. */
  readonly table: string;
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
      connection.release('usable');
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
    const { connection, elsewhere, statements } = this.parts;
    const endClaim = (run: RunStatement): Promise<unknown> => run(statements[then], this.entry.values);
    // Code of the handler may still run, and would write into the next use of the connection.
    connection.block();
    try {
      await connection.run('ROLLBACK');
      await endClaim(connection.run);
      connection.release('unknown');
    } catch {
      connection.release('unknown');
      // If this fails too, another claim can take the entry at the end of its lease.
      await endClaim(elsewhere).catch(() => undefined);
    }
  }

  /** The entry's current state: the answer to a COMMIT may be lost, or another process may have the claim. */
  private stateNow(): Promise<string> {
    const { elsewhere, statements } = this.parts;
    return elsewhere(statements.state, this.entry.values).then(
      ({ rows }) => rows[0]?.['state'] ?? 'claimed again',
      () => 'unknown',
    );
  }

  /** Neither a hanging handler nor a silent server may hold a connection for ever. */
  private abandon(): void {
    this.ended = true;
    this.parts.connection.release('unknown');
  }
}

/**
 * A setting that lasts until the end of the handler's transaction, to notice a transaction that the handler
 * ended.
 */
const MARK = 'nestjs_payments.claim';
/** A setting that does not exist: reading it makes plain SQL fail on purpose. */
const NOTHING_FINISHED = 'nestjs_payments.nothing_was_finished';

/**
 * Begins the transaction of a handler. The server ends it if it is idle for longer than the lease, so that
 * neither a hanging process nor a dead network holds its locks.
 */
export function beginTransaction(fence: string, leaseMs: number): string {
  return `BEGIN;
    SET LOCAL idle_in_transaction_session_timeout = ${Math.ceil(leaseMs)};
    SET LOCAL ${MARK} = '${fence}'`;
}

/**
 * Finishes the entry and commits, in one round trip. If the claim is over, or this is not the begun
 * transaction, the first statement fails and PostgreSQL does not reach the COMMIT.
 *
 * A message of two statements takes no parameters, so it contains the values.
 *
 * @param values Key, fence.
 */
export function finishAndCommit(inbox: string, values: readonly string[]): string {
  const [account, environment, kind, reference, fence] = values.map(textLiteral);
  return `WITH ${MOMENT}, finished AS (
      UPDATE ${inbox} SET state = 'done', changed_at = now FROM moment
      WHERE account = ${account} AND environment = ${environment} AND kind = ${kind} AND reference = ${reference}
        AND fence = ${fence}::bigint AND state = 'running' AND current_setting('${MARK}', true) = ${fence}
      RETURNING 1
    )
    SELECT CASE WHEN EXISTS (SELECT FROM finished) THEN '' ELSE current_setting('${NOTHING_FINISHED}') END;
    COMMIT`;
}
