import { describe, expect, it } from 'vitest';
import {
  DRIVER_RESULT_OF,
  mysql2Statement,
  runnerBy,
  textResult,
} from '../../../../lib/storage/sql/driver-result.js';

describe('the answer of a driver', () => {
  it.each([
    ['rows of PostgreSQL', 'postgres', { rows: [{ a: 1 }], rowCount: 1 }, [{ a: 1 }], 1],
    ['a change of PostgreSQL', 'postgres', { rows: [], rowCount: 3 }, [], 3],
    ['a statement of PostgreSQL that counts nothing', 'postgres', { rows: [], rowCount: null }, [], 0],
    ['rows of MySQL', 'mysql', [[{ a: 1 }], ['a column']], [{ a: 1 }], 0],
    ['a change of MySQL', 'mysql', [{ affectedRows: 3 }, undefined], [], 3],
  ] as const)(
    'is rows for query(), and a number for execute(): %s',
    async (_what, dialect, answer, rows, count) => {
      const runner = runnerBy(() => Promise.resolve(DRIVER_RESULT_OF[dialect](answer as never)));
      expect(await runner.query('a statement')).toEqual(rows);
      expect(await runner.execute('a statement')).toEqual({ affectedRows: count });
    },
  );

  it('gets the text and the parameters as they are', async () => {
    const asked: unknown[] = [];
    const runner = runnerBy((...given) => {
      asked.push(given);
      return Promise.resolve({ rows: [], affectedRows: 0 });
    });
    await runner.query('one', [1]);
    await runner.execute('two');
    expect(asked).toEqual([
      ['one', [1]],
      ['two', undefined],
    ]);
  });
});

it('a statement of mysql2 leaves rows and values as the driver reads them', () => {
  const { typeCast, ...statement } = mysql2Statement('SELECT 1');
  expect(statement).toEqual({ sql: 'SELECT 1', rowsAsArray: false, nestTables: false });
  expect(typeCast({}, () => 'as it is')).toBe('as it is');
});

describe('the rows of a driver', () => {
  it('become texts, whatever the driver makes of numbers and bytes', () => {
    const bytes = Buffer.from('é');
    const { rows, rowCount } = textResult([
      { a: 'text', b: 1, c: 9_007_199_254_740_993n, d: bytes, e: new Uint8Array(bytes), f: null },
      { a: '' },
    ]);
    expect(rows).toEqual([{ a: 'text', b: '1', c: '9007199254740993', d: 'é', e: 'é', f: null }, { a: '' }]);
    expect(rowCount).toBe(2);
  });

  it('are refused if a column is an object that the application has parsed', () => {
    expect(() => textResult([{ a: { parsed: true } }])).toThrow('take out the type parser (typeCast)');
  });
});
