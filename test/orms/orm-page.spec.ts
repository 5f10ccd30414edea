import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PrismaClient } from '#prisma';
import { PrismaPg } from '@prisma/adapter-pg';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import knexPackage, { type Knex } from 'knex';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { postgresStorage } from 'nestjs-payments/postgres';
import { paymentEvent } from 'nestjs-payments/testing';
import { type PaymentWebhookEvent } from 'nestjs-payments';
import { Pool } from 'pg';
import { DataSource, type MigrationInterface } from 'typeorm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundleCli, runCommand } from '../support/cli-process.js';
import { journalRecord } from '../support/journal-contract.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../support/payments-database.js';
import { describeWith, postgresService } from '../support/services.js';
import { fileOfOrmPage } from './page-file.js';

const FOLDER = join(process.cwd(), 'test', 'orms', 'dist', 'orm-page');
const page = readFileSync('docs/orm.md', 'utf8');

beforeAll(() => {
  mkdirSync(join(FOLDER, 'migrations'), { recursive: true });
});
afterAll(() => {
  rmSync(FOLDER, { recursive: true });
});

/** The migrations read the file with the statements from another folder. */
function fileOf<Exports>(name: string): Promise<Exports> {
  return fileOfOrmPage(name, FOLDER, (code) => code.replaceAll("'migrations/", `'${FOLDER}/migrations/`));
}

interface Handler {
  paid(event: PaymentWebhookEvent): Promise<void>;
}
type HandlerClass = new (database: unknown) => Handler;
/** The application's handle of an ORM, and how it is closed. */
type OpenHandle = (
  pool: Pool,
  schema: string,
  exported: Readonly<Record<string, unknown>>,
) => Promise<readonly [handle: unknown, close: () => Promise<unknown>]>;

const HANDLES: readonly (readonly [name: string, open: OpenHandle])[] = [
  [
    'typeorm',
    async ({ options }, _schema, { Order, Shipment }) => {
      const source = await new DataSource({
        type: 'postgres',
        url: postgresService.url,
        extra: { options: options.options },
        entities: [Order, Shipment],
      }).initialize();
      return [source, () => source.destroy()];
    },
  ],
  [
    'prisma',
    (pool, schema) =>
      Promise.resolve([
        new PrismaClient({ adapter: new PrismaPg(pool, { schema }) }),
        () => Promise.resolve(),
      ]),
  ],
  ['drizzle', (pool) => Promise.resolve([drizzle(pool), () => Promise.resolve()])],
  ['knex', (pool) => Promise.resolve([openKnex(pool), () => Promise.resolve()])],
  [
    'kysely',
    (pool) =>
      Promise.resolve([new Kysely({ dialect: new PostgresDialect({ pool }) }), () => Promise.resolve()]),
  ],
];

const success = (reference: string, amount = '1180.50'): PaymentWebhookEvent =>
  paymentEvent('payment.success', { reference, amount });

function openKnex(pool: Pool): Knex {
  return knexPackage.knex({ client: 'pg', connectionPool: pool });
}

describeWith([postgresService], 'the handler of docs/orm.md', () => {
  let database: PaymentsDatabase;
  let pool: Pool;

  beforeEach(async () => {
    database = await openPaymentsDatabase(postgresService.url);
    // The class of the pg that the ORMs have: Prisma asks for it.
    pool = new Pool({ ...database.pool.options, max: 10 });
    await pool.query(`CREATE TABLE orders (reference text PRIMARY KEY, amount numeric(15, 2) NOT NULL, status text NOT NULL);
      CREATE TABLE shipments (id serial, reference text NOT NULL);
      INSERT INTO orders VALUES ('order-1', 1180.50, 'waiting'), ('order-2', 1180.50, 'waiting')`);
  });
  afterEach(async () => {
    await pool.end();
    await database.close();
  });

  const stored = async (): Promise<unknown> => {
    const { rows } = await pool.query<object>(
      `SELECT reference, status, (SELECT count(*)::int FROM shipments WHERE shipments.reference = orders.reference) AS shipped
       FROM orders ORDER BY 1`,
    );
    return rows;
  };

  it.each(HANDLES)('for %s bears a second run, also at the same time', async (name, open) => {
    const exported = await fileOf<Readonly<Record<string, unknown>>>(`orders.${name}.ts`);
    const [handle, close] = await open(pool, database.schema, exported);
    const Orders = exported['Orders'] as HandlerClass;
    const orders = new Orders(handle);
    const event = success('order-1');
    try {
      await Promise.all([1, 2, 3, 4, 5].map(() => orders.paid(event)));
      await orders.paid(event);
      expect(await stored()).toEqual([
        { reference: 'order-1', status: 'paid', shipped: 1 },
        { reference: 'order-2', status: 'waiting', shipped: 0 },
      ]);
      // The process dies between the two writes: both are undone, and the next run is the first again.
      await pool.query('ALTER TABLE shipments ADD CONSTRAINT broken CHECK (id < 0) NOT VALID');
      const second = success('order-2');
      await expect(orders.paid(second)).rejects.toThrow();
      await pool.query('ALTER TABLE shipments DROP CONSTRAINT broken');
      await orders.paid(second);
      expect(await stored()).toEqual([
        { reference: 'order-1', status: 'paid', shipped: 1 },
        { reference: 'order-2', status: 'paid', shipped: 1 },
      ]);
    } finally {
      await close();
    }
  });

  it.each(HANDLES)('for %s throws at an amount that is not that of the order', async (name, open) => {
    const exported = await fileOf<Readonly<Record<string, unknown>>>(`orders.${name}.ts`);
    const [handle, close] = await open(pool, database.schema, exported);
    const orders = new (exported['Orders'] as HandlerClass)(handle);
    try {
      await expect(orders.paid(success('order-1', '10.00'))).rejects.toThrow();
      await orders.paid(success('order-2'));
      await expect(orders.paid(success('order-2', '10.00'))).rejects.toThrow();
      expect(await stored()).toEqual([
        { reference: 'order-1', status: 'waiting', shipped: 0 },
        { reference: 'order-2', status: 'paid', shipped: 1 },
      ]);
    } finally {
      await close();
    }
  });

  it.each(HANDLES)('for %s pays an order of any state, and throws if there is none', async (name, open) => {
    const exported = await fileOf<Readonly<Record<string, unknown>>>(`orders.${name}.ts`);
    const [handle, close] = await open(pool, database.schema, exported);
    const orders = new (exported['Orders'] as HandlerClass)(handle);
    try {
      await pool.query("UPDATE orders SET status = 'unknown' WHERE reference = 'order-1'");
      await pool.query("UPDATE orders SET status = 'not-paid' WHERE reference = 'order-2'");
      for (const reference of ['order-1', 'order-2']) {
        await orders.paid(success(reference));
      }
      await expect(orders.paid(success('order-3'))).rejects.toThrow();
      expect(await stored()).toEqual([
        { reference: 'order-1', status: 'paid', shipped: 1 },
        { reference: 'order-2', status: 'paid', shipped: 1 },
      ]);
    } finally {
      await close();
    }
  });
});

