import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresPool, postgresStorage } from 'nestjs-payments/postgres';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { type PgliteServer, startPglite } from '../../../support/pglite-server.js';
import {
  reconciliationContract,
  type ReconciliationStore,
} from '../../../support/reconciliation-contract.js';
import { describeWith, postgresService } from '../../../support/services.js';
import { readingOf, THROUGH_AN_INDEX } from '../../../support/statement-plan.js';
import { watchedPool } from '../../../support/watched-pool.js';

const SCOPE = { account: 'plan', environment: 'sandbox' } as const;

let database: PaymentsDatabase;
const storeOn = (pool: PostgresPool): ReconciliationStore => {
  const { reconciliation } = postgresStorage({ pool, schema: database.schema });
  if (!reconciliation) throw new Error('PostgreSQL keeps reconciliation.');
  return reconciliation;
};
const contract = (): void => {
  let kept: ReconciliationStore | undefined;
  reconciliationContract({
    store: () => (kept ??= storeOn(database.pool)),
    pass: (ms) => database.pass(ms),
  });
};

describeWith([postgresService], 'reconciliation in PostgreSQL', () => {
  beforeAll(async () => {
    database = await openPaymentsDatabase(postgresService.url);
  });
  afterAll(() => database.close());
  contract();

  describe('many entries', () => {
    /** Settled ones, but for the first and the last ten; only the first 3,000 did not change lately. */
    beforeAll(async () => {
      await database.clear();
      await database.pool.query(`
        INSERT INTO payments_reconciliation
        SELECT 'plan', 'sandbox', 'exception', to_char(n, 'FM000000'),
          CASE WHEN n <= 10 THEN 'new' WHEN n > 19990 THEN 'open' ELSE 'settled' END, '{}', 1, clock_timestamp(),
          clock_timestamp() - CASE WHEN n <= 3000 THEN interval '2 days' ELSE interval '0' END
        FROM generate_series(1, 20000) AS n;
        ANALYZE payments_reconciliation`);
    });

    it.each<readonly [string, (store: ReconciliationStore) => Promise<unknown>, number]>([
      ['one', (store) => store.get(SCOPE, 'exception', '010000'), 1],
      ['a page', (store) => store.list(SCOPE, 'exception', { after: '015000', limit: 100 }), 100],
      [
        'those in rare states',
        (store) => store.list(SCOPE, 'exception', { states: ['new', 'open'], limit: 100 }),
        200,
      ],
      [
        'those in a state, from the middle',
        (store) => store.list(SCOPE, 'exception', { after: '015000', states: ['settled'], limit: 100 }),
        100,
      ],
      ['the last one in rare states', (store) => store.last(SCOPE, 'exception', '~', ['new', 'none']), 2],
      ['the last one in a state', (store) => store.last(SCOPE, 'exception', '015000', ['settled']), 1],
    ])('finds %s through an index, and reads no more', async (_what, ask, most) => {
      const { pool, asked } = watchedPool(database.pool);
      await ask(storeOn(pool));
      const { steps, rows } = await readingOf(database.pool, asked.at(-1), 'payments_reconciliation');
      expect(steps).toEqual([expect.stringMatching(THROUGH_AN_INDEX)]);
      expect(rows).toBeLessThanOrEqual(most);
    });

    it('removes old ones in batches, and reads none that stays', async () => {
      const { pool, asked } = watchedPool(database.pool);
      expect(await storeOn(pool).purge(SCOPE, 'exception', ['settled'], 86_400_000)).toBe(2_990);
      expect(asked.map(({ rowCount }) => rowCount).slice(-4)).toEqual([1_000, 1_000, 990, 0]);
      const { steps, rows } = await readingOf(database.pool, asked.at(-1), 'payments_reconciliation');
      expect(steps).not.toContain('Seq Scan');
      expect(rows).toBe(0);
    });
  });
});

describe('reconciliation in PGlite', () => {
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
