import { afterEach, beforeEach, expect, it } from 'vitest';
import { sqlStorage } from 'nestjs-payments/sql';
import { claimed, inboxDelivery } from '../support/inbox-contract.js';
import { journalRecord, storedBy } from '../support/journal-contract.js';
import { borrowPaymentsDatabase, type PaymentsDatabase } from '../support/payments-database.js';
import { describeWith, postgresService } from '../support/services.js';
import { EXECUTORS, type OpenOwnExecutor } from './executors.js';

const LEASE_MS = 60_000;
const [KNEX] = EXECUTORS;

describeWith([postgresService], 'sqlStorage() on a PostgreSQL whose default is SERIALIZABLE', () => {
  let database: PaymentsDatabase;

  beforeEach(async () => {
    database = await borrowPaymentsDatabase(postgresService.url);
  });
  afterEach(() => database.close());

  it('refuses no payment or webhook of many at the same time', async () => {
    const options = `${database.options} -c default_transaction_isolation=serializable`;
    const pool = database.connect({ options });
    const { executor, close } = KNEX!.openPostgres(pool) as OpenOwnExecutor;
    const { journal, inbox } = sqlStorage({ executor, schema: database.schema });
    const pay = async (reference: string): Promise<void> => {
      const record = journalRecord(reference);
      const { version } = storedBy(await journal.insert(record, LEASE_MS));
      await journal.replace(version, { ...record, state: 'accepted' }, 0);
      await claimed(await inbox.claim(inboxDelivery(reference), LEASE_MS)).finish();
    };
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(Array.from({ length: 40 }, (_, index) => pay(`order-${round}-${index}`)));
    }
    expect((await journal.list(journalRecord('any'), [], { limit: 1_000 })).entries).toHaveLength(800);
    await close();
  });
});
