import { afterEach, beforeEach } from 'vitest';
import { frozenCallContract } from '../../../support/frozen-call-contract.js';
import { describeWithSqlite, sqliteFile, type SqliteTestFile } from '../../../support/sqlite-file.js';

describeWithSqlite('a payment that is enlisted in SQLite while a call of it is frozen', () => {
  let file: SqliteTestFile;

  beforeEach(() => {
    file = sqliteFile();
  });
  afterEach(() => file.close());

  frozenCallContract(() => {
    const storage = file.open();
    const handle = file.connect();
    return {
      storage,
      begin: () => {
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
      pass: (ms) => {
        file.pass(ms);
      },
    };
  });
});
