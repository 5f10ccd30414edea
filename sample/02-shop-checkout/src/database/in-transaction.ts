import { type Pool, type PoolClient } from 'pg';

/** Commits everything that `work` writes through its client, or nothing. */
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
    // Closing the connection rolls its open transaction back.
    client.release(broken);
  }
}
