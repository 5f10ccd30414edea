import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Pool, type PoolClient } from 'pg';
import { type PaymentsStorage } from 'nestjs-payments';
import { type SqlExecutor, type SqlTransaction, sqlStorage } from 'nestjs-payments/sql';
import { postgresStorage, type PostgresStorageOptions } from 'nestjs-payments/postgres';
import { type BatchRecord } from '../../../support/batch-contract.js';
import { eventually } from '../../../support/eventually.js';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';
import { journalRecord, storedBy } from '../../../support/journal-contract.js';
import { patientLibrary } from '../../../support/patient-library.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';

const LEASE_MS = 60_000;
/** So often a statement is asked before it is prepared. */
const BEFORE = 21;
const EVENT = { action: 'create', by: 'asha', details: '{}' };
const LINE = { number: 1, key: 'S-1', cents: 100, recipient: 'r', content: '{}' };
const SHARE = { cents: 100, maxCount: 5 };
const REFUSED =
  'The statement waited too long for a table that another transaction held, and did nothing (22023).';
/** What CREATE INDEX takes: reading goes on, and writing waits. */
const LOCK = `BEGIN; LOCK TABLE payments_journal, payments_inbox, payments_batches, payments_batch_lines IN SHARE MODE`;
const WAITING = `SELECT count(*)::integer AS statements,
    bool_and(clock_timestamp() - query_start > $2 * interval '1 millisecond') AS enough
  FROM pg_stat_activity WHERE application_name = $1 AND cardinality(pg_blocking_pids(pid)) > 0`;
/** Connections that do something, and whose process has gone in between. */
const OTHERS = `SELECT query FROM pg_stat_activity
  WHERE application_name = $1 AND state <> 'idle' AND pid <> pg_backend_pid()`;

/** As an ORM has a pool of `pg`. */
function executorOn(pool: Pool): SqlExecutor {
  const on = (asked: Pick<Pool, 'query'>) => ({
    query: async <Row extends object>(text: string, params: readonly unknown[] = []) =>
      (await asked.query<Row>(text, [...params])).rows,
    execute: async (text: string, params: readonly unknown[] = []) => ({
      affectedRows: (await asked.query(text, [...params])).rowCount ?? 0,
    }),
  });
  const wrapTransaction = (handle: unknown): SqlTransaction => ({ ...on(handle as PoolClient), handle });
  return {
    ...on(pool),
    dialect: 'postgres',
    poolSize: 10,
    transaction: async (work) => {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        const result = await work(wrapTransaction(client));
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      } finally {
        client.release();
      }
    },
    wrapTransaction,
  };
}

