import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PaymentsStorage } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';
import { watchedPool } from '../../../support/watched-pool.js';

const ACCOUNTS = 10_000;
const PAYMENTS_OF_ONE = 100_000;
const LIMIT = 500;

describeWith([postgresService], 'the accounts of a long journal in PostgreSQL', () => {
  let database: PaymentsDatabase;

  beforeAll(async () => {
    database = await openPaymentsDatabase(postgresService.url);
    // Written by a build that knew no list of accounts. One account in the middle has much more than all others.
    await database.pool.query(`
      INSERT INTO payments_journal (account, environment, family, reference, state, attempt, record, version,
                                    created_at, updated_at, attempt_at, lease_until)
      SELECT 'shop-' || least(i, ${ACCOUNTS}), 'sandbox', 'collection', 'order-' || i, 'unknown', 1, '{}', i, now(), now(), now(), now()
      FROM generate_series(1, ${ACCOUNTS + PAYMENTS_OF_ONE}) AS i`);
    await database.pool.query('VACUUM ANALYZE payments_journal');
  });
  afterAll(() => database.close());

  it('are each listed once, and a page reads one entry of the index for each', async () => {
    const { pool, asked } = watchedPool(database.pool);
    const { journal }: PaymentsStorage = postgresStorage({ pool, schema: database.schema });
    const listed: string[] = [];
    let after: string | undefined;
    do {
      const page = await journal.accounts({ limit: LIMIT, ...(after !== undefined && { after }) });
      listed.push(...page.accounts.map(({ account }) => account));
      after = page.next;
    } while (after !== undefined);
    expect(listed).toHaveLength(ACCOUNTS);
    expect(new Set(listed).size).toBe(ACCOUNTS);
    const pages = asked.filter(({ text }) => text.includes('WITH RECURSIVE known'));
    // The last page asks once more, and finds no further account.
    expect(pages).toHaveLength(ACCOUNTS / LIMIT + 1);
    for (const { text, values } of [pages[0]!, pages.at(-2)!]) {
      const { rows } = await database.pool.query<{ readonly 'QUERY PLAN': string }>(
        `EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) ${text}`,
        values,
      );
      const reads = rows
        .map((row) => row['QUERY PLAN'])
        .filter((line) => line.includes(' on payments_journal'));
      expect(reads).toHaveLength(2);
      for (const line of reads) {
        expect(line).toMatch(/Index Only Scan .* \(actual rows=[01](\.00)? loops=\d+\)/);
        expect(Number(/loops=(\d+)/.exec(line)?.[1])).toBeLessThanOrEqual(LIMIT + 1);
      }
    }
  });
});
