import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresStorage } from 'nestjs-payments/postgres';
import { batchContract, type BatchStore } from '../../../support/batch-contract.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { type PgliteServer, startPglite } from '../../../support/pglite-server.js';
import { describeWith, postgresService } from '../../../support/services.js';

let database: PaymentsDatabase;
const store = (): BatchStore => {
  const { batches } = postgresStorage({ pool: database.pool, schema: database.schema });
  if (!batches) throw new Error('PostgreSQL keeps batches.');
  return batches;
};
const contract = (): void => {
  let kept: BatchStore | undefined;
  batchContract({ store: () => (kept ??= store()), pass: (ms) => database.pass(ms) });
};

describeWith([postgresService], 'batches in PostgreSQL', () => {
  beforeAll(async () => {
    database = await openPaymentsDatabase(postgresService.url);
  });
  afterAll(() => database.close());
  contract();

  it('are found through an index, however many there are', async () => {
    const { pool, schema } = database;
    const table = `"${schema}".payments_batch_lines`;
    await pool.query(`INSERT INTO ${table} SELECT 'plan', n, n::text, CASE WHEN n % 100 = 0 THEN 'unknown' ELSE 'paid' END,
      1, 'recipient ' || n, '{}', '{}', now() FROM generate_series(1, 20000) n`);
    await pool.query(`ANALYZE ${table}`);
    const plan = async (condition: string): Promise<string> => {
      const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN SELECT * FROM ${table} WHERE ${condition}`,
      );
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    expect(
      await plan(
        "batch_load = 'plan' AND state = 'unknown' AND line_number > 5 ORDER BY line_number LIMIT 9",
      ),
    ).toMatch(/Index Scan using payments_batch_lines_batch_load_state/);
    expect(await plan("recipient = 'recipient 7'")).toContain('payments_batch_lines_recipient_idx');
    expect(await plan("batch_load = 'plan' AND line_key = '7'")).toContain(
      'payments_batch_lines_batch_load_line_key',
    );
  });
});

describe('batches in PGlite', () => {
  let server: PgliteServer;

  beforeAll(async () => {
    server = await startPglite();
    database = await openPaymentsDatabase(server.url, { max: 1 });
  });
  afterAll(async () => {
    await database.close();
    await server.close();
  });
  contract();
});
