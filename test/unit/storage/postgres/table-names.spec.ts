import { expect, it } from 'vitest';
import { nextOf, sqlLiteral, tableNames } from '../../../../lib/storage/postgres/table-names.js';

it('the tables keep their names, because another name would be an empty journal', () => {
  expect(tableNames('shop')).toEqual({
    schema: '"shop"',
    shownSchema: '"shop"',
    inbox: '"shop".payments_inbox',
    setAside: '"shop".payments_set_aside',
    journal: '"shop".payments_journal',
    tombstones: '"shop".payments_tombstones',
    dailyCounts: '"shop".payments_daily_counts',
    batches: '"shop".payments_batches',
    batchEvents: '"shop".payments_batch_events',
    batchLines: '"shop".payments_batch_lines',
    batchChunks: '"shop".payments_batch_chunks',
    batchCounts: '"shop".payments_batch_counts',
    reconciliation: '"shop".payments_reconciliation',
    migrations: '"shop".payments_migrations',
    fences: '"shop".payments_inbox_fence',
    versions: '"shop".payments_journal_version',
  });
});

it('a quote in the name of a schema or in a text is doubled', () => {
  expect(tableNames('a"b"c').inbox).toBe('"a""b""c".payments_inbox');
  expect(sqlLiteral("a'b'c")).toBe("'a''b''c'");
  expect(nextOf(`"a'b".payments_journal_version`)).toBe(`nextval('"a''b".payments_journal_version')`);
});
