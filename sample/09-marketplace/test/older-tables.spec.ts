import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client } from 'pg';
import { dropDatabase } from '../../../test/support/drop-database.js';
import { describeWith, postgresService } from '../../../test/support/services.js';
import { createMarketplace } from '../src/marketplace.js';
import { OrdersService } from '../src/orders/orders.service.js';

const OLDER_TABLES = `
  CREATE TABLE merchants (
    id text PRIMARY KEY, name text NOT NULL, keys text NOT NULL, disabled boolean NOT NULL DEFAULT false
  );
  CREATE TABLE orders (
    merchant text REFERENCES merchants, reference text, amount numeric(14, 2) NOT NULL, status text NOT NULL,
    PRIMARY KEY (merchant, reference)
  );
  INSERT INTO merchants (id, name, keys) VALUES ('honey', 'Honey', 'sealed');
  INSERT INTO orders (merchant, reference, amount, status) VALUES ('honey', 'order-1', 12000, 'paid');
`;

describeWith([postgresService], 'the marketplace', () => {
  const database = `marketplace_${randomBytes(6).toString('hex')}`;
  const url = Object.assign(new URL(postgresService.url), { pathname: database }).href;
  const run = async (connectionString: string, statements: string): Promise<void> => {
    const client = new Client({ connectionString });
    await client.connect();
    await client.query(statements);
    await client.end();
  };

  beforeAll(async () => {
    await run(postgresService.url, `CREATE DATABASE ${database}`);
    await run(url, OLDER_TABLES);
    Object.assign(process.env, {
      DATABASE_URL: url,
      PAYMENTS_BASE_URL: 'http://127.0.0.1:1/api/v1',
      ADMIN_KEY: 'the-key-of-the-office-of-this-test',
      KEY_OF_KEYS: Buffer.alloc(32, 7).toString('base64'),
    });
  });
  afterAll(() => dropDatabase(postgresService.url, database));

  it('keeps the orders of an older one, which did not write down their products', async () => {
    const marketplace = await createMarketplace({ logger: false, abortOnError: false });
    await marketplace.init();
    const orders = marketplace.get(OrdersService);
    expect(await orders.find('honey', 'order-1')).toMatchObject({ product: '', status: 'paid' });
    await marketplace.close();
  });
});
