import { describe, expect, it } from 'vitest';
import { checkMysql, MYSQL_MIGRATIONS } from '../../../../lib/storage/mysql/mysql-tables.js';
import { type SqlRunner } from '../../../../lib/storage/sql/sql-executor.js';

const MODE = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION';
const NEEDED = MYSQL_MIGRATIONS.length;

/** A server that knows its settings and the version of the tables, or fails with the code of MySQL. */
function server(
  mode: string,
  autocommit: unknown,
  version: number | { readonly errno: number },
  more: object = {},
): SqlRunner {
  const query = (text: string): Promise<object[]> => {
    if (text.includes('@@sql_mode'))
      return Promise.resolve([
        { mode, autocommit, safe: 0, client: 'utf8mb4', connection: 'utf8mb4', ...more },
      ]);
    if (typeof version === 'number') return Promise.resolve([{ version, compatible_from: version }]);
    return Promise.reject(Object.assign(new Error('no'), version));
  };
  return { query: query as SqlRunner['query'], execute: () => Promise.reject(new Error('writes nothing')) };
}

describe('the tables in MySQL', () => {
  it.each(['1', 1, 1n])('fit if they are of this version: autocommit is %o', async (autocommit) => {
    await expect(checkMysql(server(MODE, autocommit, NEEDED))).resolves.toBeUndefined();
  });

  it.each<[what: string, server: SqlRunner, message: string]>([
    ['are missing', server(MODE, 1, { errno: 1146 }), 'holds version 0 of the tables'],
    ['are newer', server(MODE, 1, NEEDED + 1), `holds version ${NEEDED + 1} of the tables`],
    ['cannot be read', server(MODE, 1, { errno: 1045 }), 'no'],
    ['would not keep what is written', server(MODE, 0, NEEDED), 'set autocommit = 1'],
    ['would cut what is too long', server('NO_ENGINE_SUBSTITUTION', 1, NEEDED), 'add STRICT_TRANS_TABLES'],
    ['cannot be written safely', server(`${MODE},NO_BACKSLASH_ESCAPES`, 1, NEEDED), 'take it out'],
    ['would change texts', server(MODE, 1, NEEDED, { client: 'latin1' }), "to 'utf8mb4'"],
    ['could not be purged', server(MODE, 1, NEEDED, { safe: 1 }), 'set sql_safe_updates = 0'],
    ['could not be purged, in text', server(MODE, 1, NEEDED, { safe: '1' }), 'set sql_safe_updates = 0'],
  ])('are refused if they %s', async (_what, runner, message) => {
    await expect(checkMysql(runner)).rejects.toThrow(message);
  });
});
