import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Pool as PgPool, Pool } from 'pg';
import { type PaymentsStorage } from 'nestjs-payments';
import { postgresStorage, type PostgresStorageOptions } from 'nestjs-payments/postgres';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';
import { journalRecord, storedBy } from '../../../support/journal-contract.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { PgbouncerServer, pgbouncerProgram } from '../../../support/pgbouncer-server.js';
import { describeWith, postgresService } from '../../../support/services.js';

const LEASE_MS = 60_000;
const PAYMENTS = 60;
/** Of PgBouncer to the server. */
const CONNECTIONS = 3;

let database: PaymentsDatabase;

const references = (prefix: string): readonly string[] =>
  Array.from({ length: PAYMENTS }, (_, index) => `${prefix}-${index}`);

function storageOn(pool: PgPool, options: Partial<PostgresStorageOptions> = {}): PaymentsStorage {
  return postgresStorage({ pool, schema: database.schema, ...options });
}

/** A payment that is written down and answered, and its webhook. */
async function live({ journal, inbox }: PaymentsStorage, reference: string): Promise<void> {
  const record = journalRecord(reference);
  const { version } = storedBy(await journal.insert(record, LEASE_MS));
  expect(await journal.replace(version, { ...record, state: 'accepted' }, 0)).toBeDefined();
  const claim = claimed(await inbox.claim(inboxDelivery(reference), LEASE_MS));
  await claim.journal?.get(record);
  expect(await claim.finish()).toBe(true);
}

/** Plans for few rows would read all of them, and the package waits for more. */
async function fillJournal(): Promise<void> {
  await database.pool.query(`
    INSERT INTO payments_journal (account, environment, family, reference, state, attempt, record, version,
                                  created_at, updated_at, attempt_at, lease_until)
    SELECT 'default', 'sandbox', 'collection', 'filled-' || n, 'settled', 1, to_json(repeat('x', 900)), n,
      now(), now(), now(), now() FROM generate_series(1, 2000) AS n`);
}

/** The statements of the package that the server keeps for a connection. */
async function keptBy(pool: Pick<PgPool, 'query'>): Promise<number> {
  const { rows } = await pool.query<{ readonly kept: string }>(
    "SELECT count(*)::text AS kept FROM pg_prepared_statements WHERE name ~ '^payments_[0-9a-f]{16}$'",
  );
  return Number(rows[0]?.kept);
}

