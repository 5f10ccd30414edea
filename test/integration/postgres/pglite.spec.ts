import { afterAll, afterEach, beforeAll, describe } from '@jest/globals';
import { type PaymentsStorage } from '../../../lib/common/storage-port.js';
import { postgresStorage } from '../../../lib/postgres/postgres.storage.js';
import { inboxContract } from '../../support/inbox-contract.js';
import { journalContract } from '../../support/journal-contract.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../support/payments-database.js';
import { type PgliteServer, startPglite } from '../../support/pglite-server.js';

const BOOT_MS = 60_000;

describe('postgresStorage() on an embedded PostgreSQL with one connection', () => {
  let server: PgliteServer | undefined;
  let database: PaymentsDatabase;
  const storage = (): PaymentsStorage => {
    const { pool, schema } = database;
    return postgresStorage({ pool, schema });
  };

  beforeAll(async () => {
    server = await startPglite();
    database = await openPaymentsDatabase(server.url, { max: 1 });
  }, BOOT_MS);
  afterEach(() => database.clear());
  afterAll(async () => {
    // The schema goes with the engine.
    await server?.close();
  });

  describe('its inbox', () => {
    inboxContract(() => ({ inbox: storage().inbox, pass: database.pass }));
  });
  describe('its journal', () => {
    journalContract(() => ({ journal: storage().journal, pass: database.pass }));
  });
});
