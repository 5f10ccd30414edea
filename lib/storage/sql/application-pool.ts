import { type SqlExecutor } from './sql-executor.js';

/** What a view of `paymentsPool()` shows: the application's own pool. */
export const POOL = Symbol.for('nestjs-payments.postgres.pool');

/** A pool as far as it says how large it is: of Knex, of `pg`, or of `mysql2` with promises or callbacks. */
interface SizedPool {
  readonly max?: unknown;
  readonly options?: { readonly max?: unknown };
  readonly config?: { readonly connectionLimit?: unknown };
  readonly pool?: SizedPool;
  readonly [POOL]?: object;
}

/** Most connections that a pool opens. Undefined if one of another kind does not say. */
export function poolSizeOf(pool: unknown): number | undefined {
  const { max, options, config, pool: inner } = (pool ?? {}) as SizedPool;
  // mysql2 takes 0 for no limit.
  if (config?.connectionLimit === 0) return Infinity;
  // pg takes a text, as a variable of the environment is, for the number in it.
  const size = Number(max ?? options?.max ?? config?.connectionLimit);
  if (size > 0) return size;
  return inner && poolSizeOf(inner);
}

/** What an executor tells about its pool: the application's own one, or the client or ORM that has it. */
export function onPool(
  pool: object,
  poolSize = poolSizeOf(pool),
): Required<Pick<SqlExecutor, 'pool' | 'poolSize'>> {
  return { pool: ownPool(pool), poolSize };
}

/** The same object for every view of a pool, and for every wrapper with promises that mysql2 makes of one. */
function ownPool(pool: SizedPool): object {
  const { [POOL]: viewed, pool: wrapped } = pool;
  return viewed ?? wrapped ?? pool;
}
