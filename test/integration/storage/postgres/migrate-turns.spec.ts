import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Pool, type PoolClient } from 'pg';
import { type PostgresPool, migratePayments, postgresStorage } from 'nestjs-payments/postgres';
import { eventually } from '../../../support/eventually.js';
import { createOtherDatabase, type OtherDatabase } from '../../../support/other-database.js';
import { describeWith, postgresService } from '../../../support/services.js';
import { makeSecondVersion, migrateWithWaits } from '../../../support/table-migrations.js';
import { LogLines } from '../../../support/webhook-app.js';

/** The lock of every migration in a database. */
const LOCK = 0x70_61_79_73;

describeWith([postgresService], 'a migration while another one runs', () => {
  let database: OtherDatabase;
  let pool: Pool;
  let schema: string;
  let other: PoolClient;
  let pid: string;

  beforeAll(async () => {
    database = await createOtherDatabase(postgresService.url);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    schema = `turns_${randomBytes(6).toString('hex')}`;
    pool = new Pool({ connectionString: database.url, max: 12 });
    pool.on('error', () => undefined);
    other = await pool.connect();
    other.on('error', () => undefined);
    const { rows } = await other.query<{ readonly pid: string }>('SELECT pg_backend_pid()::text AS pid');
    pid = rows[0]!.pid;
  });
  afterEach(async () => {
    other.release(true);
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await pool.end();
  });

  const versions = async (): Promise<unknown> =>
    (await pool.query(`SELECT count(*)::int AS n FROM ${schema}.payments_migrations`)).rows;
  const begin = (): Promise<unknown> => other.query(`BEGIN; SELECT pg_advisory_xact_lock(${LOCK})`);

  it('waits until it has ended, and says for whom', async () => {
    await begin();
    const told: string[] = [];
    const waiting = Array.from({ length: 5 }, (_, index) =>
      migrateWithWaits(pool, schema, { tell: (line) => told.push(`${index} ${line}`) }),
    );
    await eventually(() => {
      expect(new Set(told.map((line) => line[0])).size).toBe(5);
    });
    expect(told[0]).toMatch(
      new RegExp(
        `This migration waits for another one: process ${pid} of PostgreSQL, since 20\\S+Z\\. If what started it is gone, ` +
          `end it with SELECT pg_terminate_backend\\(${pid}\\)\\.$`,
      ),
    );
    expect((await pool.query('SELECT to_regnamespace($1) AS made', [schema])).rows).toEqual([{ made: null }]);
    await other.query('COMMIT');
    await Promise.all(waiting);
    expect(await versions()).toEqual([{ n: 8 }]);
  });

  it('writes into the log what a boot waits for, and what the command does not print', async () => {
    const log = new LogLines();
    Logger.overrideLogger(log);
    try {
      await begin();
      const boots = [1, 2, 3].map(async () => postgresStorage({ pool, schema, migrate: true }).open?.());
      await eventually(() => {
        expect(log.of('warn').filter((line) => line.includes(`process ${pid} of PostgreSQL`))).toHaveLength(
          3,
        );
      });
      await other.query('COMMIT');
      await Promise.all(boots);
    } finally {
      Logger.overrideLogger(false);
    }
    expect(await versions()).toEqual([{ n: 8 }]);
  });

  it('does not wait if the tables need nothing', async () => {
    await migratePayments(pool, { schema });
    await begin();
    await migratePayments(pool, { schema });
    await pool.query(`INSERT INTO ${schema}.payments_migrations (version, compatible_from) VALUES (99, 99)`);
    await expect(migratePayments(pool, { schema })).rejects.toThrow('holds version 99 of the tables');
  });

  it('waits for one that holds the table of the versions too', async () => {
    await makeSecondVersion(pool, schema);
    await begin();
    await other.query(`ALTER TABLE ${schema}.payments_migrations ADD COLUMN later integer`);
    const told: string[] = [];
    const waiting = migrateWithWaits(pool, schema, { pausesMs: [], tell: (line) => told.push(line) });
    await eventually(() => {
      expect(told).toHaveLength(1);
    });
    await other.query('COMMIT');
    await waiting;
    expect(await versions()).toEqual([{ n: 8 }]);
  });

  it('gets its turn after one whose process went silent in its middle', async () => {
    await makeSecondVersion(pool, schema);
    const { pool: severed, isSilent, end } = silentAfterLock(pool);
    void migrateWithWaits(severed, schema, { idleTimeout: '1s' });
    await isSilent;
    // The process that went silent never learns of it.
    await migrateWithWaits(pool, schema, { tell: () => undefined });
    expect(await versions()).toEqual([{ n: 8 }]);
    end();
  });
});

/** A pool whose connection loses its network once it has the lock: nothing comes back, and nothing arrives. */
function silentAfterLock(pool: Pool) {
  let lost: PoolClient | undefined;
  let say: () => void;
  const isSilent = new Promise<void>((resolve) => (say = resolve));
  const connect: PostgresPool['connect'] = async () => {
    const client = await pool.connect();
    client.on('error', () => undefined);
    return {
      query: async (text, values) => {
        const result = await client.query(text, values);
        const [row] = result.rows as [{ readonly is_taken?: string }?];
        if (row?.is_taken !== 'true') return result;
        lost = client;
        say();
        return new Promise(() => undefined);
      },
      release: (destroy) => {
        client.release(destroy);
      },
      on: () => undefined,
      removeListener: () => undefined,
    };
  };
  return { pool: { connect }, isSilent, end: () => lost?.release(true) };
}
