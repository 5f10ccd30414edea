import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Pool } from 'pg';
import { type PostgresClient, type PostgresPool, postgresStorage } from 'nestjs-payments/postgres';
import { batchContract, type BatchStore } from '../../../support/batch-contract.js';
import {
  openPaymentsDatabase,
  PATIENT_LOCKS,
  type PaymentsDatabase,
} from '../../../support/payments-database.js';
import { type PgliteServer, startPglite } from '../../../support/pglite-server.js';
import { describeWith, postgresService } from '../../../support/services.js';
import { readingOf, THROUGH_AN_INDEX } from '../../../support/statement-plan.js';
import { watchedPool } from '../../../support/watched-pool.js';

const LOAD = 'plan';
const PAGE = { after: 0, limit: 100 };
const NEW_LINES = [{ number: 20_001, key: 'new', cents: 1, recipient: 'new', content: '{}' }];

/** The recipients of the lines of a chunk: as they are stored, and in forms that no line has. */
const ofChunk = (chunk: number, forms: number): Parameters<BatchStore['sameRecipients']>[1] =>
  Array.from({ length: 100 }, (_, index) => {
    const number = 100 * chunk - index;
    const others = Array.from({ length: forms - 1 }, (_form, form) => `form-${form}-of-${number}`);
    return { number, cents: 1, recipients: [`recipient-${number}`, ...others] };
  });

let database: PaymentsDatabase;
const store = (pool = database.pool): BatchStore => {
  const { batches } = postgresStorage({ pool, schema: database.schema });
  if (!batches) throw new Error('PostgreSQL keeps batches.');
  return batches;
};
const contract = (pool = (): Pool => database.pool): void => {
  let kept: BatchStore | undefined;
  batchContract({ store: () => (kept ??= store(pool())), pass: (ms) => database.pass(ms) });
};

describeWith([postgresService], 'batches in PostgreSQL', () => {
  beforeAll(async () => {
    database = await openPaymentsDatabase(postgresService.url);
  });
  afterAll(() => database.close());
  contract(() => database.connect({ options: `${database.options} ${PATIENT_LOCKS}` }));

  it('finds the lines at the next purge that were added while their load was removed', async () => {
    const adding: PostgresPool = {
      connect: async () => {
        const client: PostgresClient = await database.pool.connect();
        const query: PostgresClient['query'] = async (text, values) => {
          if (text.includes('counts AS (DELETE')) {
            await store().addChunk('removed', { chunk: 1, digest: 'd' }, NEW_LINES);
          }
          return client.query(text, values);
        };
        return Object.assign(Object.create(client) as PostgresClient, { query });
      },
    };
    await postgresStorage({ pool: adding, schema: database.schema }).batches?.removeLoad('removed');
    expect(await store().lines('removed', PAGE)).toHaveLength(1);
    await store().purge(0);
    expect(await store().lines('removed', PAGE)).toEqual([]);
  });

  describe('a long batch', () => {
    beforeAll(makeLongBatch);

    it.each<readonly [string, (batches: BatchStore) => Promise<unknown>, number]>([
      [
        'the lines in rare states',
        (batches) => batches.lines(LOAD, { ...PAGE, states: ['unknown', 'paid'] }),
        200,
      ],
      [
        'the lines in a state after a line',
        (batches) => batches.lines(LOAD, { after: 19_000, limit: 100, states: ['paid'] }),
        100,
      ],
      ['the lines of a chunk', (batches) => batches.linesOf(LOAD, 100), 100],
      ['a line', (batches) => batches.line(LOAD, '7'), 1],
      [
        'the chunks with a line in a state',
        (batches) => batches.chunksIn(LOAD, ['waiting', 'unknown'], PAGE),
        400,
      ],
      [
        'the chunks with a line in a state that none has',
        (batches) => batches.chunksIn(LOAD, ['failed'], PAGE),
        200,
      ],
      [
        'the lines of the same recipients',
        (batches) => batches.sameRecipients(LOAD, ofChunk(100, 1), 60_000, 1_000),
        200,
      ],
      [
        'the lines of the same recipients in every form',
        (batches) => batches.sameRecipients(LOAD, ofChunk(100, 4), 60_000, 1_000),
        200,
      ],
      [
        'the lines that change',
        (batches) => batches.change(LOAD, [{ number: 7, from: ['paid'], to: 'failed' }]),
        3,
      ],
      [
        'the keys of a new chunk',
        (batches) => batches.addChunk(LOAD, { chunk: 201, digest: 'd' }, NEW_LINES),
        1,
      ],
    ])('finds %s through an index, and reads no more', async (_what, ask, rows) => {
      const { pool, asked } = watchedPool(database.pool);
      const { batches } = postgresStorage({ pool, schema: database.schema });
      if (!batches) throw new Error('PostgreSQL keeps batches.');
      await ask(batches);
      const { steps, rows: read } = await readingOf(database.pool, asked.at(-1), 'payments_batch_lines');
      expect(steps).toEqual(steps.map(() => expect.stringMatching(THROUGH_AN_INDEX) as unknown));
      expect(read).toBeLessThanOrEqual(rows);
    });
  });

  /** Two loads, in which all lines are paid but the last ones. */
  async function makeLongBatch(): Promise<void> {
    await database.clear();
    const { pool } = database;
    await pool.query(`
      INSERT INTO payments_batches (account, environment, name, batch_load, state, details, version, events, created_at, updated_at)
      SELECT 'default', 'sandbox', load, load, 'running', '{}', 1, 1, now(), now() FROM unnest('{plan,other}'::text[]) AS load;
      INSERT INTO payments_batch_lines
      SELECT load, n, n::text, CASE WHEN n > 19990 THEN 'unknown' ELSE 'paid' END, 1, 'recipient-' || n, '{}', '{}', now()
      FROM unnest('{plan,other}'::text[]) AS load, generate_series(1, 20000) AS n;
      INSERT INTO payments_batch_chunks
      SELECT load, n, 'd', 100 * n - 99, 100 * n FROM unnest('{plan,other}'::text[]) AS load, generate_series(1, 200) AS n;
      ANALYZE payments_batch_lines, payments_batch_chunks, payments_batches`);
  }
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
