/** A pool as far as it says how large it is: of Knex, of `pg`, or of `mysql2` with promises or callbacks. */
interface SizedPool {
  readonly max?: unknown;
  readonly options?: { readonly max?: unknown };
  readonly config?: { readonly connectionLimit?: unknown };
  readonly pool?: SizedPool;
}

/** Most connections that a pool opens. Undefined if one of another kind does not say. */
export function poolSizeOf(pool: unknown): number | undefined {
  const { max, options, config, pool: inner } = (pool ?? {}) as SizedPool;
  const size = max ?? options?.max ?? config?.connectionLimit;
  if (typeof size === 'number') return size;
  return inner && poolSizeOf(inner);
}
