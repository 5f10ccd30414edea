import { expect, it, vi } from 'vitest';
import { OpenTransactions } from '../../../../lib/storage/mysql/joined-transaction.js';
import { type RunScript } from '../../../../lib/storage/sql/sql-database.js';

/** A connection to this server. */
function connectionTo(server: () => string): RunScript {
  const settings = { mode: 'STRICT_ALL_TABLES', client: 'utf8mb4', connection: 'utf8mb4' };
  return () => Promise.resolve({ rows: [{ ...settings, server: server() }], rowCount: 1 });
}

it('a storage of MySQL asks its own connections again only if the transaction is on another server', async () => {
  let server = 'first';
  const run = connectionTo(() => server);
  const own = vi.fn(run);
  const { learn, join } = new OpenTransactions();
  const enlist = (): Promise<RunScript> => join({ run, own, handle: {}, token: '' });
  await learn(own);
  own.mockClear();
  await enlist();
  expect(own).not.toHaveBeenCalled();
  server = 'second';
  await enlist();
  expect(own).toHaveBeenCalled();
  const elsewhere = connectionTo(() => 'third');
  await expect(join({ run: elsewhere, own, handle: {}, token: '' })).rejects.toThrow('another database');
});
