import { afterAll, beforeAll, expect, it } from 'vitest';
import { batchContract, type BatchStore } from '../../../support/batch-contract.js';
import { describeWithSqlite, sqliteFile, type SqliteTestFile } from '../../../support/sqlite-file.js';

describeWithSqlite('batches in SQLite', () => {
  let file: SqliteTestFile;
  let batches: BatchStore;

  beforeAll(() => {
    file = sqliteFile();
    const storage = file.open();
    if (!storage.batches) throw new Error('SQLite keeps batches.');
    batches = storage.batches;
  });
  afterAll(() => file.close());

  batchContract({
    store: () => batches,
    pass: (ms) => {
      file.pass(ms);
      return Promise.resolve();
    },
  });

  it.each([
    [
      "batch_load = 'x' AND state = 'unknown' AND chunk >= 5 AND line_number > 5 ORDER BY chunk, line_number LIMIT 9",
      'states',
    ],
    ["recipient = 'x' AND cents = 1", 'recipients'],
  ])('are found through an index: %s', (condition, index) => {
    const plan = file
      .connect()
      .prepare(`EXPLAIN QUERY PLAN SELECT * FROM payments_batch_lines WHERE ${condition}`)
      .all() as readonly { readonly detail: string }[];
    expect(plan.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(
        new RegExp(`^SEARCH payments_batch_lines USING INDEX payments_batch_lines_${index} `),
      ),
    ]);
  });
});
