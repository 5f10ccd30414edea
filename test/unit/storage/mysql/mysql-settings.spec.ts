import { describe, expect, it } from 'vitest';
import { checkSettings } from '../../../../lib/storage/mysql/mysql-settings.js';
import { type SqlRunner } from '../../../../lib/storage/sql/sql-executor.js';

const MODE = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION';

function answering(query: (text: string) => Promise<object[]>): SqlRunner {
  return { query: query as SqlRunner['query'], execute: () => Promise.reject(new Error('writes nothing')) };
}

/** A server with settings of its own. */
function serverWith({
  level = 'REPEATABLE-READ',
  ...changed
}: { readonly level?: unknown } & Readonly<Record<string, unknown>> = {}): SqlRunner {
  const usual = { mode: MODE, autocommit: 1, safe: 0, row_limit: '1000000' };
  const settings = { ...usual, client: 'utf8mb4', connection: 'utf8mb4', ...changed };
  return answering((text) =>
    Promise.resolve(
      text.includes('@@sql_mode') ? [settings] : [{ Variable_name: 'tx_isolation', Value: level }],
    ),
  );
}

describe('the settings of MySQL', () => {
  it.each(['1', 1, 1n, Buffer.from('1')])('are good: autocommit is %o', async (autocommit) => {
    await expect(checkSettings(serverWith({ autocommit }))).resolves.toBeUndefined();
  });

  it.each<[what: string, changed: Readonly<Record<string, unknown>>, message: string]>([
    ['would not keep what is written', { autocommit: 0 }, 'set autocommit = 1'],
    ['would cut what is too long', { mode: 'NO_ENGINE_SUBSTITUTION' }, 'add STRICT_TRANS_TABLES'],
    ['cannot be written safely', { mode: `${MODE},NO_BACKSLASH_ESCAPES` }, 'take it out'],
    ['would find no account', { mode: `${MODE},EMPTY_STRING_IS_NULL` }, 'EMPTY_STRING_IS_NULL'],
    ['would change texts', { client: 'latin1' }, "to 'utf8mb4'"],
    ['would change texts on their way', { connection: Buffer.from('utf8mb3') }, "to 'utf8mb4'"],
    ['could not be purged', { safe: 1 }, 'set sql_safe_updates = 0'],
    ['could not be purged, in text', { safe: '1' }, 'set sql_safe_updates = 0'],
    ['would leave rows out', { row_limit: '999999' }, 'set sql_select_limit = DEFAULT'],
    ['would lose a webhook', { level: 'READ-UNCOMMITTED' }, 'READ UNCOMMITTED'],
    ['would lose a webhook, in bytes', { level: Buffer.from('READ-UNCOMMITTED') }, 'READ UNCOMMITTED'],
  ])('are refused if they %s', async (_what, changed, message) => {
    await expect(checkSettings(serverWith(changed))).rejects.toThrow(message);
  });

  it.each([[[1, MODE]], [{ '': { autocommit: 1 } }]])(
    'are refused if the names of their columns are missing: %o',
    async (row) => {
      await expect(checkSettings(answering(() => Promise.resolve([row])))).rejects.toThrow(
        'take rowsAsArray and nestTables out',
      );
    },
  );
});
