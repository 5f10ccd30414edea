import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import { type PaymentsStorage } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { conflictContract } from '../../../support/conflict-contract.js';
import { inboxContract } from '../../../support/inbox-contract.js';
import { joinedJournalContract } from '../../../support/joined-journal-contract.js';
import {
  dailyCapContract,
  damagedJournalContract,
  journalContract,
} from '../../../support/journal-contract.js';
import {
  borrowPaymentsDatabase,
  openPaymentsDatabase,
  type PaymentsDatabase,
} from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';

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
    describe('its conflicts', () => {
      conflictContract(() => ({ ...storage(), pass: database.pass }));
    });
    describe('its journal', () => {
      journalContract(() => ({ journal: storage().journal, pass: database.pass }));
    });
    describe('its daily caps', () => {
      dailyCapContract(() => ({ journal: storage().journal, pass: database.pass }));
    });
    describe('its journal inside of a transaction of the application', () => {
      joinedJournalContract(() => ({
        journal: storage().journal,
        pass: database.pass,
        begin: async () => {
          const client = await database.pool.connect();
          await client.query('BEGIN');
          const end = async (how: string): Promise<void> => {
            await client.query(how);
            client.release();
          };
          return { handle: client, commit: () => end('COMMIT'), rollback: () => end('ROLLBACK') };
        },
      }));
    });
    describe('a row of its journal that cannot be read', () => {
      const update = (change: string) => (reference: string) =>
        database.pool.query(`UPDATE payments_journal SET ${change} WHERE reference = $1`, [reference]);
      damagedJournalContract(
        () => ({ journal: storage().journal, pass: database.pass }),
        [
          ['record is null', update(`record = 'null'`)],
          ['record is no JSON object', update(`record = '"something else"'`)],
          [
            'record is of another payment',
            update(`record = replace(record::text, 'order-1', 'order-2')::json`),
          ],
          ['record and state differ', update(`state = 'on-hold'`)],
        ],
      );
    });
  });

  describe('with the transaction of the handlers', () => {
    // Claims that a test leaves open hold their connections.
    beforeEach(async () => {
      database = await borrowPaymentsDatabase(postgresService.url);
    });
    afterEach(() => database.close());

    inboxContract(() => ({ ...storage(true), pass: database.pass }), { remembersHandlers: false });
    conflictContract(() => ({ ...storage(true), pass: database.pass }));
  });
});
