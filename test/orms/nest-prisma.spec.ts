import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type INestApplication, Logger, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { type PaymentEventData, paymentsConfig, PaymentsInbox } from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { Pool } from 'pg';
import { deliverEvent } from '../support/deliver-event.js';
import { dropDatabase } from '../support/drop-database.js';
import { startSandbox } from '../support/sandbox.js';
import { describeWith, postgresService } from '../support/services.js';
import { WebhooksController } from '../support/webhooks.controller.js';

const FOLDER = join(process.cwd(), 'test', 'orms', 'dist', 'nest-prisma');

/** The module of docs/orm.md. */
async function shopModule(): Promise<Type> {
  const [, code] =
    /```ts\n(\/\/ shop\.prisma\.ts\n[\s\S]*?)```/.exec(readFileSync('docs/orm.md', 'utf8')) ?? [];
  const file = join(FOLDER, 'shop.prisma.ts');
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, code!);
  return ((await import(pathToFileURL(file).href)) as { readonly ShopModule: Type }).ShopModule;
}

describeWith([postgresService], 'the Nest application with Prisma in docs/orm.md', () => {
  const name = `prisma_${randomBytes(6).toString('hex')}`;
  let server: Pool;
  let pool: Pool;
  let sandbox: PaymentsSandbox;
  let app: INestApplication;

  beforeEach(async () => {
    vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    server = new Pool({ connectionString: postgresService.url, max: 1 });
    await server.query(`CREATE DATABASE ${name}`);
    const url = new URL(postgresService.url);
    url.pathname = `/${name}`;
    vi.stubEnv('DATABASE_URL', url.href);
    pool = new Pool({ connectionString: url.href });
    await pool.query(`CREATE TABLE orders (reference text PRIMARY KEY, amount numeric(15, 2) NOT NULL, status text NOT NULL);
      CREATE TABLE shipments (id serial PRIMARY KEY, reference text NOT NULL);
      INSERT INTO orders VALUES ('order-1', 1180.50, 'waiting')`);
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    const module = await Test.createTestingModule({
      imports: [await shopModule()],
      controllers: [WebhooksController],
    })
      .overrideProvider(paymentsConfig.KEY)
      .useValue(sandbox.moduleOptions())
      .compile();
    app = module.createNestApplication({ logger: false });
    await app.listen(0, '127.0.0.1');
  });
  afterEach(async () => {
    await app.close();
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    await pool.end();
    await server.end();
    await dropDatabase(postgresService.url, name);
    rmSync(FOLDER, { recursive: true });
  });

  const deliver = async (data: Partial<PaymentEventData> = {}): Promise<number> =>
    deliverEvent({ webhookUrl: `${await app.getUrl()}/webhooks/payments` }, sandbox, 'order-1', data);
  const stored = async (): Promise<unknown> => {
    const { rows } = await pool.query<object>(
      'SELECT status, (SELECT count(*)::int FROM shipments) AS shipped FROM orders',
    );
    return rows;
  };

  it('makes its tables, and writes once, whatever fails after the first write', async () => {
    await pool.query('ALTER TABLE shipments ADD CONSTRAINT broken CHECK (id < 0) NOT VALID');
    expect([await deliver(), await deliver()]).toEqual([500, 500]);
    expect(await stored()).toEqual([{ status: 'waiting', shipped: 0 }]);
    await pool.query('ALTER TABLE shipments DROP CONSTRAINT broken');
    expect([await deliver(), await deliver()]).toEqual([200, 200]);
    expect(await stored()).toEqual([{ status: 'paid', shipped: 1 }]);
  });

  it('ships once, although a second charge of the order is released', async () => {
    expect(await deliver()).toBe(200);
    expect(await deliver({ provider_reference: 'another charge' })).toBe(200);
    const inbox = app.get(PaymentsInbox);
    const [conflict] = await inbox.conflicts();
    expect(conflict).toMatchObject({ kind: 'conflict', reference: 'order-1' });
    await inbox.release(conflict!.id);
    expect(await inbox.conflicts()).toEqual([]);
    expect(await stored()).toEqual([{ status: 'paid', shipped: 1 }]);
  });

  it('pays no order of another amount', async () => {
    await pool.query('UPDATE orders SET amount = 2000');
    expect(await deliver()).toBe(500);
    expect(await stored()).toEqual([{ status: 'waiting', shipped: 0 }]);
  });
});
