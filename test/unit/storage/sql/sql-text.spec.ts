import { expect, it } from 'vitest';
import { fromSqlText, toSqlText } from '../../../../lib/storage/sql/sql-text.js';

it.each(['', 'order-1', "'", "\\'); COMMIT; --", '$1', '"', 'a\0b', 'ä', '\ud800'])(
  'a text in SQL comes back as it was: %j',
  (text) => {
    expect(fromSqlText(toSqlText(text))).toBe(text);
  },
);
