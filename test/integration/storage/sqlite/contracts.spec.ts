import { afterEach, beforeEach, describe } from 'vitest';
import { claimDecisions } from '../../../support/claim-decisions.js';
import { conflictContract } from '../../../support/conflict-contract.js';
import { inboxContract } from '../../../support/inbox-contract.js';
import { joinedJournalContract } from '../../../support/joined-journal-contract.js';
import {
  dailyCapContract,
  damagedJournalContract,
  journalContract,
} from '../../../support/journal-contract.js';
import { describeWithSqlite, sqliteFile, type SqliteTestFile } from '../../../support/sqlite-file.js';

describeWithSqlite('sqliteStorage()', () => {
  let file: SqliteTestFile;

  beforeEach(() => {
    file = sqliteFile();
  });
  afterEach(() => file.close());

  describe('its inbox', () => {
    inboxContract(() => ({ inbox: file.open().inbox, pass: file.pass }));
  });
  describe('the statements that claim', () => {
    claimDecisions(() => ({ inbox: file.open().inbox, pass: file.pass }));
  });
  describe('its conflicts', () => {
    conflictContract(() => ({ ...file.open(), pass: file.pass }));
  });
  describe('its journal', () => {
    journalContract(() => ({ journal: file.open().journal, pass: file.pass }));
  });
  describe('its daily caps', () => {
    dailyCapContract(() => ({ journal: file.open().journal, pass: file.pass }));
  });
  describe('its journal inside of a transaction of the application', () => {
    joinedJournalContract(() => {
      const { journal } = file.open();
      return {
        journal,
        pass: file.pass,
        begin: () => {
          const handle = file.connect();
          handle.exec('BEGIN IMMEDIATE');
          return {
            handle,
            commit: () => {
              handle.exec('COMMIT');
            },
            rollback: () => {
              handle.exec('ROLLBACK');
            },
          };
        },
      };
    });
  });
  describe('a row of its journal that cannot be read', () => {
    const update = (change: string) => (reference: string) => {
      file.connect().prepare(`UPDATE payments_journal SET ${change} WHERE reference = ?`).run(reference);
      return Promise.resolve();
    };
    damagedJournalContract(
      () => ({ journal: file.open().journal, pass: file.pass }),
      [
        ['record is null', update(`record = 'null'`)],
        ['record is no JSON', update(`record = 'something else'`)],
        ['record is of another payment', update(`record = replace(record, 'order-1', 'order-2')`)],
        ['record and state differ', update(`state = 'on-hold'`)],
      ],
    );
  });
  describe('its conflicts with the transaction of the handlers', () => {
    conflictContract(() => ({ ...file.open(true), pass: file.pass }));
  });
});
