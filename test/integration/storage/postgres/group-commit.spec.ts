import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Pool as PgPool, type PoolClient, type PoolConfig } from 'pg';
import { type PaymentsStorage } from 'nestjs-payments';
import { postgresStorage, type PostgresStorageOptions } from 'nestjs-payments/postgres';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';
import { journalRecord, storedBy } from '../../../support/journal-contract.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';
import { storageContracts } from '../../../support/storage-contracts.js';

const LEASE_MS = 60_000;
/** So often a statement is asked before it is prepared. */
const BEFORE = 21;
/** More than a group holds. */
const PAYMENTS = 40;

let database: PaymentsDatabase;
/** So that no two of them are the same. */
let named = 0;

/** A storage whose statements are prepared, so that they may share a commit. */
async function warmStorage(
  pool: PgPool,
  options: Partial<PostgresStorageOptions> = {},
): Promise<PaymentsStorage> {
  const storage = postgresStorage({ pool, schema: database.schema, preparedStatements: true, ...options });
  const { journal, inbox } = storage;
  for (let times = 0; times < BEFORE; times += 1) {
    const name = `warm-${(named += 1)}`;
    const record = journalRecord(name);
    const { version } = storedBy(await journal.insert(record, LEASE_MS));
    const next = await journal.replace(version, { ...record, state: 'accepted' }, 0);
    await journal.get(record);
    await journal.tombstone(record);
    await journal.remove(record, next?.version ?? 0);
    const claim = claimed(await inbox.claim(inboxDelivery(name), LEASE_MS));
    await claim.mark('handler');
    await claim.finish();
    const failed = claimed(await inbox.claim(inboxDelivery(`${name}-fails`), LEASE_MS));
    await failed.fail();
    const withdrawn = claimed(await inbox.claim(inboxDelivery(`${name}-goes`), LEASE_MS));
    await withdrawn.withdraw();
  }
  return storage;
}

function records(prefix: string, count = PAYMENTS): readonly ReturnType<typeof journalRecord>[] {
  return Array.from({ length: count }, (_, index) => journalRecord(`${prefix}-${index}`));
}

function isBatch(query: unknown): query is { callback: (...ended: readonly unknown[]) => unknown } {
  return typeof query === 'object' && query !== null && 'submit' in query;
}

/** How many transactions wrote the payments whose references begin so. */
async function transactionsOf(
  prefix: string,
): Promise<{ readonly rows: number; readonly transactions: number }> {
  const { rows } = await database.pool.query<{ readonly rows: number; readonly transactions: number }>(
    'SELECT count(*)::integer AS rows, count(DISTINCT xmin::text)::integer AS transactions FROM payments_journal WHERE reference LIKE $1',
    [`${prefix}-%`],
  );
  return rows[0]!;
}

