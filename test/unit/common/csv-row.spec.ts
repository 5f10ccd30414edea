import { describe, expect, it } from 'vitest';
import { csvRow, plainCell } from '../../../lib/common/csv-row.js';

describe('a row of a CSV file', () => {
  it.each([
    [['a', 'b', 3], 'a,b,3\n'],
    [['a,b', 'c"d', 'e\nf'], '"a,b","c""d","e\nf"\n'],
    [['', -5], ',-5\n'],
    [['-5.00', { number: '-90071992547409931.05' }], "'-5.00,-90071992547409931.05\n"],
    [['=1+1', '+2', '-3', '@x'], "'=1+1,'+2,'-3,'@x\n"],
  ])('of %j is %j', (cells, text) => {
    expect(csvRow(cells)).toBe(text);
  });

  it.each([
    ["'=1+1", '=1+1'],
    ["'-3", '-3'],
    ["'tis", "'tis"],
    ["'", "'"],
    ['=1', '=1'],
  ])('has a cell %j that means %j', (cell, text) => {
    expect(plainCell(cell)).toBe(text);
  });
});