describeWith([postgresService], 'the statements of postgresStorage()', () => {
  let pool: PgPool;

  beforeAll(async () => {
    database = await openPaymentsDatabase(postgresService.url);
  });
  beforeEach(async () => {
    await database.clear();
    await fillJournal();
    pool = database.connect({ max: 1 });
  });
  afterAll(() => database.close());

  const liveThrough = async (storage: PaymentsStorage, name: string): Promise<void> => {
    for (const reference of references(name)) await live(storage, reference);
  };

  it('are prepared for a connection that ends at the server, if they are asked often', async () => {
    const storage = storageOn(pool);
    await live(storage, 'once');
    expect(await keptBy(pool)).toBe(0);
    await liveThrough(storage, 'often');
    // A payment, its answer, a webhook and its end.
    expect(await keptBy(pool)).toBe(4);
  });

  it('are sent as they are while the journal is small', async () => {
    await database.pool.query('TRUNCATE payments_journal');
    await liveThrough(storageOn(pool), 'small');
    expect(await keptBy(pool)).toBe(0);
  });

  it('are prepared once the journal has grown, without a restart', async () => {
    await database.pool.query('TRUNCATE payments_journal');
    const storage = storageOn(pool);
    await liveThrough(storage, 'small');
    await fillJournal();
    await liveThrough(storage, 'too early');
    expect(await keptBy(pool)).toBe(0);
    for (let lookups = 0; lookups < 1_000; lookups++) await storage.journal.get(journalRecord('small-1'));
    await liveThrough(storage, 'large');
    // The lookup is asked often, too.
    expect(await keptBy(pool)).toBe(5);
  });

  it('are sent as they are in a transaction, so that one that was forgotten undoes nothing', async () => {
    const storage = storageOn(pool, { transactional: true });
    await liveThrough(storage, 'delivered');
    // The end of a webhook is a part of its transaction.
    expect(await keptBy(pool)).toBe(3);
    const claim = claimed(await storage.inbox.claim(inboxDelivery('last'), LEASE_MS));
    await (claim.transaction as PgPool).query('DEALLOCATE ALL');
    expect(await claim.journal!.get(journalRecord('delivered-1'))).toBeDefined();
    expect(await claim.finish()).toBe(true);
    await live(storage, 'after');
  });

  it('share a connection with those of another schema', async () => {
    const other = await openPaymentsDatabase(postgresService.url);
    await liveThrough(storageOn(pool), 'one');
    await liveThrough(postgresStorage({ pool, schema: other.schema, preparedStatements: true }), 'another');
    expect(await keptBy(pool)).toBe(8);
    await other.close();
  });

  it('are sent as they are if the application says so', async () => {
    await liveThrough(storageOn(pool, { preparedStatements: false }), 'plain');
    expect(await keptBy(pool)).toBe(0);
  });

  it('are sent as they are from now on if the connection has lost them, and none of them fails', async () => {
    const storage = storageOn(pool);
    await liveThrough(storage, 'before');
    await pool.query('DISCARD ALL');
    await pool.query(`SET search_path = "${database.schema}", pg_catalog, public`);
    await liveThrough(storage, 'after');
    expect(await keptBy(pool)).toBe(0);
  });

  it('are planned again if a migration changes the tables meanwhile', async () => {
    const storage = storageOn(pool);
    await liveThrough(storage, 'old');
    await database.pool.query('ALTER TABLE payments_journal ADD COLUMN later text');
    await database.pool.query('ALTER TABLE payments_inbox ADD COLUMN later text');
    await liveThrough(storage, 'new');
    expect(await keptBy(pool)).toBe(4);
  });
});

describeWith([postgresService, pgbouncerProgram], 'postgresStorage() behind PgBouncer', () => {
  let pooler: PgbouncerServer;
  let pools: PgPool[];

  beforeAll(async () => {
    database = await openPaymentsDatabase(postgresService.url);
    await fillJournal();
    pooler = await PgbouncerServer.start(postgresService.url, CONNECTIONS);
  });
  beforeEach(() => {
    pools = [];
  });
  afterEach(() => Promise.all(pools.map((pool) => pool.end())));
  afterAll(async () => {
    await pooler.stop();
    await database.close();
  });

  /** Each transaction has a connection of PgBouncer by itself. */
  async function keptByServer(): Promise<number> {
    const pool = new Pool({ connectionString: pooler.url, max: CONNECTIONS });
    pools.push(pool);
    const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect()));
    for (const client of clients) await client.query('BEGIN');
    let kept = 0;
    for (const client of clients) kept += await keptBy(client);
    for (const client of clients) client.release(true);
    return kept;
  }

  describe.each<[how: string, options: Partial<PostgresStorageOptions>]>([
    ['left alone', {}],
    ['with a transaction for handlers', { transactional: true }],
    ['told that statements are kept, which this pooler does not do', { preparedStatements: true }],
  ])('%s', (how, options) => {
    it('does what it does without, on connections that change between transactions', async () => {
      const storages = [1, 2].map(() => {
        const pool = new Pool({ connectionString: pooler.url, max: 8 });
        pools.push(pool);
        return storageOn(pool, options);
      });
      await Promise.all(
        references(how).map((reference, index) => live(storages[index % storages.length]!, reference)),
      );
      const { rows } = await database.pool.query<{ readonly done: string }>(
        `SELECT count(*)::text AS done FROM payments_inbox WHERE state = 'done' AND reference ~ $1`,
        [`^${how}-`],
      );
      expect(rows[0]?.done).toBe(String(PAYMENTS));
      if (!options.preparedStatements) expect(await keptByServer()).toBe(0);
    });
  });
});
