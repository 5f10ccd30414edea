import { type DeliveryPermit } from '../sql/delivery-permit.js';
import { type HeldKey, type RunScript, type SqlSession } from '../sql/sql-database.js';
import { DeliveryConnection } from './delivery-connection.js';
import { type PooledConnection, type RunStatement, scripts } from './pooled-connection.js';
import { type PostgresPool } from './postgres-pool.js';
import { MARK, MOMENT, textLiteral } from './postgres-text.js';

/** Where a delivery has its connection. */
interface DeliveryPlace {
  /** The application's own pool. */
  readonly handlersPool: PostgresPool;
  /** What handlers find as `context.transaction`. */
  readonly handlerClients: WeakSet<object>;
  readonly permit: DeliveryPermit;
}

/** The transaction of one delivery, on a connection of the pool. Finish and COMMIT are one message. */
export class DeliveryTransaction implements SqlSession {
  readonly run: RunScript;
  /** While handlers run. */
  private handlers: DeliveryConnection | undefined;
  private isBlocked = false;

  constructor(
    private readonly connection: PooledConnection,
    private readonly inbox: string,
    private readonly place: DeliveryPlace,
  ) {
    const queued: RunStatement = (text, values) => {
      if (!this.handlers) return this.connection.runAlone(text, values);
      return (this.isBlocked ? this.connection : this.handlers).run(text, values);
    };
    this.run = scripts(queued);
  }

  get handle(): unknown {
    return this.handlers?.client;
  }

  begin({ fence }: HeldKey, leaseMs: number): Promise<unknown> {
    this.handlers = new DeliveryConnection(this.connection, this.place.handlersPool);
    this.place.handlerClients.add(this.handlers.client);
    return this.connection.run(beginTransaction(fence, leaseMs));
  }

  within<T>(handlers: () => T): T {
    const { handlers: connection, place } = this;
    return place.permit.runHandlers(() => (connection ? connection.runHandlers(handlers) : handlers()));
  }

  finishAndCommit(held: HeldKey): Promise<unknown> {
    const text = finishAndCommit(this.inbox, held);
    return this.handlers ? this.handlers.finish(text) : this.connection.run(text);
  }

  block(): void {
    this.isBlocked = true;
    this.handlers?.block();
  }

  rollback(): Promise<unknown> {
    return this.connection.run('ROLLBACK');
  }

  release(how: 'usable' | 'unknown'): void {
    this.block();
    try {
      this.connection.release(how);
    } finally {
      this.place.permit.release();
    }
    if (how === 'usable') this.handlers?.stopEvents();
  }
}

/** A setting that does not exist: reading it makes plain SQL fail on purpose. */
const NOTHING_FINISHED = 'nestjs_payments.nothing_was_finished';

/**
 * Begins the transaction of a handler. The server ends it if it is idle for longer than the lease, so that
 * neither a hanging process nor a dead network holds its locks.
 */
function beginTransaction(fence: string, leaseMs: number): string {
  return `BEGIN;
    SET LOCAL idle_in_transaction_session_timeout = ${Math.ceil(leaseMs)};
    SET LOCAL ${MARK} = '${fence}'`;
}

/**
 * Finishes the entry and commits, in one round trip. If the claim is over, or this is not the begun
 * transaction, the first statement fails and PostgreSQL does not reach the COMMIT.
 *
 * A message of two statements takes no parameters, so it contains the values.
 */
function finishAndCommit(inbox: string, held: HeldKey): string {
  const [account, environment, kind, reference, fence] = [...held.values, held.fence].map(textLiteral);
  return `WITH ${MOMENT}, finished AS (
      UPDATE ${inbox} SET state = 'done', changed_at = now FROM moment
      WHERE account = ${account} AND environment = ${environment} AND kind = ${kind} AND reference = ${reference}
        AND fence = ${fence}::bigint AND state = 'running' AND current_setting('${MARK}', true) = ${fence}
      RETURNING 1
    )
    SELECT CASE WHEN EXISTS (SELECT FROM finished) THEN '' ELSE current_setting('${NOTHING_FINISHED}') END;
    COMMIT`;
}
