import { type PostgresPool, type PostgresResult } from 'nestjs-payments/postgres';

/** A statement that the pool has run. */
export interface AskedStatement {
  readonly text: string;
  readonly values: unknown[] | undefined;
  readonly rowCount: number | null;
}

/** A pool, and what was asked of it. */
export interface WatchedPool {
  readonly pool: PostgresPool;
  readonly asked: AskedStatement[];
}

/** Passes everything on to a real pool. */
export function watchedPool(pool: PostgresPool): WatchedPool {
  const asked: WatchedPool['asked'] = [];
  const connect: PostgresPool['connect'] = async () => {
    const client = await pool.connect();
    return {
      query: async (text, values): Promise<PostgresResult> => {
        const result = await client.query(text, values);
        asked.push({ text, values, rowCount: result.rowCount });
        return result;
      },
      release: (destroy) => {
        client.release(destroy);
      },
      on: (event, listener) => client.on(event, listener),
      removeListener: (event, listener) => client.removeListener(event, listener),
    };
  };
  return { pool: { connect }, asked };
}
