import { afterAll, afterEach, beforeAll } from 'vitest';
import { postgresStorage } from 'nestjs-payments/postgres';
import { claimDecisions } from '../../../support/claim-decisions.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';

describeWith([postgresService], 'the statement that claims', () => {
  let database: PaymentsDatabase;

  beforeAll(async () => {
    database = await openPaymentsDatabase(postgresService.url);
  });
  afterEach(() => database.clear());
  afterAll(() => database.close());

  claimDecisions(() => {
    const { pool, schema, pass } = database;
    return { inbox: postgresStorage({ pool, schema }).inbox, pass };
  });
});
