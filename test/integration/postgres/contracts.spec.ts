import { afterAll, afterEach, beforeAll, beforeEach, describe } from '@jest/globals';
import { type PaymentsStorage } from '../../../lib/common/storage-port.js';
import { postgresStorage } from '../../../lib/postgres/postgres.storage.js';
import { inboxContract } from '../../support/inbox-contract.js';
import { journalContract } from '../../support/journal-contract.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../support/payments-database.js';
import { describeWith, postgresService } from '../../support/services.js';

describeWith([postgresService], 'postgresStorage()', () => {
  let database: PaymentsDatabase;
  const storage = (transactional = false): PaymentsStorage => {
    const { pool, schema } = database;
    return postgresStorage({ pool, schema, transactional });
  };

  describe('as a plain storage', () => {
    beforeAll(async () => {
      database = await openPaymentsDatabase(postgresService.url);
    });
    afterEach(() => database.clear());
    afterAll(() => database.close());

    describe('its inbox', () => {
      inboxContract(() => ({ inbox: storage().inbox, pass: database.pass }));
    });
    describe('its journal', () => {
      journalContract(() => ({ journal: storage().journal, pass: database.pass }));
    });
  });

  describe('with the transaction of the handlers', () => {
    // Claims that a test leaves open hold their connections.
    beforeEach(async () => {
      database = await openPaymentsDatabase(postgresService.url);
    });
    afterEach(() => database.close());

    inboxContract(() => ({ inbox: storage(true).inbox, pass: database.pass }), { remembersHandlers: false });
  });
});
