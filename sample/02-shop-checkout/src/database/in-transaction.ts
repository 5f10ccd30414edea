import { type Pool, type PoolClient } from 'pg';

/** All that `work` writes through its client, or nothing of it. */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = true;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    broken = false;
    return result;
  } finally {
    // A connection that is closed takes its open transaction with it.
    client.release(broken);
  }
}
