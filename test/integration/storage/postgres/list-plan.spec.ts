import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresStorage } from 'nestjs-payments/postgres';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';
import { readingOf } from '../../../support/statement-plan.js';
import { watchedPool } from '../../../support/watched-pool.js';

const ROWS = 40_000;
const LIMIT = 500;
const SCOPE = { account: 'default', environment: 'sandbox', family: 'collection' } as const;

describeWith([postgresService], 'a page of a long journal in PostgreSQL', () => {
  let database: PaymentsDatabase;

  beforeAll(async () => {
    database = await openPaymentsDatabase(postgresService.url);
    // As long as a record is, as a rule: of a short table all of it is read at once. Every second payment has ended; the others are accepted or unknown, in turns.
    await database.pool.query(`
      INSERT INTO payments_journal (account, environment, family, reference, state, attempt, record, version,
                                    created_at, updated_at, attempt_at, lease_until)
      SELECT 'default', 'sandbox', 'collection', 'order-' || i,
        (ARRAY['settled', 'unknown', 'settled', 'accepted'])[1 + i % 4], 1, to_json(repeat('x', 600)), i,
        now() + i * interval '1 millisecond', now(), now(), now()
      FROM generate_series(1, ${ROWS}) AS i`);
    await database.pool.query('ANALYZE payments_journal');
  });
  afterAll(() => database.close());

  it('is read from the index, and no more of it than the page, wherever it begins', async () => {
    const { pool, asked } = watchedPool(database.pool);
    const { journal } = postgresStorage({ pool, schema: database.schema });
    let after: string | undefined;
    let listed = 0;
    for (let pages = 0; pages === 0 || after !== undefined; pages += 1) {
      const page = await journal.list(SCOPE, ['settled', 'rejected'], {
        limit: LIMIT,
        ...(after !== undefined && { after }),
      });
      const { steps, rows: read } = await readingOf(database.pool, asked.at(-1), 'payments_journal');
      expect(steps).toEqual(steps.map(() => expect.stringMatching(/^Index (Only )?Scan$/) as unknown));
      expect(read).toBeGreaterThan(0);
      // A page of each of the two open states, and one step for each state that there is.
      expect(read).toBeLessThanOrEqual(2 * (LIMIT + 1) + 4);
      expect(page.entries.length).toBeLessThanOrEqual(LIMIT);
      listed += page.entries.length;
      after = page.next;
    }
    expect(listed).toBe(ROWS / 2);
  });

  it('is read from the index, and no more of it than the page, if it begins at a time', async () => {
    const { pool, asked } = watchedPool(database.pool);
    const { journal } = postgresStorage({ pool, schema: database.schema });
    const { rows } = await database.pool.query<{ readonly ms: string }>(
      `SELECT (extract(epoch FROM created_at) * 1000)::bigint::text AS ms FROM payments_journal WHERE reference = 'order-${ROWS / 2}'`,
    );
    const from = Number(rows[0]?.ms);
    const { entries } = await journal.list(SCOPE, ['settled', 'rejected'], { from, limit: LIMIT });
    // Of order-1 to order-3, the first and the last one are open.
    expect(entries.map(({ record }) => record.reference).slice(0, 2)).toEqual([
      `order-${ROWS / 2 + 1}`,
      `order-${ROWS / 2 + 3}`,
    ]);
    const { steps, rows: read } = await readingOf(database.pool, asked.at(-1), 'payments_journal');
    expect(steps).toEqual(steps.map(() => expect.stringMatching(/^Index (Only )?Scan$/) as unknown));
    expect(read).toBeLessThanOrEqual(2 * (LIMIT + 1) + 4);
  });
});
