import { afterEach, beforeEach, expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { Pool } from 'pg';
import { type INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { CollectionsService, PaymentsModule, type PaymentsStorage } from 'nestjs-payments';
import { migratePayments, postgresStorage } from 'nestjs-payments/postgres';
import { collectionRequest } from '../../../support/gateway-answers.js';
import { startSandbox } from '../../../support/sandbox.js';
import { describeWith, postgresService } from '../../../support/services.js';
import { LogLines } from '../../../support/webhook-app.js';

describeWith([postgresService], 'an application with postgresStorage({ pool, migrate: true })', () => {
  let pool: Pool;
  let schema: string;

  beforeEach(() => {
    schema = `boot_${randomBytes(6).toString('hex')}`;
    pool = new Pool({ connectionString: postgresService.url, max: 5 });
  });
  afterEach(async () => {
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await pool.end();
  });

  async function boot(storage: PaymentsStorage): Promise<INestApplicationContext> {
    const sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    const options = { ...sandbox.moduleOptions(), storage };
    const module = await Test.createTestingModule({
      imports: [PaymentsModule.forRoot(options), PaymentsModule.forRoot({ ...options, name: 'payouts' })],
    })
      .setLogger(new LogLines())
      .compile();
    return module.init();
  }
  const versions = async (): Promise<unknown> =>
    (await pool.query(`SELECT count(*)::int AS n FROM ${schema}.payments_migrations`)).rows;

  it('has its tables when it has started, also if replicas start at the same time', async () => {
    const replicas = await Promise.all(
      [1, 2, 3].map(() => boot(postgresStorage({ pool, schema, migrate: true }))),
    );
    expect(await versions()).toEqual([{ n: 8 }]);
    const { status } = await replicas[0]!.get(CollectionsService).mobileMoney(collectionRequest);
    expect(status).toBe('pending');
    for (const replica of replicas) await replica.close();
  });

  it('does not start on tables of a newer version that it may not use, nor without the right to make them', async () => {
    await migratePayments(pool, { schema });
    await pool.query(`INSERT INTO ${schema}.payments_migrations (version, compatible_from) VALUES (99, 99)`);
    await expect(boot(postgresStorage({ pool, schema, migrate: true }))).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      message: expect.stringContaining('version 99 of the tables') as unknown,
    });
    const role = `payments_${randomBytes(6).toString('hex')}`;
    await pool.query(`CREATE ROLE ${role}`);
    const restricted = new Pool({ connectionString: postgresService.url, options: `-c role=${role}` });
    const storage = postgresStorage({ pool: restricted, schema: `${schema}_2`, migrate: true });
    await expect(boot(storage)).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      message: expect.stringMatching(
        /postgresStorage\(\{ pool, migrate: true \}\) could not make its tables: \w+ \(42501\)\. See that/,
      ) as unknown,
    });
    await restricted.end();
    await pool.query(`DROP ROLE ${role}`);
  });

  it('does not start without a database, and shows nothing of its address', async () => {
    const away = new Pool({ connectionString: 'postgres://shop:canary@127.0.0.1:1/canary' });
    const failed: unknown = await boot(postgresStorage({ pool: away, migrate: true })).catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({
      name: 'PaymentsStorageError',
      message: expect.stringContaining(
        'could not make its tables: Error (ECONNREFUSED). See that',
      ) as unknown,
    });
    expect(inspect(failed, { depth: 20, showHidden: true })).not.toContain('canary');
    await away.end();
  });

  it('makes nothing without the option, and asks the database for nothing at boot', async () => {
    const app = await boot(postgresStorage({ pool, schema }));
    expect(pool.totalCount).toBe(0);
    await app.close();
    expect((await pool.query('SELECT to_regnamespace($1) AS made', [schema])).rows).toEqual([{ made: null }]);
  });
});
