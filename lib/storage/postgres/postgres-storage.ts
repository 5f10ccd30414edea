import { type PaymentsStorage } from '../payments-storage.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { autocommit } from './pooled-connection.js';
import { checkedPool, checkedSchema } from './postgres-options.js';
import { type PostgresPool } from './postgres-pool.js';
import { PostgresConflicts } from './postgres-conflicts.js';
import { PostgresInbox } from './postgres-inbox.js';
import { PostgresJournal } from './postgres-journal.js';
import { tableNames } from './table-names.js';
import { withCheckedTables } from './tables-version.js';

/**
 * How the package uses an application's PostgreSQL.
 *
 * @publicApi
 */
export interface PostgresStorageOptions {
  /**
   * The application's pool of `pg`. The package never ends it: end it after `app.close()`, because payments
   * and webhooks that are under way are still written down while the application stops.
   */
  readonly pool: PostgresPool;
  /**
   * Hands an open transaction to every webhook handler as `context.transaction` (a `PoolClient` of `pg`):
   * what the handler writes there, the record that it ran and the outcome in the journal are committed
   * together or not at all. What a handler writes through another connection, such as that of an injected
   * repository, takes no part. A handler that ends the transaction, by COMMIT or by an ORM's own
   * `transaction()` on this client, commits for good: the delivery comes again, and the effect happens twice.
   *
   * Every delivery that is being handled holds one connection of the pool, and a handler that pays or asks
   * the journal needs a second one meanwhile: where the pool has none left within four seconds, the handler
   * fails and the delivery comes again.
   * @default false
   */
  readonly transactional?: boolean;
  /** Schema of the tables, the same as in `migratePayments()`. @default 'public' */
  readonly schema?: string;
}

const OPTIONS = ['pool', 'transactional', 'schema'];

/**
 * Remembers payments and webhooks in PostgreSQL, shared by all replicas. `migratePayments(pool)` makes the
 * tables. Only the server's clock counts. The first use of each process looks at the version of the tables
 * (`payments_migrations`): older ones, and newer ones that do not name this version as one that may use them,
 * are refused with a `PaymentsStorageError`, before anything is sent.
 *
 * Without `transactional` a repeated delivery is not handled twice, unless a handler outlives its lease or
 * the process dies between the handler's effect and its record: make the effect idempotent. With it, effects
 * in the same database happen exactly once, whatever crashes; effects outside of it (mails, calls) are not
 * covered. A commit of the package is on the server's disk, also where `synchronous_commit` is off; whether
 * it survives a fail-over to another server is for that setting and the application's replication to say.
 *
 * Nothing expires by itself: call `PaymentsInbox.purge()` and `PaymentsJournal.purge()` from a job of yours.
 *
 * @throws PaymentsConfigError if an option is missing, wrong or unknown.
 *
 * @example
 * ```ts
 * PaymentsModule.forRootAsync({
 *   inject: [Pool],
 *   useFactory: (pool: Pool) => ({ ...options, storage: postgresStorage({ pool, transactional: true }) }),
 * });
 * ```
 *
 * ```ts
 * @OnPayment('payment.success')
 * async paid({ data }: PaymentWebhookEvent, { transaction }: PaymentEventContext) {
 *   const client = transaction as PoolClient;
 *   await client.query('UPDATE orders SET paid = true WHERE reference = $1', [data.reference]);
 * }
 * ```
 *
 * @publicApi
 */
export function postgresStorage(options: PostgresStorageOptions): PaymentsStorage {
  const { pool, transactional, schema } = checked(options);
  const names = tableNames(schema);
  const checkedTables = withCheckedTables(pool, names);
  const run = autocommit(checkedTables);
  return {
    name: 'postgres',
    inbox: new PostgresInbox(checkedTables, names, transactional),
    journal: new PostgresJournal(run, names),
    conflicts: new PostgresConflicts(run, names),
  };
}

function checked(options: Partial<PostgresStorageOptions> | undefined): Required<PostgresStorageOptions> {
  const where = 'postgresStorage({ pool })';
  const pool = checkedPool(where, options?.pool);
  const { transactional = false, schema } = options ?? {};
  if (typeof transactional !== 'boolean') {
    throw new PaymentsConfigError(`The option transactional of ${where} must be true or false.`);
  }
  const unknown = Object.keys(options ?? {}).find((option) => !OPTIONS.includes(option));
  if (unknown !== undefined) {
    throw new PaymentsConfigError(`${where} has no option \`${unknown}\`: it takes ${OPTIONS.join(', ')}.`);
  }
  return { pool, transactional, schema: checkedSchema(where, schema) };
}
