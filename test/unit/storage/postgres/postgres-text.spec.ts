import { expect, it } from 'vitest';
import { textLiteral } from '../../../../lib/storage/postgres/postgres-text.js';

it.each(['', 'order-1', "'", "\\'); COMMIT; --", '$1', '"', 'a\0b', 'ä', '\ud800'])(
  'a text is nothing but hex digits as a literal: %j',
  (text) => {
    expect(textLiteral(text)).toMatch(/^convert_from\(decode\('[0-9a-f]*', 'hex'\), 'UTF8'\)$/);
  },
);
