import { expect, it } from 'vitest';
import { type ReconciliationEntry } from '../../../../lib/storage/reconciliation-store.js';
import { type SqlScript } from '../../../../lib/storage/sql/sql-database.js';
import { SqlReconciliation } from '../../../../lib/storage/sql/sql-reconciliation.js';
import { portableReconciliation } from '../../../../lib/storage/sql/portable-reconciliation.js';
import { SQLITE } from '../../../../lib/storage/sqlite/sqlite-dialect.js';

function entry(id: string, more: Partial<ReconciliationEntry> = {}): ReconciliationEntry {
  const scope = { account: 'default', environment: 'sandbox' } as const;
  return { ...scope, kind: 'exception', id, state: 'open', details: '{}', ...more };
}

/** What a storage wrote of the entries, in the order in which the database takes their locks. */
function written(entries: readonly ReconciliationEntry[]): readonly (readonly ReconciliationEntry[])[] {
  const added: (readonly ReconciliationEntry[])[] = [];
  const run = (_script: SqlScript) => Promise.resolve({ rows: [], rowCount: entries.length });
  const statements = {
    ...portableReconciliation(SQLITE),
    add: (given: readonly ReconciliationEntry[]): SqlScript => {
      added.push(given);
      return { steps: [] };
    },
  };
  void new SqlReconciliation(run, statements).add(entries);
  return added;
}

it('entries are written in the order of their keys, so that writers of the same ones do not wait for each other', () => {
  const account = entry('x', { account: 'a' });
  const environment = entry('a', { environment: 'production' });
  const kind = entry('z', { kind: 'close' });
  const [capital, first, second] = [
    entry('B'),
    entry('a', { state: 'first' }),
    entry('a', { state: 'second' }),
  ];
  const inOrder = [account, environment, kind, capital, first, second];
  expect(written([capital, first, kind, second, environment, account])).toEqual([inOrder]);
  expect(written([first, second, account, environment, kind, capital])).toEqual([inOrder]);
});

it('nothing is asked of the database without an entry', () => {
  expect(written([])).toEqual([]);
});
