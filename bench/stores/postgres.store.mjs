import { migratePayments, postgresStorage } from 'nestjs-payments/postgres';
import pg from 'pg';

/** In a schema of its own. */
export async function openStore({ url, transactional = false }) {
  const schema = `payments_bench_${process.pid}`;
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  await migratePayments(pool, { schema });
  await pool.query(`CREATE TABLE ${schema}.plain (reference text PRIMARY KEY, state text NOT NULL)`);
  return {
    url,
    storage: postgresStorage({ pool, schema, transactional }),
    fill: (entries) => fill(pool, schema, entries),
    async plain(reference) {
      const client = await pool.connect();
      try {
        await client.query(`INSERT INTO ${schema}.plain VALUES ($1, 'running') ON CONFLICT DO NOTHING`, [
          reference,
        ]);
        await client.query(`UPDATE ${schema}.plain SET state = 'done' WHERE reference = $1`, [reference]);
      } finally {
        client.release();
      }
    },
    connect: (address) => {
      const other = new pg.Pool({ connectionString: address, max: 1 });
      return {
        storage: postgresStorage({ pool: other, schema, transactional }),
        close: () => other.end(),
      };
    },
    async close() {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await pool.end();
    },
  };
}

/** What that many payments and webhooks would have left. */
async function fill(pool, schema, entries) {
  await pool.query(
    `INSERT INTO ${schema}.payments_inbox
       SELECT 'default', 'sandbox', 'outcome', 'filled-' || n, 'payment.success', 'f-' || n, 'done', n, 1, '{}', now(), now()
       FROM generate_series(1, $1::int) n`,
    [entries],
  );
  await pool.query(
    `INSERT INTO ${schema}.payments_journal
         (account, environment, family, reference, state, attempt, record, version, created_at, updated_at, attempt_at, lease_until)
       SELECT 'default', 'sandbox', 'collection', 'filled-' || n, 'accepted', 1, $2::json, n, now(), now(), now(), now()
       FROM generate_series(1, $1::int) n`,
    [
      entries,
      JSON.stringify({ operation: 'collection.mobile-money', amount: '1180.50', answer: 'x'.repeat(500) }),
    ],
  );
  await pool.query(`VACUUM ANALYZE ${schema}.payments_inbox, ${schema}.payments_journal`);
}