describeWith([postgresService], 'statements of postgresStorage() that waited long for a table', () => {
  let database: PaymentsDatabase;
  let rival: PoolClient;

  beforeAll(async () => {
    database = await openPaymentsDatabase(postgresService.url);
    rival = await database.pool.connect();
  });
  afterAll(() => database.close());

  const open = (
    options: Partial<PostgresStorageOptions> = {},
    pool: Pool = database.connect(),
  ): PaymentsStorage =>
    postgresStorage({ pool, schema: database.schema, preparedStatements: false, ...options });
  async function prepared(): Promise<PaymentsStorage> {
    const storage = open({ preparedStatements: true }, database.connect({ max: 2 }));
    const warm = async (): Promise<unknown> => storage.journal.insert(journalRecord('warm'), LEASE_MS);
    for (let times = 0; times < BEFORE; times += 1) await warm();
    return storage;
  }
  const batch = (name: string): BatchRecord => ({
    account: 'default',
    environment: 'sandbox',
    batch: name,
    state: 'loading',
    load: name,
    details: '{}',
  });
  const written = async (reference: string): Promise<number> =>
    storedBy(await open().journal.insert(journalRecord(reference), LEASE_MS)).version;
  const rowsOf = async (text: string, values: readonly unknown[] = []): Promise<readonly unknown[]> =>
    (await database.pool.query<Readonly<Record<string, unknown>>>(text, [...values])).rows;
  /** Resolves when so many statements wait for a table, and each has waited so long. */
  const untilWaiting = (statements: number, ms: number): Promise<void> =>
    eventually(async () => {
      expect(await rowsOf(WAITING, [database.schema, ms])).toEqual([{ statements, enough: true }]);
    });

  describe('whose callers are still there', () => {
    patientLibrary();

    it('begin nothing any more, and end what has happened', async () => {
      const storage = open({}, database.connect({ max: 20 }));
      const { journal, inbox, batches } = storage;
      const ends = await written('ends');
      const begins = await written('begins');
      const counts = await written('counts');
      const ran = claimed(await inbox.claim(inboxDelivery('ran'), LEASE_MS));
      const failed = claimed(await inbox.claim(inboxDelivery('failed'), LEASE_MS));
      await claimed(await inbox.claim(inboxDelivery('open'), LEASE_MS)).fail();
      const alone = await prepared();
      const together = await prepared();
      const transactional = open({ transactional: true }, database.connect());
      const handled = claimed(await transactional.inbox.claim(inboxDelivery('handled'), LEASE_MS));
      const orm = sqlStorage({
        executor: executorOn(database.connect()),
        schema: database.schema,
        transactional: true,
      });
      const byOrm = claimed(await orm.inbox.claim(inboxDelivery('orm'), LEASE_MS));
      const application = await database.begin();
      const joined = await journal.within!(application.handle);
      await rival.query(LOCK);

      const beginning: readonly (() => Promise<unknown>)[] = [
        () => journal.insert(journalRecord('new'), LEASE_MS),
        () => alone.journal.insert(journalRecord('prepared'), LEASE_MS),
        ...['one', 'two'].map((name) => () => together.journal.insert(journalRecord(name), LEASE_MS)),
        () => journal.dailyCaps!.insert(journalRecord('counted'), LEASE_MS, SHARE),
        () => journal.replace(begins, journalRecord('begins', { attempt: 2 }), LEASE_MS),
        () => journal.dailyCaps!.replace(counts, journalRecord('counts', { attempt: 2 }), LEASE_MS, SHARE),
        () => inbox.claim(inboxDelivery('claim'), LEASE_MS),
        () => inbox.claim(inboxDelivery('open', { mustExist: true }), LEASE_MS),
        () => transactional.inbox.claim(inboxDelivery('transaction'), LEASE_MS),
        () => batches!.create(batch('march'), EVENT),
        () => orm.journal.insert(journalRecord('orm-new'), LEASE_MS),
        () => orm.journal.dailyCaps!.insert(journalRecord('orm-counted'), LEASE_MS, SHARE),
        () => orm.inbox.claim(inboxDelivery('orm-claim'), LEASE_MS),
      ];
      const ending: readonly (() => Promise<unknown>)[] = [
        () => journal.replace(ends, journalRecord('ends', { state: 'accepted' }), 0),
        () => ran.finish(),
        () => failed.fail(),
        // In transactions that began before.
        () => handled.journal!.insert(journalRecord('handled'), LEASE_MS),
        () => byOrm.journal!.insert(journalRecord('orm'), LEASE_MS),
        () => joined.insert(journalRecord('joined', { state: 'planned' }), 0),
      ];
      const asked = Promise.all([...beginning, ...ending].map((ask) => ask().then(() => 'done', String)));
      await untilWaiting(beginning.length + ending.length, 3_600);
      await rival.query('COMMIT');
      const results = await asked;

      expect(results.slice(0, beginning.length)).toEqual(
        beginning.map((): unknown => expect.stringContaining(REFUSED)),
      );
      expect(results.slice(beginning.length)).toEqual(ending.map(() => 'done'));
      await handled.finish();
      await byOrm.finish();
      await application.commit();
      expect(await rowsOf('SELECT reference, state FROM payments_inbox ORDER BY reference')).toEqual([
        { reference: 'failed', state: 'open' },
        { reference: 'handled', state: 'done' },
        { reference: 'open', state: 'open' },
        { reference: 'orm', state: 'done' },
        { reference: 'ran', state: 'done' },
      ]);
      const payments = `SELECT reference, attempt, state FROM payments_journal WHERE reference <> 'warm' ORDER BY reference`;
      expect(await rowsOf(payments)).toEqual([
        { reference: 'begins', attempt: 1, state: 'in-flight' },
        { reference: 'counts', attempt: 1, state: 'in-flight' },
        { reference: 'ends', attempt: 1, state: 'accepted' },
        { reference: 'handled', attempt: 1, state: 'in-flight' },
        { reference: 'joined', attempt: 1, state: 'planned' },
        { reference: 'orm', attempt: 1, state: 'in-flight' },
      ]);
      expect(await rowsOf('SELECT name FROM payments_batches')).toEqual([]);
    });
  });

  it('write no payment and no lines for callers that have gone', async () => {
    const { journal, batches } = open();
    await rival.query(LOCK);
    const inserting = journal.insert(journalRecord('late'), LEASE_MS).catch(String);
    // It tries again by itself, and waits for the same table.
    const adding = batches!.addChunk('march', { chunk: 1, digest: 'd' }, [LINE]);
    expect(await inserting).toContain('Timed out after 4000 ms');
    await untilWaiting(3, 0);
    await rival.query('COMMIT');
    expect(await adding).toEqual([]);
    await eventually(async () => {
      expect(await rowsOf(OTHERS, [database.schema])).toEqual([]);
    });
    expect(await rowsOf(`SELECT state FROM payments_journal WHERE reference = 'late'`)).toEqual([]);
    expect(await rowsOf('SELECT batch_load, line_key FROM payments_batch_lines')).toEqual([
      { batch_load: 'march', line_key: 'S-1' },
    ]);
  });

  it('wait for a row after the table no longer than their callers do', async () => {
    const version = await written('both');
    const holder = await database.pool.connect();
    await holder.query(`BEGIN; SELECT state FROM payments_journal WHERE reference = 'both' FOR UPDATE`);
    await rival.query(LOCK);
    const replacing = open().journal.replace(version, journalRecord('both', { attempt: 2 }), LEASE_MS);
    const told = replacing.then(() => 'done', String);
    await untilWaiting(1, 2_800);
    await rival.query('COMMIT');
    expect(await told).toContain('PaymentsStorageError');
    await holder.query('COMMIT');
    holder.release();
    await eventually(async () => {
      expect(await rowsOf(OTHERS, [database.schema])).toEqual([]);
    });
    expect(await rowsOf(`SELECT attempt FROM payments_journal WHERE reference = 'both'`)).toEqual([
      { attempt: 1 },
    ]);
  });

  it('take back a payment that the pool of an ORM sent for a caller that had gone', async () => {
    const pool = database.connect({ max: 1 });
    const storage = sqlStorage({ executor: executorOn(pool), schema: database.schema });
    await storage.journal.dailyCaps!.insert(journalRecord('first'), LEASE_MS, SHARE);
    const counted = await rowsOf('SELECT payments, cents::text FROM payments_daily_counts');
    const busy = await pool.connect();
    const inserting = [
      storage.journal.insert(journalRecord('queued'), LEASE_MS),
      storage.journal.dailyCaps!.insert(journalRecord('queued-too'), LEASE_MS, SHARE),
    ].map((writing) => writing.catch(String));
    for (const said of await Promise.all(inserting)) expect(said).toContain('Timed out after 4000 ms');
    busy.release();
    // Behind the statement in the queue of the pool.
    await pool.query('SELECT 1');
    await eventually(async () => {
      expect(await rowsOf(`SELECT state FROM payments_journal WHERE reference LIKE 'queued%'`)).toEqual([]);
      expect(await rowsOf('SELECT payments, cents::text FROM payments_daily_counts')).toEqual(counted);
    });
  });
});
