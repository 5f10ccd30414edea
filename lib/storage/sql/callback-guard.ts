import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { timeLimited } from './statement-timeout.js';
import { errorCodes } from './error-code.js';
import { NestedTransactions } from './nested-transactions.js';
import { type SqlDialect } from './sql-executor.js';
import { LEFT_OPEN, TransactionGuard } from './transaction-guard.js';

/** The connection of a transaction, without its guard. */
export interface OwnConnection {
  /** Sends a statement. */
  send(text: string): Promise<unknown>;
  /** Closes it, or sees to it that its transaction has ended. */
  close(): unknown;
}

/** SQLSTATE: PostgreSQL has answered. */
const ANSWER = /^(?=.*\d)[\dA-Z]{5}$/;
/** The error of `pg` after `query_timeout`. A statement that waited behind another one never reaches the server. */
const GIVEN_UP = /Query read timeout/;

/** Sends ROLLBACK until PostgreSQL has answered it, or the connection is gone. */
export async function rollBackOnPostgres(send: (text: string) => PromiseLike<unknown>): Promise<void> {
  for (;;) {
    try {
      // Not the last statement in the eyes of the guard: that is the one of the ORM.
      await send('/* of nestjs-payments */ ROLLBACK');
      return;
    } catch (error) {
      if (!GIVEN_UP.test(String(error))) return;
    }
  }
}

/** Guards a transaction that an ORM ends by itself, when the function that it called has ended. */
export class CallbackGuard extends TransactionGuard {
  readonly nested: NestedTransactions;
  /** The application gets it back without a transaction, and with its settings as they were. */
  private connection: OwnConnection | undefined;

  /** @param nestedNames The names that the ORM gives to the savepoints of its nested transactions. Left out: it has none. */
  constructor(dialect: SqlDialect, nestedNames = /^$/) {
    super(dialect);
    this.nested = new NestedTransactions(nestedNames);
  }

  override run<T>(text: string, send: () => Promise<T>): Promise<T> {
    const isRefused = !this.isOwn && !this.isClosed && !this.nested.admits(text);
    if (isRefused) return Promise.reject(this.refuseBeside());
    const wasOver = this.isOver;
    const sent = super.run(text, send);
    return this.connection && this.isOver && !wasOver ? this.returnConnection(this.connection, sent) : sent;
  }

  /** Begins to guard: to be called after BEGIN. */
  async begin(connection: OwnConnection): Promise<void> {
    this.connection = connection;
    // A deadlock ends the transaction: what comes after it would be committed at once.
    if (this.dialect === 'mysql') await connection.send('SET autocommit = 0');
  }

  override async close(): Promise<void> {
    await super.close();
    if (this.nested.areOpen) throw new PaymentsStorageError(LEFT_OPEN);
  }

  /**
   * Runs the function. Afterwards the ORM's own COMMIT or ROLLBACK may come, if the ORM runs in the context of `own`.
   *
   * @throws PaymentsStorageError if the function did what keeps its work from being committed.
   */
  async during<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await this.foreign(work);
      await this.close();
      return result;
    } catch (error) {
      // Later statements are refused. The ORM's ROLLBACK waits behind a statement that still hangs.
      await this.stop().catch(() => undefined);
      throw error;
    }
  }

  /**
   * Restoring the setting would commit an open transaction, so it waits for the answer to COMMIT or ROLLBACK. Without
   * an answer, closes the connection: its next user would be in that transaction. Also closes one to a read-only server.
   */
  private async returnConnection<T>(connection: OwnConnection, ended: Promise<T>): Promise<T> {
    const isMysql = this.dialect === 'mysql';
    try {
      const result = await timeLimited(ended, 'the answer to COMMIT or ROLLBACK');
      if (this.isReadOnly) await connection.close();
      else if (isMysql)
        await timeLimited(connection.send('SET autocommit = 1'), 'the connection').catch(() =>
          connection.close(),
        );
      return result;
    } catch (error) {
      if (isMysql || !errorCodes(error).some((code) => ANSWER.test(code))) await connection.close();
      throw error;
    }
  }
}
