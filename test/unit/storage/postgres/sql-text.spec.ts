import { describe, expect, it } from 'vitest';
import { fromSqlText, textLiteral, toSqlText } from '../../../../lib/storage/postgres/sql-text.js';

const TEXTS = ['', 'order-1', "'", "\\'); COMMIT; --", '$1', '"', 'a\0b', 'ä', '\ud800'];

describe('a text in SQL', () => {
  it.each(TEXTS)('comes back as it was: %j', (text) => {
    expect(fromSqlText(toSqlText(text))).toBe(text);
  });

  it.each(TEXTS)('is nothing but hex digits as a literal: %j', (text) => {
    expect(textLiteral(text)).toMatch(/^convert_from\(decode\('[0-9a-f]*', 'hex'\), 'UTF8'\)$/);
  });
});
