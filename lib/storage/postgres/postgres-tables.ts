import { type StorageTables } from '../storage-tables.js';
import { migrateTables } from './migrate-payments.js';
import { type PostgresPool, type PostgresResult } from './postgres-pool.js';
import { sqlLiteral, type TableNames } from './table-names.js';
import { readVersion } from './tables-version.js';

/** The tables in a schema. Errors of `pg` go through: only the caller knows whom they may be shown. */
export function postgresTables(pool: PostgresPool, names: TableNames): StorageTables {
  const ask = async (text: string): Promise<PostgresResult> => {
    const client = await pool.connect();
    try {
      return await client.query(text);
    } finally {
      client.release(true);
    }
  };
  return {
    place: `The schema ${names.shownSchema}`,
    found: async () => {
      const { rows } = await ask(
        `SELECT (to_regclass(${sqlLiteral(names.migrations)}) IS NOT NULL)::text AS made`,
      );
      return rows[0]?.['made'] === 'true'
        ? readVersion(async (text) => (await ask(text)).rows, names)
        : { version: 0 };
    },
    migrate: () => migrateTables(pool, names),
  };
}
