import { describe, expect, it } from 'vitest';
import { checkMysql, migrateMysql, MYSQL_MIGRATIONS } from '../../../../lib/storage/mysql/mysql-tables.js';
import {
  type SqlExecutor,
  type SqlRunner,
  type SqlTransaction,
} from '../../../../lib/storage/sql/sql-executor.js';
import { instantPauses } from '../../../support/instant-pauses.js';

const NEEDED = MYSQL_MIGRATIONS.length;

function answering(query: (text: string) => Promise<object[]>): SqlRunner {
  return { query: query as SqlRunner['query'], execute: () => Promise.reject(new Error('writes nothing')) };
}

const AS_WRITTEN = { account: 'é ', record: Buffer.from('{"a": "é"} '), version: 9_007_199_254_740_991n };

/** A server that knows the version of the tables, or fails with the code of MySQL, and gives values that it has read. */
function server(version: number | { readonly errno: number }, read: object = {}): SqlRunner {
  return answering((text) => {
    if (text.includes('UNION ALL')) return Promise.resolve([{ ...AS_WRITTEN, ...read }]);
    if (typeof version === 'number') return Promise.resolve([{ version, compatible_from: version }]);
    return Promise.reject(Object.assign(new Error('no'), version));
  });
}

describe('the tables in MySQL', () => {
  it('fit if they are of this version, and are read as they were written', async () => {
    await expect(checkMysql(server(NEEDED))).resolves.toBeUndefined();
  });

  it.each<[what: string, server: SqlRunner, message: string]>([
    ['are missing', server({ errno: 1146 }), 'holds version 0 of the tables'],
    ['are newer', server(NEEDED + 1), `holds version ${NEEDED + 1} of the tables`],
    ['cannot be read', server({ errno: 1045 }), 'no'],
    ['are read in another encoding', server(NEEDED, { account: 'Ã© ' }), 'change the values'],
    ['are read without blanks', server(NEEDED, { account: 'é' }), 'change the values'],
    ['are read as null', server(NEEDED, { record: null }), 'change the values'],
    ['are read with fewer digits', server(NEEDED, { version: 9_007_199_254_740_990 }), 'change the values'],
    ['are read as objects', server(NEEDED, { record: { a: 'é' } }), 'take out the type parser'],
  ])('are refused if they %s', async (_what, runner, message) => {
    await expect(checkMysql(runner)).rejects.toThrow(message);
  });
});

const clock = instantPauses();

/** A server on which another connection has the lock for some time, and tables of this version or none. */
function lockedServer(heldForMs: number, version: number, free: unknown = '1') {
  const until = clock.now + heldForMs;
  let open = 0;
  const asked: string[] = [];
  const rows = (text: string): object[] => {
    if (text.includes('GET_LOCK')) return [{ held: clock.now < until ? 0 : free }];
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
  const { executor, asked, isOpen } = lockedServer(40_000, 0);
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
  const { executor, asked } = lockedServer(Infinity, NEEDED);
  expect(await migrateMysql(executor, () => undefined)).toMatchObject({ version: NEEDED });
  expect(clock.pauses).toEqual([]);
  expect(asked.some((text) => text.startsWith('CREATE TABLE'))).toBe(false);
});

it('a migration of MySQL refuses tables of a newer version also while another one runs', async () => {
  const { executor } = lockedServer(Infinity, NEEDED + 1);
  await expect(migrateMysql(executor, () => undefined)).rejects.toThrow(
    `holds version ${NEEDED + 1} of the tables`,
  );
});

it('a migration of MySQL makes no table if the server could not give its lock', async () => {
  const { executor, asked } = lockedServer(0, 0, null);
  await expect(migrateMysql(executor, () => undefined)).rejects.toThrow(
    'could not give the lock of a migration',
  );
  expect(clock.pauses).toEqual([]);
  expect(asked.some((text) => text.startsWith('CREATE TABLE'))).toBe(false);
});

it('a migration of MySQL ends after half an hour behind another one', async () => {
  const { executor } = lockedServer(Infinity, 0);
  await expect(migrateMysql(executor, () => undefined)).rejects.toMatchObject({
    name: 'PaymentsStorageError',
    message: expect.stringMatching(/in the database could not .* for 30 minutes: connection 17/) as unknown,
  });
});
