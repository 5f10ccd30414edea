import { type Pool } from 'pg';
import { postgresStorage } from 'nestjs-payments/postgres';
import { type SqliteDatabase, sqliteStorage } from 'nestjs-payments/sqlite';
import { type PayerDatabase } from './killed-payer-application.js';
import { openSqliteFile } from './sqlite-file.js';

/** An application on `pg`. */
export function payerOnPostgres(pool: Pool, schema: string): PayerDatabase {
  return {
    storage: postgresStorage({ pool, schema, transactional: true }),
    begin: async () => {
      const client = await pool.connect();
      await client.query('BEGIN');
      return {
        handle: client,
        commit: () => client.query('COMMIT'),
        rollback: () => client.query('ROLLBACK'),
      };
    },
    write: (client, reference) =>
      (client as Pool).query('INSERT INTO invoices (reference) VALUES ($1)', [reference]),
  };
}

/** An application on a file of SQLite. */
export function payerOnSqlite(file: string, aheadMs = 0): PayerDatabase {
  return {
    storage: sqliteStorage({ file, transactional: true, now: () => Date.now() + aheadMs }),
    begin: () => {
      const connection = openSqliteFile(file);
      connection.exec('BEGIN IMMEDIATE');
      const end = (how: string) => (): void => {
        connection.exec(how);
      };
      return { handle: connection, commit: end('COMMIT'), rollback: end('ROLLBACK') };
    },
    write: (connection, reference) =>
      (connection as SqliteDatabase).prepare('INSERT INTO invoices (reference) VALUES (?)').run(reference),
  };
}
