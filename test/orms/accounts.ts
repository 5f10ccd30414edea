import { type Pool } from 'pg';
import { type HandlerWay } from './handler-cases.js';
import { type MysqlDatabase } from './mysql-database.js';

/** Sends a statement in the transaction of a handler. */
type Send<Handle> = (handle: Handle, text: string) => Promise<unknown>;
/** What differs by the database, whatever the handlers write with. */
type Accounts<Handle> = Pick<HandlerWay<Handle>, 'spoil' | 'spoiled' | 'slow' | 'open' | 'times'>;

/** Makes the table that the handlers of the specs write to. */
export async function postgresAccounts<Handle>(pool: Pool, send: Send<Handle>): Promise<Accounts<Handle>> {
  await pool.query('CREATE TABLE credits (reference text PRIMARY KEY, times int NOT NULL)');
  return {
    spoil: (handle) => send(handle, 'SELECT 1 / 0'),
    spoiled: '25P02',
    slow: (handle) => send(handle, 'SELECT pg_sleep(0.05)'),
    open: (references) => pool.query('INSERT INTO credits SELECT unnest($1::text[]), 0', [references]),
    times: async () => {
      const { rows } = await pool.query<{ readonly times: number }>('SELECT times FROM credits');
      return rows.map(({ times }) => times);
    },
  };
}

/** The same on MariaDB, where it is a deadlock that ends the transaction without saying so. */
export async function mysqlAccounts<Handle>(
  database: Pick<MysqlDatabase, 'pool'>,
  send: Send<Handle>,
): Promise<Accounts<Handle>> {
  const { pool } = database;
  await pool.query('CREATE TABLE credits (reference VARCHAR(64) PRIMARY KEY, times INT NOT NULL)');
  return {
    spoil: (handle) => deadlock(database, (text) => send(handle, text)),
    spoiled: 'ended while a handler ran',
    slow: (handle) => send(handle, 'SELECT SLEEP(0.05)'),
    open: (references) =>
      pool.query('INSERT INTO credits (reference, times) VALUES ?', [references.map((one) => [one, 0])]),
    times: async () => {
      const [rows] = await pool.query('SELECT times FROM credits');
      return (rows as { readonly times: number }[]).map(({ times }) => times);
    },
  };
}

/** Both wait for a row of the other one: MySQL rolls one of them back, the whole transaction. */
async function deadlock(
  { pool }: Pick<MysqlDatabase, 'pool'>,
  run: (text: string) => Promise<unknown>,
): Promise<void> {
  await pool.query('CREATE TABLE IF NOT EXISTS pair (id INT PRIMARY KEY, n INT)');
  await pool.query('REPLACE INTO pair VALUES (1, 0), (2, 0), (3, 0), (4, 0)');
  const other = await pool.getConnection();
  try {
    await other.beginTransaction();
    // The other one has changed more rows, so it is not the victim.
    await other.query('UPDATE pair SET n = n + 1 WHERE id > 1');
    await other.query('INSERT INTO credits VALUES (1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1)');
    await run('UPDATE pair SET n = 1 WHERE id = 1');
    const waiting = other.query('UPDATE pair SET n = 2 WHERE id = 1');
    await run('UPDATE pair SET n = 1 WHERE id = 2');
    await waiting;
  } finally {
    await other.rollback();
    other.release();
  }
}
