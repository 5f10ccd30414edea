import { expect, it } from 'vitest';
import { migrateMysql, MYSQL_MIGRATIONS } from '../../../../lib/storage/mysql/mysql-tables.js';
import { type SqlExecutor, type SqlTransaction } from '../../../../lib/storage/sql/sql-executor.js';
import { instantPauses } from '../../../support/instant-pauses.js';

const clock = instantPauses();
const NEEDED = MYSQL_MIGRATIONS.length;

/** A server on which another connection has the lock for some time, and tables of this version or none. */
function server(heldForMs: number, version: number) {
  const until = clock.now + heldForMs;
  let open = 0;
  const asked: string[] = [];
  const rows = (text: string): object[] => {
    if (text.includes('GET_LOCK')) return [{ held: clock.now < until ? 0 : '1' }];
    if (text.includes('IS_USED_LOCK')) return [{ holder: 17n }];
    return version === 0 ? [] : [{ version, compatible_from: version }];
  };
  const runner = {
    query: (text: string) => {
      asked.push(text);
      return Promise.resolve(rows(text));
    },
    execute: (text: string) => {
      asked.push(text);
      return Promise.resolve({ affectedRows: 0 });
    },
  };
  const transaction = async (work: (transaction: SqlTransaction) => Promise<void>): Promise<void> => {
    open += 1;
    await work({ ...runner, handle: undefined } as SqlTransaction);
    open -= 1;
  };
  const executor = { dialect: 'mysql', ...runner, transaction } as unknown as SqlExecutor;
  return { executor, asked, isOpen: () => open > 0 };
}

it('a migration of MySQL waits while another one runs, and says for which connection', async () => {
  const { executor, asked, isOpen } = server(40_000, 0);
  const told: string[] = [];
  expect(await migrateMysql(executor, (line) => told.push(line))).toEqual({ version: 0 });
  expect(told).toEqual([
    'This migration waits for another one: connection 17 of the database. If what started it is gone, end it with KILL 17.',
  ]);
  expect(asked.filter((text) => text.startsWith('CREATE TABLE')).length).toBeGreaterThan(10);
  expect(asked.at(-1)).toContain('RELEASE_LOCK');
  expect(isOpen()).toBe(false);
});

it('a migration of MySQL that has nothing to do does not wait', async () => {
  const { executor, asked } = server(Infinity, NEEDED);
  expect(await migrateMysql(executor)).toMatchObject({ version: NEEDED });
  expect(clock.pauses).toEqual([]);
  expect(asked.some((text) => text.startsWith('CREATE TABLE'))).toBe(false);
});

it('a migration of MySQL refuses tables of a newer version also while another one runs', async () => {
  const { executor } = server(Infinity, NEEDED + 1);
  await expect(migrateMysql(executor)).rejects.toThrow(`holds version ${NEEDED + 1} of the tables`);
});

it('a migration of MySQL ends after half an hour behind another one', async () => {
  const { executor } = server(Infinity, 0);
  await expect(migrateMysql(executor, () => undefined)).rejects.toMatchObject({
    name: 'PaymentsStorageError',
    message: expect.stringMatching(/in the database could not .* for 30 minutes: connection 17/) as unknown,
  });
});
