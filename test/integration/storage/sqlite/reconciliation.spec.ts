import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  reconciliationContract,
  type ReconciliationStore,
} from '../../../support/reconciliation-contract.js';
import { describeWithSqlite, sqliteFile, type SqliteTestFile } from '../../../support/sqlite-file.js';

describeWithSqlite('reconciliation in SQLite', () => {
  let file: SqliteTestFile;
  let reconciliation: ReconciliationStore;

  beforeAll(() => {
    file = sqliteFile();
    const storage = file.open();
    if (!storage.reconciliation) throw new Error('SQLite keeps reconciliation.');
    reconciliation = storage.reconciliation;
  });
  afterAll(() => file.close());

  reconciliationContract({
    store: () => reconciliation,
    pass: (ms) => {
      file.pass(ms);
      return Promise.resolve();
    },
  });

  it.each([
    ["state = 'open' AND id > 'x' ORDER BY id LIMIT 9", 'states'],
    ["state = 'open' AND id < 'x' ORDER BY id DESC LIMIT 1", 'states'],
    ["state = 'open' AND updated_at < 9 ORDER BY updated_at LIMIT 9", 'age'],
    ["id > 'x' ORDER BY id LIMIT 9", 'sqlite_autoindex'],
  ])('are found in the order of an index: %s', (condition, index) => {
    const plan = file
      .connect()
      .prepare(
        `EXPLAIN QUERY PLAN SELECT * FROM payments_reconciliation
          WHERE account = 'a' AND environment = 'e' AND kind = 'k' AND ${condition}`,
      )
      .all() as readonly { readonly detail: string }[];
    expect(plan.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(new RegExp(`^SEARCH payments_reconciliation USING INDEX \\w*${index}`)),
    ]);
  });
});
