import { describe, expect, it } from 'vitest';
import { lineDiff } from '../../../../lib/cli/init/line-diff.js';

const written = (before: string, after: string): string[] =>
  lineDiff(before, after).map(({ mark, text }) => (mark === '@' ? text : mark + text));
const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));
const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

describe('lineDiff', () => {
  it('says nothing of what is the same', () => {
    expect(written('a\nb\n', 'a\nb\n')).toEqual([]);
  });

  it('shows a new text as one hunk of added lines', () => {
    expect(written('', 'a\nb\n')).toEqual(['@@ -0,0 +1,2 @@', '+a', '+b']);
  });

  it('shows three lines around a change, and two changes that are far apart in two hunks', () => {
    const before = numbers(1, 20);
    const after = before.flatMap((line) =>
      line === '2' ? ['two', 'and more'] : line === '18' ? [] : [line],
    );
    expect(written(text(before), text(after))).toEqual([
      '@@ -1,5 +1,6 @@',
      ' 1',
      '-2',
      '+two',
      '+and more',
      ' 3',
      ' 4',
      ' 5',
      '@@ -15,6 +16,5 @@',
      ' 15',
      ' 16',
      ' 17',
      '-18',
      ' 19',
      ' 20',
    ]);
  });

  it('takes as few lines out as it can, and no line end for a change', () => {
    expect(written('a\r\nb\r\nc\r\n', 'a\r\nx\r\nb\r\ny\r\nc')).toEqual([
      '@@ -1,3 +1,5 @@',
      ' a',
      '+x',
      ' b',
      '+y',
      ' c',
    ]);
  });
});
