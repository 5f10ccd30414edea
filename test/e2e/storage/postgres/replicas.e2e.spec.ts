import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { type Pool } from 'pg';
import { type PaymentsStorage } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import {
  openPaymentsDatabase,
  PATIENT_LOCKS,
  type PaymentsDatabase,
} from '../../../support/payments-database.js';
import { replicasContract } from '../../../support/replicas-contract.js';
import { describeWith, postgresService } from '../../../support/services.js';

describeWith([postgresService], 'two replicas that share a PostgreSQL', () => {
  let database: PaymentsDatabase;
  let pools: readonly [Pool, Pool];

  beforeAll(async () => {
    database = await openPaymentsDatabase(postgresService.url);
    const options = `${database.options} ${PATIENT_LOCKS}`;
    pools = [database.connect({ options }), database.connect({ options })];
  });
  beforeEach(() => database.clear());
  afterAll(() => database.close());

  describe.each([false, true])('with transactional: %s', (transactional) => {
    replicasContract(() => {
      const storage = (pool: Pool): PaymentsStorage =>
        postgresStorage({ pool, schema: database.schema, transactional });
      return [storage(pools[0]), storage(pools[1])];
    });
  });
});
