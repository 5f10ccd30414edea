import { afterEach, beforeEach } from 'vitest';
import { type PoolClient } from 'pg';
import { postgresStorage } from 'nestjs-payments/postgres';
import { frozenCallContract } from '../../../support/frozen-call-contract.js';
import { borrowPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';

describeWith(
  [postgresService],
  'a payment that is enlisted in PostgreSQL while a call of it is frozen',
  () => {
    let database: PaymentsDatabase;
    let client: PoolClient;

    beforeEach(async () => {
      database = await borrowPaymentsDatabase(postgresService.url);
      client = await database.connect().connect();
    });
    afterEach(async () => {
      client.release(true);
      await database.close();
    });

    frozenCallContract(() => ({
      storage: postgresStorage({ pool: database.pool, schema: database.schema }),
      begin: async () => {
        await client.query('BEGIN');
        return {
          handle: client,
          commit: () => client.query('COMMIT'),
          rollback: () => client.query('ROLLBACK'),
        };
      },
      pass: (ms) => database.pass(ms),
    }));
  },
);
