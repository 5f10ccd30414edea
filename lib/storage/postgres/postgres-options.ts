import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { POOL } from '../sql/application-pool.js';
import { type PostgresPool } from './postgres-pool.js';

/** PostgreSQL silently truncates longer names. */
const LONGEST_NAME_BYTES = 63;

/** One for the delivery, and one for a payment of its handler. */
const SMALLEST_POOL = 2;

/**
 * Returns the application's own pool, also of a view: the package's records must not wait for a handler's
 * commit.
 *
 * @throws PaymentsConfigError
 */
export function checkedPool(where: string, pool: unknown): PostgresPool {
  const given = pool as (Partial<PostgresPool> & { readonly [POOL]?: PostgresPool }) | null | undefined;
  if (typeof given?.connect === 'function') return given[POOL] ?? (given as PostgresPool);
  throw new PaymentsConfigError(
    `${where} needs the application's pool of the package pg: write new Pool({ connectionString }).`,
  );
}

/** @throws PaymentsConfigError */
export function checkedSchema(where: string, schema: unknown = 'public'): string {
  const fits =
    typeof schema === 'string' &&
    schema.trim() !== '' &&
    !schema.includes('\0') &&
    Buffer.byteLength(schema) <= LONGEST_NAME_BYTES;
  if (fits) return schema;
  throw new PaymentsConfigError(
    `The option schema of ${where} must be the name of a schema, 1 to ${LONGEST_NAME_BYTES} bytes: write for example 'public', the default.`,
  );
}

/** Deliveries would wait for each other. A pool of another kind does not say how large it is. */
export function poolWarnings(where: string, max: number | undefined): readonly string[] {
  if (max === undefined || max >= SMALLEST_POOL) return [];
  return [
    `The pool of ${where} has one connection, and each webhook delivery holds one while its handlers run: the next delivery waits, ` +
      'and a handler that makes a payment, or writes through the pool itself, waits in vain for a second one. Set the size of the ' +
      'pool to twice the deliveries at once, such as 20.',
  ];
}
