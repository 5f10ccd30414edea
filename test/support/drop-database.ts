import { Client, DatabaseError } from 'pg';

const IN_USE = '55006';
const TRIES = 6; // PostgreSQL itself waits five seconds in each

/**
 * Drops a database when the connections to it have ended. Not with FORCE: a pool of `pg` has ended before its connections
 * have, and a connection that is killed meanwhile is an error that nobody listens to.
 */
export async function dropDatabase(connectionString: string, name: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    for (let tries = 1; ; tries += 1) {
      try {
        await client.query(`DROP DATABASE ${name}`);
        return;
      } catch (error) {
        if (tries === TRIES || !(error instanceof DatabaseError) || error.code !== IN_USE) throw error;
      }
    }
  } finally {
    await client.end();
  }
}