describeWith(
  [postgresService],
  'operations of postgresStorage() that wait for a connection at the same time',
  () => {
    beforeAll(async () => {
      database = await openPaymentsDatabase(postgresService.url);
    });
    beforeEach(() => database.clear());
    afterAll(() => database.close());

    const open = (
      config: PoolConfig = {},
      options?: Partial<PostgresStorageOptions>,
    ): Promise<PaymentsStorage> => warmStorage(database.connect({ max: 1, ...config }), options);

    it('share a commit, at most 32 of them, and each has its own result', async () => {
      const { journal } = await open();
      const written = await Promise.all(records('a').map((record) => journal.insert(record, LEASE_MS)));
      expect(written.map(({ inserted }) => inserted)).toEqual(Array(PAYMENTS).fill(true));
      expect(written.map((one) => storedBy(one).record)).toEqual(records('a'));
      expect(await transactionsOf('a')).toEqual({ rows: PAYMENTS, transactions: 2 });
      const found = await Promise.all(records('a').map((record) => journal.get(record)));
      expect(found.map((stored) => stored?.record.reference)).toEqual(
        records('a').map(({ reference }) => reference),
      );
    });

    it('run by themselves if they come one after the other', async () => {
      const { journal } = await open();
      for (const record of records('b', 3)) await journal.insert(record, LEASE_MS);
      expect(await transactionsOf('b')).toEqual({ rows: 3, transactions: 3 });
    });

    it.each([
      ['the application prepares no statements', {}, { preparedStatements: false }],
      ['its clients send without waiting', { pipeline: true }, {}],
    ])('run by themselves if %s', async (_, config, options) => {
      const { journal } = await open(config, options);
      await Promise.all(records('c').map((record) => journal.insert(record, LEASE_MS)));
      expect(await transactionsOf('c')).toEqual({ rows: PAYMENTS, transactions: PAYMENTS });
    });

    it('keep every text as it is', async () => {
      const { inbox } = await open();
      const texts = ['"', '\\', '{a,b}', "'", 'NULL', ' ', 'é€😀', '$1', '\n'];
      const deliveries = texts.map((text, index) => ({
        ...inboxDelivery(`text-${index}`),
        event: text,
        replaces: [text, 'another'],
        providerReference: text,
      }));
      const claims = await Promise.all(deliveries.map((delivery) => inbox.claim(delivery, LEASE_MS)));
      await Promise.all(claims.map((claim, index) => claimed(claim).mark(texts[index]!)));
      await Promise.all(claims.map((claim) => claimed(claim).fail()));
      const again = await Promise.all(deliveries.map((delivery) => inbox.claim(delivery, LEASE_MS)));
      expect(again.map((claim) => [...claimed(claim).finished])).toEqual(texts.map((text) => [text]));
      const { rows } = await database.pool.query<{ readonly text: string }>(
        "SELECT provider_reference AS text FROM payments_inbox WHERE reference LIKE 'text-%' ORDER BY reference",
      );
      expect(rows.map(({ text }) => text)).toEqual(texts);
    });

    it('are one insertion and one finding if they are of the same payment', async () => {
      const { journal } = await open();
      const both = await Promise.all([1, 2].map(() => journal.insert(journalRecord('d-1'), LEASE_MS)));
      expect(both.map(({ inserted }) => inserted)).toEqual([true, false]);
      const { version, record } = storedBy(both[0]!);
      const changed = await Promise.all([1, 2].map(() => journal.replace(version, record, LEASE_MS)));
      expect(changed.filter(Boolean)).toHaveLength(1);
    });

    it('are one claim if they are of the same webhook', async () => {
      const { inbox } = await open();
      const both = await Promise.all([1, 2].map(() => inbox.claim(inboxDelivery('d-2'), LEASE_MS)));
      expect(both.map(({ result }) => result).sort()).toEqual(['busy', 'claimed']);
    });

    it('are done once each if one of them fails, which alone has the error', async () => {
      const { journal } = await open();
      const stored = storedBy(await journal.insert(journalRecord('e-0'), LEASE_MS));
      const wrong = journal.replace(NaN, stored.record, LEASE_MS);
      const [failed, ...done] = await Promise.allSettled([
        wrong,
        ...records('f').map((record) => journal.insert(record, LEASE_MS)),
      ]);
      expect(failed).toMatchObject({ status: 'rejected', reason: { name: 'PaymentsStorageError' } });
      expect(done.every((one) => one.status === 'fulfilled' && one.value.inserted)).toBe(true);
      expect(await transactionsOf('f')).toMatchObject({ rows: PAYMENTS });
    });

    it('do not wait for the one that waits for a lock', async () => {
      const { journal } = await open({ max: 3 });
      const locked = storedBy(await journal.insert(journalRecord('g-0'), LEASE_MS));
      const other: PoolClient = await database.pool.connect();
      await other.query("BEGIN; UPDATE payments_journal SET state = state WHERE reference = 'g-0'");
      let isDone = false;
      const waiting = journal
        .replace(locked.version, { ...locked.record, state: 'accepted' }, 0)
        .finally(() => {
          isDone = true;
        });
      await Promise.all(records('h', 10).map((record) => journal.insert(record, LEASE_MS)));
      expect(isDone).toBe(false);
      await other.query('COMMIT');
      other.release();
      expect((await waiting)?.record.state).toBe('accepted');
    });

    it('do not wait for a claim that waits for a lock', async () => {
      const { journal, inbox } = await open({ max: 3 });
      const claim = claimed(await inbox.claim(inboxDelivery('n-0'), LEASE_MS));
      const other: PoolClient = await database.pool.connect();
      await other.query("BEGIN; UPDATE payments_inbox SET state = state WHERE reference = 'n-0'");
      // First, so that no statement before it has set the time limit of the lock.
      const withdrawing = claim.withdraw();
      await Promise.all(records('o', 10).map((record) => journal.insert(record, LEASE_MS)));
      await other.query('COMMIT');
      other.release();
      await withdrawing;
      expect((await inbox.claim(inboxDelivery('n-0'), LEASE_MS)).result).toBe('claimed');
    });

    it('do not wait for one that waits for the lock of another table', async () => {
      const { journal, inbox } = await open({ max: 3 });
      const other: PoolClient = await database.pool.connect();
      await other.query('BEGIN; LOCK payments_journal');
      const reading = journal.get(journalRecord('s-0'));
      const claims = await Promise.all([1, 2].map((one) => inbox.claim(inboxDelivery(`s-${one}`), LEASE_MS)));
      await other.query('COMMIT');
      other.release();
      expect(claims.map(({ result }) => result)).toEqual(['claimed', 'claimed']);
      expect(await reading).toBeUndefined();
    });

    it('are done once each if a trigger of the application refuses one', async () => {
      const { journal } = await open();
      await database.pool.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON payments_journal FOR EACH ROW
        WHEN (NEW.reference = 'p-7') EXECUTE FUNCTION refuse()`);
      const all = await Promise.allSettled(
        records('p', 10).map((record) => journal.insert(record, LEASE_MS)),
      );
      await database.pool.query('DROP FUNCTION refuse CASCADE');
      expect(all.map(({ status }) => status === 'fulfilled')).toEqual(
        records('p', 10).map(({ reference }) => reference !== 'p-7'),
      );
    });

    it('share a commit while a tracer wraps what its client runs, and leave no timer of query_timeout', async () => {
      const pool = database.connect({ max: 1, query_timeout: 60_000 });
      const spans: unknown[] = [];
      pool.on('connect', (client) => {
        const traced = client as unknown as { query(...given: readonly unknown[]): unknown };
        const { query } = traced;
        traced.query = (...given) => {
          const result = Reflect.apply(query, traced, given);
          // As Datadog does: a query without a callback is an emitter or a promise.
          const ended = given[0];
          if (!isBatch(ended)) return result;
          const { callback } = ended;
          ended.callback = (...end) => {
            spans.push(end[0]);
            return callback(...end);
          };
          return result;
        };
      });
      const { journal } = await warmStorage(pool);
      const timers = (): number =>
        process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
      const before = timers();
      await Promise.all(records('q').map((record) => journal.insert(record, LEASE_MS)));
      expect(await transactionsOf('q')).toEqual({ rows: PAYMENTS, transactions: 2 });
      expect(spans).toEqual([undefined, undefined]);
      // Other specs of the process have timers, too, which end sooner.
      await expect.poll(timers).toBeLessThanOrEqual(before);
    });

    it('share a commit while a logger reads the text and the name of what its client runs', async () => {
      const pool = database.connect({ max: 1 });
      const logged: string[] = [];
      pool.on('connect', (client) => {
        const query = client.query.bind(client) as (...given: readonly unknown[]) => unknown;
        const logging = (...given: readonly [string | { readonly name?: string; readonly text: string }]) => {
          const [asked] = given;
          logged.push(typeof asked === 'string' ? asked.trim() : `${asked.name ?? ''}: ${asked.text.trim()}`);
          return query(...given);
        };
        Object.assign(client, { query: logging });
      });
      const { journal } = await warmStorage(pool);
      logged.length = 0;
      await Promise.all(records('l').map((record) => journal.insert(record, LEASE_MS)));
      expect(await transactionsOf('l')).toEqual({ rows: PAYMENTS, transactions: 2 });
      expect(logged).toHaveLength(2);
      for (const line of logged)
        expect(line).toMatch(/^payments_shared: SELECT set_config[^]*;\nWITH [^]*INSERT INTO/);
    });

    it.each(['repeatable read', 'serializable'])('are done once each at the level %s', async (level) => {
      const options = `${database.options} -c default_transaction_isolation=${level.replace(' ', '\\ ')}`;
      const { journal } = await open({ max: 3, options });
      // The server may refuse some of them for their concurrency, as it refuses single statements.
      const all = await Promise.allSettled(
        [...records('r'), ...records('r')].map((record) => journal.insert(record, LEASE_MS)),
      );
      const inserted = all.flatMap((one) =>
        one.status === 'fulfilled' && one.value.inserted ? [storedBy(one.value).record.reference] : [],
      );
      const { rows } = await transactionsOf('r');
      expect([rows, inserted.length, new Set(inserted).size]).toEqual([PAYMENTS, PAYMENTS, PAYMENTS]);
    });

    it('are all in doubt if the connection breaks, and the next ones have another', async () => {
      const { journal } = await open();
      await database.pool.query(`
      CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
      CREATE TRIGGER break_off BEFORE INSERT ON payments_journal FOR EACH ROW
        WHEN (NEW.reference = 'i-7') EXECUTE FUNCTION break_off()`);
      const all = await Promise.allSettled(
        records('i', 10).map((record) => journal.insert(record, LEASE_MS)),
      );
      await database.pool.query('DROP FUNCTION break_off CASCADE');
      expect(all.map((one) => one.status === 'rejected' && (one.reason as Error).name)).toEqual(
        Array(10).fill('PaymentsStorageError'),
      );
      expect(await transactionsOf('i')).toMatchObject({ rows: 0 });
      await Promise.all(records('i', 10).map((record) => journal.insert(record, LEASE_MS)));
      expect(await transactionsOf('i')).toMatchObject({ rows: 10 });
    });

    it('are done once each if the connection has forgotten their plans', async () => {
      const pool = database.connect({ max: 1 });
      const { journal } = await warmStorage(pool);
      await Promise.all(records('j').map((record) => journal.insert(record, LEASE_MS)));
      await pool.query('DISCARD ALL');
      await pool.query(`SET search_path = "${database.schema}", pg_catalog, public`);
      const done = await Promise.all(records('k').map((record) => journal.insert(record, LEASE_MS)));
      expect(done.every(({ inserted }) => inserted)).toBe(true);
    });

    it('share what a connection has prepared, after an error, too', async () => {
      const pool = database.connect({ max: 1 });
      const { journal } = await warmStorage(pool);
      await Promise.all(records('l').map((record) => journal.insert(record, LEASE_MS)));
      const wrong = journalRecord('l-0');
      await Promise.allSettled([1, 2].map(() => journal.replace(NaN, wrong, LEASE_MS)));
      await Promise.all(records('m').map((record) => journal.insert(record, LEASE_MS)));
      expect(await transactionsOf('m')).toEqual({ rows: PAYMENTS, transactions: 2 });
    });

    describe('as a storage', () => {
      let storage: PaymentsStorage;
      beforeAll(async () => {
        storage = await open({ max: 2 });
      });
      afterEach(() => database.clear());

      storageContracts(() => ({ ...storage, pass: database.pass }));
    });
  },
);
