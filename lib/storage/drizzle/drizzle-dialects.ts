import { PaymentsConfigError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { type CallbackGuard } from '../sql/callback-guard.js';
import { type ClosableConnection } from '../sql/close-at-once.js';
import { mysql2Lending, type ReturningLending } from '../sql/own-statements.js';
import { type SqlDialect } from '../sql/sql-executor.js';
import { type DrizzleDatabase } from './drizzle-database.js';

/** What runs statements: a pool, or a connection of a transaction. */
export interface Sender {
  query(statement: Text, values?: unknown[]): Promise<unknown>;
}

/** A connection of the driver. */
export type Connection = Sender & ClosableConnection;

/** What differs between the databases of Drizzle. */
export interface DrizzleDialect {
  readonly dialect: SqlDialect;
  readonly lending: (pool: never) => ReturningLending<Connection>;
  /** What takes the place of a connection's own members. */
  readonly guarded: (connection: never, guard: CallbackGuard) => object;
}

/** The application's pool, and what is special about it. */
interface DrizzlePoolOf {
  readonly kind: DrizzleDialect;
  readonly pool: Sender;
}

type Text = string | { readonly text?: string; readonly sql?: string };
type Run = (statement: Text, ...more: unknown[]) => Promise<unknown>;

/** A client of `pg`, as far as it is lent. */
interface Client extends Connection {
  release(destroy: boolean): void;
  on(event: 'error', listener: () => void): unknown;
  removeListener(event: 'error', listener: () => void): unknown;
}

/** Without a listener, a broken connection would end the process. */
const ignore = (): void => undefined;

function returnClient(client: Client, destroy: boolean): void {
  client.removeListener('error', ignore);
  client.release(destroy);
}

const POSTGRES: DrizzleDialect = {
  dialect: 'postgres',
  lending: (pool: { readonly connect: () => Promise<Client> }): ReturningLending<Client> => ({
    dialect: 'postgres',
    take: async () => {
      const client = await pool.connect();
      client.on('error', ignore);
      return client;
    },
    // As the pool does it itself: a statement that timed out may still run.
    release: returnClient,
    close: (client) => {
      returnClient(client, true);
    },
  }),
  guarded: (connection: { readonly query: Run }, guard) => ({
    query: through(guard, connection.query.bind(connection)),
  }),
};

interface MysqlConnection {
  readonly query: Run;
  readonly execute: Run;
}

/** A connection of `mysql2`, as far as it is lent. */
interface LentConnection extends Connection {
  release(): void;
  destroy(): void;
}

const MYSQL: DrizzleDialect = {
  dialect: 'mysql',
  lending: mysql2Lending<LentConnection>,
  guarded: (connection: MysqlConnection, guard) => ({
    query: through(guard, connection.query.bind(connection)),
    execute: through(guard, connection.execute.bind(connection)),
    get connection(): never {
      throw new PaymentsStorageError(
        "iterator() of Drizzle takes the driver's own connection and would go around the webhook transaction: await the query instead.",
      );
    },
  }),
};

/** A pool of `pg`, or one of `mysql2` with promises or callbacks. */
interface AnyPool extends Sender {
  readonly connect?: unknown;
  readonly totalCount?: number;
  readonly getConnection?: unknown;
  promise?(): Sender;
}

/** @throws PaymentsConfigError if it is of another driver, or has no pool. */
export function poolOf(db: Partial<DrizzleDatabase> | null | undefined): DrizzlePoolOf {
  const given = (db?.$client ?? {}) as Partial<AnyPool>;
  if (typeof db?.transaction === 'function' && typeof given.query === 'function') {
    const pool = given as AnyPool;
    if (typeof pool.connect === 'function' && 'totalCount' in pool) return { kind: POSTGRES, pool };
    if (typeof pool.getConnection === 'function') return { kind: MYSQL, pool: pool.promise?.() ?? pool };
  }
  throw new PaymentsConfigError(
    'fromDrizzle(db) needs a database of drizzle-orm/node-postgres with a pool of pg, or of drizzle-orm/mysql2 with a pool of mysql2: ' +
      'write drizzle({ client: pool }).',
  );
}

function through(guard: CallbackGuard, send: Run): Run {
  return (statement, ...more) => {
    const text = typeof statement === 'string' ? statement : (statement.text ?? statement.sql ?? '');
    // After a COMMIT that failed, Drizzle would throw the refusal of its ROLLBACK instead of the cause.
    if (guard.isOwn && guard.isOver && /^rollback$/i.test(text)) return Promise.resolve([{}]);
    return guard.run(text, () => send(statement, ...more));
  };
}
