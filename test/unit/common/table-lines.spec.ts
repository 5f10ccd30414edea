import { describe, expect, it } from 'vitest';
import { tableLines } from '../../../lib/common/table-lines.js';

describe('a table', () => {
  it('has columns as wide as their widest cell, and numbers to the right', () => {
    const lines = tableLines(
      ['reference', 'row'],
      [
        ['order-1', '7'],
        ['a longer name', '1200'],
      ],
      ['row'],
    );
    expect(lines).toEqual(['reference       row', 'order-1           7', 'a longer name  1200']);
  });

  it('may have more lines than a function takes arguments', () => {
    const rows = Array.from({ length: 200_000 }, (_, index) => [String(index)]);
    expect(tableLines(['row'], rows, ['row']).at(-1)).toBe('199999');
  });
});
