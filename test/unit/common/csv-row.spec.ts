import { describe, expect, it } from 'vitest';
import { csvRow, plainCell } from '../../../lib/common/csv-row.js';

describe('a row of a CSV file', () => {
  it.each([
    [['a', 'b', 3], 'a,b,3\n'],
    [['a,b', 'c"d', 'e\nf'], '"a,b","c""d","e\nf"\n'],
    [['', -5], ',-5\n'],
    [['-5.00', { number: '-90071992547409931.05' }], "'-5.00,-90071992547409931.05\n"],
    [['=1+1', '+2', '-3', '@x'], "'=1+1,'+2,'-3,'@x\n"],
    // Where semicolons or tabs separate cells, a text may be several.
    [['Asha;=1+1;x;@y'], "Asha;'=1+1;x;'@y\n"],
    [['a;"=1"'], `"a;'""=1"""\n`],
    [['a\t+1', 'b\n-2', 'c\r\n=3'], `a\t'+1,"b\n'-2","c\r\n'=3"\n`],
    [['\t=1'], "'\t'=1\n"],
    [['a; b', 'a-b', 'x=1'], 'a; b,a-b,x=1\n'],
  ])('of %j is %j', (cells, text) => {
    expect(csvRow(cells)).toBe(text);
  });

  it.each([
    ["'=1+1", '=1+1'],
    ["'-3", '-3'],
    ["'tis", "'tis"],
    ["'", "'"],
    ['=1', '=1'],
    ["a;'=1;'x", "a;=1;'x"],
    ["'\t'=1", '\t=1'],
    [`a;'"=1"`, 'a;"=1"'],
  ])('has a cell %j that means %j', (cell, text) => {
    expect(plainCell(cell)).toBe(text);
  });

  it.each([';"'.repeat(500_000), '"'.repeat(1_000_000), "\t'".repeat(500_000)])(
    'is written and read, however long it is',
    (text) => {
      expect(plainCell(csvRow([text])).length).toBeGreaterThanOrEqual(text.length);
    },
  );
});
