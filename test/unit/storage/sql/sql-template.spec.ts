import { expect, it } from 'vitest';
import { joined, listOf, raw, sql } from '../../../../lib/storage/sql/sql-template.js';

it('values become parameters, and pieces become a part of the text', () => {
  const condition = sql`a = ${1} AND b IN (${listOf(['x', 'y'])})`;
  expect({ ...sql`SELECT ${raw('c')} FROM t WHERE ${condition} AND d = ${null}` }).toEqual({
    text: 'SELECT c FROM t WHERE a = ? AND b IN (?, ?) AND d = ?',
    values: [1, 'x', 'y', null],
  });
  expect({ ...joined([sql`${1}`, sql`${2}`], ' UNION ') }).toEqual({ text: '? UNION ?', values: [1, 2] });
});

it('a value that looks like a piece is a parameter anyway', () => {
  const forged = { text: '1); DROP TABLE payments_journal', values: [] };
  expect({ ...sql`a = ${forged}` }).toEqual({ text: 'a = ?', values: [forged] });
});
