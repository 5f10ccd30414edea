import { afterEach, beforeEach, expect, it } from 'vitest';
import { ConfigModule } from '@nestjs/config';
import { Test } from '@nestjs/testing';
import { Client, Pool } from 'pg';
import { Database } from '../../../sample/02-shop-checkout/src/database/database.js';
import { DatabaseModule as ShopCheckout } from '../../../sample/02-shop-checkout/src/database/database.module.js';
import { DatabaseModule as Payroll } from '../../../sample/04-payroll/src/database/database.module.js';
import { DatabaseModule as Marketplace } from '../../../sample/09-marketplace/src/database.module.js';
import { dropDatabase } from '../../support/drop-database.js';
import { describeWith, postgresService } from '../../support/services.js';
import { LogLines } from '../../support/webhook-app.js';

describeWith(
  [postgresService],
  'a sample whose connection PostgreSQL ends in the midst of a transaction',
  () => {
    const name = `lost_connection_${process.pid}_${Date.now()}`;
    const url = Object.assign(new URL(postgresService.url), { pathname: `/${name}` }).href;
    let server: Client;

    beforeEach(async () => {
      server = new Client({ connectionString: postgresService.url });
      await server.connect();
      await server.query(`CREATE DATABASE ${name}`);
    });
    afterEach(async () => {
      await server.end();
      await dropDatabase(postgresService.url, name);
    });

    it.each([
      ['02-shop-checkout', ShopCheckout, Database],
      ['04-payroll', Payroll, Pool],
      ['09-marketplace', Marketplace, Pool],
    ])('%s continues with another one', async (_sample, module, token) => {
      const config = ConfigModule.forRoot({
        isGlobal: true,
        ignoreEnvFile: true,
        load: [() => ({ DATABASE_URL: url })],
      });
      const testing = await Test.createTestingModule({ imports: [config, module] })
        .setLogger(new LogLines())
        .compile();
      const found = testing.get<Database | Pool>(token);
      const pool = found instanceof Database ? found.pool : found;
      const client = await pool.connect();
      await client.query('BEGIN');
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');

      // Not once() of node:events, which listens to errors, too. One that nobody hears fails the run.
      const ended = new Promise((resolve) => client.once('end', resolve));
      await server.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
      await ended;
      client.release();
      expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      await testing.close();
    });
  },
);
