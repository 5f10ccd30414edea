import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { inspect } from 'node:util';
import { type Pool, type PoolClient } from 'pg';
import { type InboxScope, type PaymentsStorage, type SetAsideDelivery } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';
import { allBut, journalRecord, storedBy } from '../../../support/journal-contract.js';
import { patientLibrary } from '../../../support/patient-library.js';
import {
  openPaymentsDatabase,
  PATIENT_LOCKS,
  type PaymentsDatabase,
} from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';
import { SeverableProxy } from '../../../support/severable-proxy.js';
import { watchedPool } from '../../../support/watched-pool.js';

const LEASE_MS = 60_000;
const SCOPE: InboxScope = { account: 'default', environment: 'sandbox' };

describeWith([postgresService], 'postgresStorage() and its server', () => {
  let database: PaymentsDatabase;
  const storage = (pool: Pool = database.pool, transactional = false): PaymentsStorage =>
    postgresStorage({ pool, schema: database.schema, transactional });

  beforeAll(async () => {
    database = await openPaymentsDatabase(postgresService.url);
  });
  afterEach(async () => {
    vi.useRealTimers();
    await database.clear();
  });
  afterAll(() => database.close());

  it.each([
    [false, 2],
    [true, 3],
  ])('claims and finishes with transactional: %s in %s round trips', async (transactional, trips) => {
    const { pool, asked } = watchedPool(database.pool);
    const { inbox, journal } = postgresStorage({ pool, schema: database.schema, transactional });
    // The first use also looks at the version of the tables.
    await journal.get(journalRecord('order-1'));
    expect(asked).toHaveLength(2);
    asked.length = 0;
    await claimed(await inbox.claim(inboxDelivery('order-1'), LEASE_MS)).finish();
    expect(asked).toHaveLength(trips);
    asked.length = 0;
    expect((await inbox.claim(inboxDelivery('order-1'), LEASE_MS)).result).toBe('done');
    expect(asked).toHaveLength(1);
  });

  it('writes a new payment down in one round trip, and its end in another one', async () => {
    const { pool, asked } = watchedPool(database.pool);
    const { journal } = postgresStorage({ pool, schema: database.schema });
    await journal.get(journalRecord('order-1'));
    asked.length = 0;
    const { inserted, stored } = await journal.insert(journalRecord('order-1'), LEASE_MS);
    expect(inserted).toBe(true);
    expect(asked).toHaveLength(1);
    await journal.replace(stored!.version, journalRecord('order-1', { state: 'accepted' }), 0);
    expect(asked).toHaveLength(2);
    expect((await journal.insert(journalRecord('order-1'), LEASE_MS)).inserted).toBe(false);
    expect(asked).toHaveLength(3);
  });

  it('gives every connection back', async () => {
    const pool = database.connect();
    for (const transactional of [false, true]) {
      const { inbox, journal } = storage(pool, transactional);
      // A claim that waits long for its connection takes another one, to look whether it has anything to do: two are open.
      await journal.get(journalRecord('order-1'));
      await Promise.all([pool.query('SELECT 1'), pool.query('SELECT 1')]);
      for (const end of ['finish', 'fail'] as const) {
        const claim = claimed(await inbox.claim(inboxDelivery(`${end} ${String(transactional)}`), LEASE_MS));
        expect((await inbox.claim(inboxDelivery(`${end} ${String(transactional)}`), LEASE_MS)).result).toBe(
          'busy',
        );
        await claim[end]();
      }
      await journal.list({ ...SCOPE, family: 'collection' }, allBut('unknown'), { limit: 1 });
    }
    // The connection of the failed handler is closed.
    expect(pool.totalCount).toBe(1);
    expect(pool.idleCount).toBe(1);
    const client = await pool.connect();
    expect(client.listenerCount('error')).toBe(0);
    client.release();
  });

  /** A pool whose transactions have this level unless said otherwise. */
  const atLevel = (level: string): Pool => {
    const settings = { search_path: `"${database.schema}",pg_catalog`, default_transaction_isolation: level };
    const options = Object.entries(settings).map(
      ([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`,
    );
    return database.connect({ options: [...options, PATIENT_LOCKS].join(' ') });
  };

  describe('and many callers', () => {
    patientLibrary();

    it.each(['repeatable read', 'serializable'])(
      'runs one of many at %s, and refuses none',
      async (level) => {
        const pool = atLevel(level);
        const { inbox } = storage(pool);
        const results = await Promise.all(
          Array.from({ length: 50 }, () => inbox.claim(inboxDelivery('order-1'), LEASE_MS)),
        );
        const said = results.map(({ result }) => result);
        expect(said.filter((word) => word === 'claimed')).toHaveLength(1);
        expect(said.filter((word) => word === 'busy')).toHaveLength(49);
        await pool.end();
      },
    );

    it.each([false, true])(
      'refuses no payment or webhook of many at the same time at SERIALIZABLE, prepared: %s',
      async (preparedStatements) => {
        const pool = atLevel('serializable');
        const { journal, inbox } = postgresStorage({ pool, schema: database.schema, preparedStatements });
        const pay = async (reference: string): Promise<void> => {
          const record = journalRecord(reference);
          const { version } = storedBy(await journal.insert(record, LEASE_MS));
          await journal.replace(version, { ...record, state: 'accepted' }, 0);
          await claimed(await inbox.claim(inboxDelivery(reference), LEASE_MS)).finish();
        };
        for (let round = 0; round < 20; round += 1) {
          await Promise.all(Array.from({ length: 40 }, (_, index) => pay(`order-${round}-${index}`)));
        }
        await pool.end();
      },
      180_000,
    );
  });

  it.each<[string, (storage: PaymentsStorage) => Promise<unknown>]>([
    ['a claim', ({ inbox }) => inbox.claim(inboxDelivery('order-1'), LEASE_MS)],
    ['a change of the journal', ({ journal }) => journal.remove(journalRecord('order-1'), 1)],
  ])('ends the wait of %s for a row that somebody holds, on the server too', async (_name, call) => {
    await database.pool.query(
      `INSERT INTO payments_inbox VALUES ('default', 'sandbox', 'outcome', 'order-1', 'e', 'f1', 'open', 1, 1, '{}', now(), now());
       INSERT INTO payments_journal (account, environment, family, reference, state, attempt, record, version, created_at,
         updated_at, attempt_at, lease_until)
       VALUES ('default', 'sandbox', 'collection', 'order-1', 'unknown', 1, '{}', 1, now(), now(), now(), now())`,
    );
    const holder = await database.pool.connect();
    await holder.query(
      'BEGIN; SELECT FROM payments_inbox FOR UPDATE; SELECT FROM payments_journal FOR UPDATE',
    );
    await expect(call(storage())).rejects.toThrow('55P03');
    await holder.query('ROLLBACK');
    holder.release();
  });

  it('says what to do if the tables are missing', async () => {
    const { inbox, journal } = postgresStorage({ pool: database.pool, schema: 'nobody migrated this' });
    for (const call of [
      () => inbox.claim(inboxDelivery('order-1'), LEASE_MS),
      () => journal.get(journalRecord('order-1')),
    ]) {
      await expect(call()).rejects.toMatchObject({
        name: 'PaymentsStorageError',
        message: expect.stringContaining('call migratePayments(pool)') as unknown,
      });
    }
  });

  it('repeats nothing of what was to be stored in its errors', async () => {
    const delivery = {
      ...SCOPE,
      kind: null,
      event: 'payment.failed',
      reference: 'order-1',
      fingerprint: 'f1',
      payload: '{"customer_name":"Asha Mrema"}',
    } as unknown as SetAsideDelivery;
    const error: unknown = await storage()
      .conflicts.setAside(delivery)
      .catch((thrown: unknown) => thrown);
    const shown = inspect(error, { depth: 9, showHidden: true });
    expect(shown).toContain('23502');
    expect(shown).not.toContain('Asha');
  });

  it.each([
    ['off', 'on'],
    ['local', 'local'],
    ['remote_apply', 'remote_apply'],
  ])('commits to the disk when synchronous_commit is %s: it is then %s', async (setting, used) => {
    const path = database.schema.replaceAll(' ', '\\ ');
    const pool = database.connect({
      options: `-c search_path="${path}",pg_catalog -c synchronous_commit=${setting}`,
    });
    const claim = claimed(await storage(pool, true).inbox.claim(inboxDelivery('order-1'), LEASE_MS));
    await claim.journal?.insert(journalRecord('order-1'), LEASE_MS);
    const client = claim.transaction as PoolClient;
    const { rows } = await client.query('SHOW synchronous_commit');
    expect(rows).toEqual([{ synchronous_commit: used }]);
    await claim.fail();
  });

  it('shows no password of its pool when it is inspected', () => {
    const pool = database.connect({ connectionString: 'postgres://shop:s3cret-of-the-shop@127.0.0.1/shop' });
    expect(inspect(pool)).toContain('s3cret-of-the-shop');
    for (const transactional of [false, true]) {
      const shown = inspect(storage(pool, transactional), { depth: 9, showHidden: true });
      expect(shown).not.toContain('s3cret-of-the-shop');
    }
  });

  describe('over a network', () => {
    let proxy: SeverableProxy;
    let away: PaymentsStorage;
    let pool: Pool;

    beforeAll(async () => {
      proxy = await SeverableProxy.before(postgresService.url);
      pool = database.connect({ connectionString: proxy.url });
      away = storage(pool);
    });
    afterEach(() => {
      proxy.restore();
    });
    afterAll(() => proxy.close());

    const claimOver = (): Promise<unknown> => away.inbox.claim(inboxDelivery('order-1'), LEASE_MS);

    it('refuses at once while the server is away, and works again when it is back', async () => {
      await away.journal.get(journalRecord('order-1'));
      proxy.cut();
      await expect(claimOver()).rejects.toMatchObject({ name: 'PaymentsStorageError' });
      await expect(away.journal.insert(journalRecord('order-1'), 0)).rejects.toMatchObject({
        name: 'PaymentsStorageError',
      });
      proxy.restore();
      expect(await claimOver()).toMatchObject({ result: 'claimed' });
    });

    it('gives up on a server that says nothing, and does not use that connection again', async () => {
      await away.journal.get(journalRecord('order-1'));
      const lent = new Promise((resolve) => pool.once('acquire', resolve));
      proxy.hang();
      vi.useFakeTimers({
        toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
      });
      const silent = claimOver();
      await lent;
      // The statement is asked after the connection was handed over.
      await new Promise(setImmediate);
      vi.advanceTimersByTime(4_100);
      vi.useRealTimers();
      await expect(silent).rejects.toThrow('an answer of PostgreSQL');
      expect(pool.totalCount).toBe(0);
      // Or the claim that was held back would arrive in the next test.
      proxy.cut();
      proxy.restore();
      expect(await away.journal.get(journalRecord('order-1'))).toBeUndefined();
    });

    it('loses nothing and claims nothing twice if a transaction is cut off in the middle', async () => {
      const { inbox } = storage(pool, true);
      const claim = claimed(await inbox.claim(inboxDelivery('order-1'), LEASE_MS));
      proxy.cut();
      await expect(claim.finish()).rejects.toMatchObject({ name: 'PaymentsStorageError' });
      proxy.restore();
      // It could not be given back either: the end of the lease does it.
      expect((await inbox.claim(inboxDelivery('order-1'), LEASE_MS)).result).toBe('busy');
      // The server holds the row until it notices that the connection is gone.
      await database.pool.query('SELECT FROM payments_inbox FOR UPDATE');
      await database.pass(LEASE_MS);
      const next = claimed(await inbox.claim(inboxDelivery('order-1'), LEASE_MS));
      expect(next.attempt).toBe(2);
      expect(await next.finish()).toBe(true);
    });
  });

  it('reads by index, however much is stored', async () => {
    await database.pool.query(`
      INSERT INTO payments_inbox SELECT 'default', 'sandbox', 'outcome', 'order-' || n, 'e', 'f',
        CASE WHEN n % 100 = 0 THEN 'open' ELSE 'done' END, n, 1, '{}', t + n * interval '1 ms', t
        FROM generate_series(1, 20000) AS n, clock_timestamp() AS t;
      INSERT INTO payments_journal (account, environment, family, reference, state, attempt, record, version, created_at,
        updated_at, attempt_at, lease_until)
      SELECT 'default', 'sandbox', 'collection', 'order-' || n, CASE WHEN n % 100 = 0 THEN 'unknown' ELSE 'settled' END, 1,
        '{}', n, t + n * interval '1 ms', t + n * interval '1 ms', t, t
      FROM generate_series(1, 20000) AS n, clock_timestamp() AS t;
      ANALYZE payments_inbox; ANALYZE payments_journal`);
    const { pool, asked } = watchedPool(database.pool);
    const { inbox, journal } = postgresStorage({ pool, schema: database.schema });
    const list = (state: 'unknown' | 'settled') =>
      journal.list({ ...SCOPE, family: 'collection' }, allBut(state), { limit: 100 });
    await inbox.claim(inboxDelivery('order-1'), LEASE_MS);
    await inbox.waitForRelease(inboxDelivery('order-1').key, 1);
    const { next } = await list('settled');
    await journal.list({ ...SCOPE, family: 'collection' }, allBut('settled'), {
      limit: 100,
      after: next ?? '',
    });
    await list('unknown');
    await journal.get(journalRecord('order-1'));
    await inbox.purge(SCOPE, 60_000);
    for (const what of ['settled', 'rejected', 'accepted-payouts'] as const) {
      await journal.purge(SCOPE, what, 60_000);
    }
    expect(asked).toHaveLength(11);
    // But for the first one, which looks at the few rows of payments_migrations.
    for (const { text } of asked.slice(1)) expect(await planOf(text)).toEqual([]);
  });

  /** What in the plan of a statement would look at more than it needs: with any values, as it is planned for all. */
  async function planOf(text: string): Promise<string[]> {
    const client = await database.pool.connect();
    await client.query(`SET plan_cache_mode = force_generic_plan; PREPARE asked AS ${text}`);
    const { rows: parameters } = await client.query<{ readonly count: string }>(
      "SELECT cardinality(parameter_types)::text AS count FROM pg_prepared_statements WHERE name = 'asked'",
    );
    const nulls = Array.from({ length: Number(parameters[0]?.count) }, () => 'NULL').join(', ');
    const { rows } = await client.query<Record<string, string>>(`EXPLAIN EXECUTE asked(${nulls})`);
    client.release(true);
    const plan = rows.flatMap((row) => Object.values(row)).join('\n');
    // What is sorted above the loop over the states are their pages only.
    const rest = plan.replace(/-> {2}Sort .*\n.*Sort Key: .*\n +(?=-> {2}Nested Loop)/, '');
    return rest.split('\n').filter((line) => /Seq Scan|Sort/.test(line));
  }
});
