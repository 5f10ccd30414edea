import { randomBytes } from 'node:crypto';
import { createPool } from 'mysql2/promise';

/** Drops the databases of this run, which the specs give back to each other, on MariaDB. */
export default function globalSetup() {
  const prefix = `payments_${randomBytes(6).toString('hex')}`;
  process.env.TEST_MYSQL_DATABASES = prefix;
  return async () => {
    const pool = createPool({
      uri: process.env.MYSQL_URL ?? 'mysql://root@127.0.0.1:3306/test',
      connectionLimit: 1,
    });
    try {
      const [found] = await pool.query(
        'SELECT schema_name AS name FROM information_schema.schemata WHERE schema_name LIKE ?',
        [`${prefix}%`],
      );
      // What a process of a test still holds open fails its own spec.
      await pool.query('SET SESSION lock_wait_timeout = 10');
      for (const { name } of found) await pool.query(`DROP DATABASE ${name}`);
    } catch (error) {
      // Without a server the specs are skipped.
      if (error.code !== 'ECONNREFUSED') throw error;
    } finally {
      await pool.end();
    }
  };
}
