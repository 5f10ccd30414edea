import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import { migratePayments, postgresStorage } from 'nestjs-payments/postgres';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';
import { journalRecord, storedBy } from '../../../support/journal-contract.js';
import { createOtherDatabase } from '../../../support/other-database.js';
import { PAYMENTS_TABLES } from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';

/** Every version that this package knows. */
const ALL = [1, 2, 3, 4, 5, 6, 7, 8];
const OWN = ALL.length;
/** The lock of every migration in a database. */
const ADVISORY_LOCK = 0x70_61_79_73;
/** What tables of version 99 say of who may use them. */
const NEWER = (compatibleFrom: number): string =>
  `INSERT INTO payments_migrations (version, compatible_from) VALUES (99, ${compatibleFrom})`;

describeWith([postgresService], 'migratePayments()', () => {
  let pool: Pool;
  let schema: string;

  beforeEach(() => {
    schema = `a "quoted" schema; ${randomBytes(6).toString('hex')}`;
    pool = new Pool({ connectionString: postgresService.url, max: 20 });
  });
  afterEach(async () => {
    await pool.query(`DROP SCHEMA IF EXISTS ${quoted(schema)} CASCADE`);
    await pool.end();
  });

  const versions = async (): Promise<number[]> => {
    const { rows } = await pool.query<{ readonly version: number }>(
      `SELECT version FROM ${quoted(schema)}.payments_migrations ORDER BY version`,
    );
    return rows.map(({ version }) => version);
  };

  it('makes the tables once if twenty replicas start at the same time', async () => {
    await Promise.all(Array.from({ length: 20 }, () => migratePayments(pool, { schema })));
    expect(await versions()).toEqual(ALL);
    const { rows } = await pool.query<{ readonly table_name: string }>(
      'SELECT table_name FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1',
      [schema],
    );
    const tables = [...PAYMENTS_TABLES, 'payments_migrations'].sort();
    expect(rows.map(({ table_name }) => table_name)).toEqual(tables);
    expect(pool.idleCount).toBe(pool.totalCount);
  });

  it('makes no column that may be empty but those that say what may be unknown', async () => {
    await migratePayments(pool, { schema });
    const { rows } = await pool.query(
      "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = $1 AND is_nullable = 'YES'",
      [schema],
    );
    expect(rows).toEqual(
      expect.arrayContaining([
        { table_name: 'payments_batches', column_name: 'digest' },
        { table_name: 'payments_inbox', column_name: 'provider_reference' },
        { table_name: 'payments_migrations', column_name: 'compatible_from' },
        { table_name: 'payments_tombstones', column_name: 'settled_by' },
      ]),
    );
    expect(rows).toHaveLength(4);
  });

  it('keeps what is stored', async () => {
    await migratePayments(pool, { schema });
    const { inbox } = postgresStorage({ pool, schema });
    await claimed(await inbox.claim(inboxDelivery('order-1'), 60_000)).finish();
    await migratePayments(pool, { schema });
    expect(await versions()).toEqual(ALL);
    expect(await inbox.claim(inboxDelivery('order-1'), 60_000)).toEqual({ result: 'done' });
  });

  const change = async (statement: string): Promise<void> => {
    const client = await pool.connect();
    await client.query(`SET search_path = ${quoted(schema)}; ${statement}`);
    client.release(true);
  };

  it.each([
    [
      'that do not say who may use them',
      'INSERT INTO payments_migrations (version) VALUES (99)',
      /version 99 .*does not name an older version.* knows \d+ at most: deploy/,
    ],
    [
      'of before there was a place to say so',
      `ALTER TABLE payments_migrations DROP COLUMN compatible_from;
       INSERT INTO payments_migrations (version) VALUES (99)`,
      /version 99 .*does not name an older version.* knows \d+ at most: deploy/,
    ],
    [
      'that this version would misread',
      NEWER(OWN + 1),
      new RegExp(`version 99 .*can be used from version ${OWN + 1} on, .* knows ${OWN} at most: deploy`),
    ],
  ])('refuses newer tables %s, and changes nothing', async (_, statement, says) => {
    await migratePayments(pool, { schema });
    await change(statement);
    await expect(migratePayments(pool, { schema })).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      message: expect.stringMatching(says) as unknown,
    });
    expect(await versions()).toEqual([...ALL, 99]);
    await refusesItsFirstUse(says);
  });

  it('leaves newer tables as they are that this version may use: a replica restarts while a newer one is deployed', async () => {
    await migratePayments(pool, { schema });
    await change(NEWER(OWN));
    await migratePayments(pool, { schema });
    expect(await versions()).toEqual([...ALL, 99]);
    const { journal, inbox } = postgresStorage({ pool, schema, transactional: true });
    expect((await journal.insert(journalRecord('order-1'), 0)).inserted).toBe(true);
    await claimed(await inbox.claim(inboxDelivery('order-1'), 60_000)).finish();
  });

  it('writes down with each version who may use the tables', async () => {
    await migratePayments(pool, { schema });
    const { rows } = await pool.query(
      `SELECT version, compatible_from FROM ${quoted(schema)}.payments_migrations ORDER BY version DESC LIMIT 1`,
    );
    expect(rows).toEqual([{ version: OWN, compatible_from: expect.any(Number) as unknown }]);
  });

  it('must have made the tables that a storage uses: older ones are refused at its first use', async () => {
    await migratePayments(pool, { schema });
    await change('DELETE FROM payments_migrations WHERE version > 1');
    await refusesItsFirstUse(/version 1 .*: call migratePayments/);
  });

  /** Until the tables are right: what was refused is asked again at the next use. */
  const refusesItsFirstUse = async (says: RegExp): Promise<void> => {
    const storage = postgresStorage({ pool, schema, transactional: true });
    const refused = { name: 'PaymentsStorageError', message: expect.stringMatching(says) as unknown };
    await expect(storage.journal.insert(journalRecord('order-1'), 0)).rejects.toMatchObject(refused);
    await expect(storage.inbox.claim(inboxDelivery('order-1'), 60_000)).rejects.toMatchObject(refused);
    const { rows } = await pool.query(`SELECT FROM ${quoted(schema)}.payments_journal`);
    expect(rows).toHaveLength(0);
    await change(
      `DELETE FROM payments_migrations; INSERT INTO payments_migrations (version) VALUES (${OWN})`,
    );
    expect((await storage.journal.insert(journalRecord('order-1'), 0)).inserted).toBe(true);
    expect(pool.idleCount).toBe(pool.totalCount);
  };

  it('needs no right to create anything if everything is there', async () => {
    await migratePayments(pool, { schema });
    const role = `payments_${randomBytes(6).toString('hex')}`;
    await pool.query(`CREATE ROLE ${role}; GRANT USAGE ON SCHEMA ${quoted(schema)} TO ${role};
      GRANT SELECT ON ${quoted(schema)}.payments_migrations TO ${role}`);
    const restricted = new Pool({ connectionString: postgresService.url, options: `-c role=${role}` });
    await migratePayments(restricted, { schema });
    const missing = `${schema} missing`;
    await expect(migratePayments(restricted, { schema: missing })).rejects.toMatchObject({ code: '42501' });
    await restricted.end();
    await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  it('makes the sequences again that a dump of the tables by their names leaves out, beyond all numbers', async () => {
    await migratePayments(pool, { schema });
    const { batches, inbox, journal } = postgresStorage({ pool, schema });
    const scope = { account: 'default', environment: 'sandbox' } as const;
    const batch = { ...scope, batch: 'march', state: 'loading', load: 'l', details: '{}' } as const;
    const before = storedBy(await journal.insert(journalRecord('order-1'), 0));
    const { stored } = await batches!.create(batch, { action: 'create', by: 'asha', details: '{}' });
    await claimed(await inbox.claim(inboxDelivery('order-1'), 60_000)).finish();
    await change('DROP SEQUENCE payments_journal_version; DROP SEQUENCE payments_inbox_fence');
    await expect(journal.insert(journalRecord('order-2'), 0)).rejects.toThrow(
      'Tables or sequences of nestjs-payments are missing',
    );
    await migratePayments(pool, { schema });
    expect(storedBy(await journal.insert(journalRecord('order-2'), 0)).version).toBeGreaterThan(
      Math.max(before.version, stored.version),
    );
    await claimed(await inbox.claim(inboxDelivery('order-2'), 60_000)).finish();
    const { rows } = await pool.query(
      `SELECT reference FROM ${quoted(schema)}.payments_inbox ORDER BY fence`,
    );
    expect(rows).toEqual([{ reference: 'order-1' }, { reference: 'order-2' }]);
  });

  it('makes lost sequences once another migration has ended', async () => {
    await migratePayments(pool, { schema });
    await change('DROP SEQUENCE payments_journal_version; DROP SEQUENCE payments_inbox_fence');
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const other = await pool.connect();
    await other.query(`BEGIN; SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`);
    const migrated = migratePayments(pool, { schema });
    await expect.poll(() => warn.mock.calls.flat().join('\n')).toContain('waits for another one');
    await other.query('COMMIT');
    other.release();
    await migrated;
    warn.mockRestore();
    const { journal } = postgresStorage({ pool, schema });
    expect(storedBy(await journal.insert(journalRecord('order-1'), 0)).version).toBeGreaterThan(0);
  });

  it('says that the database cannot store every text, before it makes anything', async () => {
    const other = await createOtherDatabase(
      postgresService.url,
      "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
    );
    const latin = new Pool({ connectionString: other.url });
    const refused = {
      name: 'PaymentsStorageError',
      message: expect.stringContaining('The database has the encoding LATIN1') as unknown,
    };
    try {
      await expect(migratePayments(latin, { schema })).rejects.toMatchObject(refused);
      expect((await latin.query('SELECT to_regnamespace($1)::text AS made', [quoted(schema)])).rows).toEqual([
        { made: null },
      ]);
      // Tables that an earlier version has made.
      await latin.query(`CREATE SCHEMA latin;
      CREATE TABLE latin.payments_migrations (version integer, compatible_from integer);
      INSERT INTO latin.payments_migrations VALUES (${OWN}, ${OWN})`);
      const { journal } = postgresStorage({ pool: latin, schema: 'latin' });
      await expect(journal.insert(journalRecord('order-1'), 0)).rejects.toMatchObject(refused);
    } finally {
      await latin.end();
      await other.drop();
    }
  });

  it('leaves nothing half done if it fails, and can be called again', async () => {
    await pool.query(`CREATE SCHEMA ${quoted(schema)}; CREATE TABLE ${quoted(schema)}.payments_journal ()`);
    await expect(migratePayments(pool, { schema })).rejects.toMatchObject({ code: '42P07' });
    const { rows } = await pool.query('SELECT FROM information_schema.tables WHERE table_schema = $1', [
      schema,
    ]);
    expect(rows).toHaveLength(1);
    await pool.query(`DROP TABLE ${quoted(schema)}.payments_journal`);
    await migratePayments(pool, { schema });
    expect(await versions()).toEqual(ALL);
  });
});

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
