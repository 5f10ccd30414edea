/** One line of a unified diff with its mark. */
export interface DiffLine {
  readonly mark: ' ' | '+' | '-' | '@';
  readonly text: string;
}

const CONTEXT = 3;

/** The changes of a text, with context lines, as a unified diff. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const lines = compared(linesOf(before), linesOf(after));
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ mark }) => mark !== ' '),
  );
  return lines.flatMap((line, index) => {
    if (!isNear[index]) return [];
    if (isNear[index - 1]) return [line];
    const end = isNear.indexOf(false, index);
    const hunk = lines.slice(index, end < 0 ? undefined : end);
    const range = (other: '+' | '-'): string => {
      const size = count(hunk, other);
      return `${size === 0 ? 0 : count(lines.slice(0, index), other) + 1},${size}`;
    };
    return [{ mark: '@' as const, text: `@@ -${range('+')} +${range('-')} @@` }, line];
  });
}

/** The number of lines without those of one mark. */
function count(lines: readonly DiffLine[], without: '+' | '-'): number {
  return lines.filter(({ mark }) => mark !== without).length;
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Compares by the longest common subsequence, after removing the common start and end. */
function compared(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const same = (text: string): DiffLine => ({ mark: ' ', text });
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return [
    ...before.slice(0, head).map(same),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

function middle(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const lengths = commonLengths(before, after);
  const lines: DiffLine[] = [];
  let [left, right] = [0, 0];
  while (left < before.length || right < after.length) {
    const [old, fresh] = [before[left], after[right]];
    if (old !== undefined && old === fresh) {
      lines.push({ mark: ' ', text: old });
      left += 1;
      right += 1;
    } else if (
      old !== undefined &&
      (fresh === undefined || at(lengths, left + 1, right) >= at(lengths, left, right + 1))
    ) {
      lines.push({ mark: '-', text: old });
      left += 1;
    } else {
      lines.push({ mark: '+', text: fresh ?? '' });
      right += 1;
    }
  }
  return lines;
}

/** Lengths of the common subsequences of both rests, for each pair of lines. */
function commonLengths(before: readonly string[], after: readonly string[]): readonly (readonly number[])[] {
  const table = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  for (let left = before.length - 1; left >= 0; left -= 1) {
    for (let right = after.length - 1; right >= 0; right -= 1) {
      const row = table[left] ?? [];
      row[right] =
        before[left] === after[right]
          ? at(table, left + 1, right + 1) + 1
          : Math.max(at(table, left + 1, right), at(table, left, right + 1));
    }
  }
  return table;
}

function at(table: readonly (readonly number[])[], left: number, right: number): number {
  return table[left]?.[right] ?? 0;
}
