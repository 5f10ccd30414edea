import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import { migratePayments, postgresStorage } from '../../../lib/postgres/index.js';
import { claimed, inboxDelivery } from '../../support/inbox-contract.js';
import { describeWith, postgresService } from '../../support/services.js';

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

  it('makes the tables once where twenty replicas start at the same time', async () => {
    await Promise.all(Array.from({ length: 20 }, () => migratePayments(pool, { schema })));
    expect(await versions()).toEqual([1]);
    const { rows } = await pool.query<{ readonly table_name: string }>(
      'SELECT table_name FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1',
      [schema],
    );
    expect(rows.map(({ table_name }) => table_name)).toEqual([
      'payments_inbox',
      'payments_journal',
      'payments_migrations',
      'payments_set_aside',
    ]);
    expect(pool.idleCount).toBe(pool.totalCount);
  });

  it('keeps what is stored', async () => {
    await migratePayments(pool, { schema });
    const { inbox } = postgresStorage({ pool, schema });
    await claimed(await inbox.claim(inboxDelivery('order-1'), 60_000)).finish();
    await migratePayments(pool, { schema });
    expect(await versions()).toEqual([1]);
    expect(await inbox.claim(inboxDelivery('order-1'), 60_000)).toEqual({ result: 'done' });
  });

  it('leaves tables alone that a later version of the package has made', async () => {
    await migratePayments(pool, { schema });
    await pool.query(`INSERT INTO ${quoted(schema)}.payments_migrations (version) VALUES (99)`);
    await migratePayments(pool, { schema });
    expect(await versions()).toEqual([1, 99]);
  });

  it('needs no right to create anything where everything is there', async () => {
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

  it('leaves nothing half done where it fails, and can be called again', async () => {
    await pool.query(`CREATE SCHEMA ${quoted(schema)}; CREATE TABLE ${quoted(schema)}.payments_journal ()`);
    await expect(migratePayments(pool, { schema })).rejects.toMatchObject({ code: '42P07' });
    const { rows } = await pool.query('SELECT FROM information_schema.tables WHERE table_schema = $1', [
      schema,
    ]);
    expect(rows).toHaveLength(1);
    await pool.query(`DROP TABLE ${quoted(schema)}.payments_journal`);
    await migratePayments(pool, { schema });
    expect(await versions()).toEqual([1]);
  });
});

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
