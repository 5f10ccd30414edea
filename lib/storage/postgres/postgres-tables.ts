import { type StorageTables } from '../storage-tables.js';
import { migrateTables } from './migrate-tables.js';
import { type PostgresPool, type PostgresResult } from './postgres-pool.js';
import { type TableNames } from './table-names.js';
import { versionIfAny } from './tables-version.js';

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
    found: () => versionIfAny(async (text) => (await ask(text)).rows, names),
    migrate: (tell) => migrateTables(pool, names, { tell }),
  };
}