describeWith([postgresService], 'what migrate --sql prints, in a migration of', () => {
  const SCHEMA = 'payments';
  let database: PaymentsDatabase;
  let pool: Pool;
  let statements: string;

  beforeAll(bundleCli);
  beforeEach(async () => {
    database = await openPaymentsDatabase(postgresService.url);
    pool = new Pool({ ...database.pool.options, max: 5 });
    const { stdout } = await runCommand(['migrate', '--sql', '--dialect', 'postgres', '--schema', SCHEMA]);
    statements = stdout;
    writeFileSync(join(FOLDER, 'migrations', 'payments-8.sql'), statements);
  });
  afterEach(async () => {
    await pool.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
    await pool.end();
    await database.close();
  });

  const insert = async (): Promise<boolean> => {
    const { journal } = postgresStorage({ pool, schema: SCHEMA });
    return (await journal.insert(journalRecord('order-1'), 0)).inserted;
  };

  it('TypeORM makes tables that the storage uses, once', async () => {
    const { Payments1700000000000: Migration } =
      await fileOf<Readonly<Record<'Payments1700000000000', new () => MigrationInterface>>>(
        '1700000000000-payments.ts',
      );
    const source = await new DataSource({
      type: 'postgres',
      url: postgresService.url,
      extra: { options: pool.options.options },
      migrations: [Migration],
    }).initialize();
    expect(await source.runMigrations()).toHaveLength(1);
    expect(await source.runMigrations()).toHaveLength(0);
    await source.destroy();
    expect(await insert()).toBe(true);
  });

  it('Knex makes tables that the storage uses, once', async () => {
    const migration = await fileOf<object>('20260101000000_payments.ts');
    const migrationSource = {
      getMigrations: () => Promise.resolve(['20260101000000_payments']),
      getMigrationName: (name: string) => name,
      getMigration: () => Promise.resolve(migration),
    };
    const knex = openKnex(pool);
    for (let run = 0; run < 2; run += 1) {
      await knex.migrate.latest({ migrationSource, schemaName: database.schema });
    }
    expect(await insert()).toBe(true);
  });

  it('Kysely makes tables that the storage uses', async () => {
    const db = new Kysely<never>({ dialect: new PostgresDialect({ pool }) });
    await db.transaction().execute((trx) => sql.raw(statements).execute(trx));
    expect(await insert()).toBe(true);
  });

  it('Drizzle makes tables that the storage uses, once', async () => {
    const folder = join(FOLDER, 'drizzle');
    mkdirSync(join(folder, 'meta'), { recursive: true });
    writeFileSync(join(folder, '0000_payments.sql'), statements);
    const entries = [{ idx: 0, version: '7', when: 1, tag: '0000_payments', breakpoints: true }];
    writeFileSync(
      join(folder, 'meta', '_journal.json'),
      JSON.stringify({ version: '7', dialect: 'postgresql', entries }),
    );
    const db = drizzle(pool);
    for (let run = 0; run < 2; run += 1) {
      await migrate(db, { migrationsFolder: folder, migrationsSchema: database.schema });
    }
    expect(await insert()).toBe(true);
  });
});

describe('docs/orm.md', () => {
  it('has a handler for every ORM that the specs run', () => {
    const handlers = [...page.matchAll(/\/\/ orders\.(\w+)\.ts\n/g)].map(([, name]) => name);
    expect(handlers).toEqual(HANDLES.map(([name]) => name));
  });
});
