import { poolSizeOf } from '../sql/application-pool.js';
import { DeliveryTurn } from '../sql/delivery-turns.js';
import { type HeldKey, overError, type RunScript, type SqlSession } from '../sql/sql-database.js';
import { DeliveryConnection } from './delivery-connection.js';
import { PooledConnection, type PreparingPool, scripts } from './pooled-connection.js';
import { MARK } from './postgres-dialect.js';
import { type PostgresPool } from './postgres-pool.js';
import { MOMENT, textLiteral } from './postgres-text.js';

/** Where a delivery takes its connection. */
export interface DeliveryPlace {
  readonly pool: PreparingPool;
  /** The application's own pool. */
  readonly handlersPool: PostgresPool;
  /** What handlers find as `context.transaction`. */
  readonly lent: WeakSet<object>;
  readonly inbox: string;
}

/** What an open transaction holds. */
interface Begun {
  readonly turn: DeliveryTurn;
  readonly connection: PooledConnection;
  readonly handlers: DeliveryConnection;
}

/**
 * The transaction of one delivery. It has no connection until it begins: what is committed at once runs on any
 * connection of the pool, and who waits for a transaction holds nothing. Finish and COMMIT are one message.
 */
export class DeliveryTransaction implements SqlSession {
  private begun: Begun | undefined;
  private isBlocked = false;
  private isReleased = false;

  /** @param atOnce Runs an operation on any connection of the pool. */
  constructor(
    private readonly place: DeliveryPlace,
    private readonly atOnce: RunScript,
  ) {}

  readonly run: RunScript = (script) => {
    if (this.isReleased) return Promise.reject(overError());
    if (!this.begun) return this.atOnce(script);
    const { connection, handlers } = this.begun;
    return scripts(this.isBlocked ? connection.run : handlers.run)(script);
  };

  get handle(): unknown {
    return this.begun?.handlers.lent;
  }

  async begin({ fence }: HeldKey, leaseMs: number): Promise<void> {
    const begun = await this.take();
    if (this.isReleased) {
      // The lease ended meanwhile.
      giveBack(begun, 'usable');
      throw overError();
    }
    this.begun = begun;
    this.place.lent.add(begun.handlers.lent);
    await begun.connection.run(beginTransaction(fence, leaseMs));
  }

  within<T>(handlers: () => T): T {
    const { begun } = this;
    return begun ? begun.turn.runHandlers(() => begun.handlers.runHandlers(handlers)) : handlers();
  }

  finishAndCommit(held: HeldKey): Promise<unknown> {
    if (!this.begun) return Promise.reject(overError());
    return this.begun.handlers.finish(finishAndCommit(this.place.inbox, held));
  }

  block(): void {
    this.isBlocked = true;
    this.begun?.handlers.block();
  }

  async rollback(): Promise<void> {
    await this.begun?.connection.run('ROLLBACK');
  }

  release(how: 'usable' | 'unknown'): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.block();
    if (this.begun) giveBack(this.begun, how);
  }

  private async take(): Promise<Begun> {
    const { pool, handlersPool } = this.place;
    const turn = await DeliveryTurn.take(handlersPool, poolSizeOf(handlersPool));
    try {
      const connection = await PooledConnection.from(pool);
      return { turn, connection, handlers: new DeliveryConnection(connection, handlersPool) };
    } catch (error) {
      turn.give();
      throw error;
    }
  }
}

function giveBack({ turn, connection, handlers }: Begun, how: 'usable' | 'unknown'): void {
  try {
    connection.release(how);
  } finally {
    turn.give();
  }
  if (how === 'usable') handlers.stopEvents();
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
