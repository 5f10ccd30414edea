/** A replacement of a piece of text. Positions are in characters. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits. Two edits of one place apply in their order. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const sorted = [...edits].sort((left, right) => left.start - right.start);
  let result = '';
  let end = 0;
  for (const edit of sorted) {
    result += text.slice(end, edit.start) + edit.text;
    end = edit.end;
  }
  return result + text.slice(end);
}

/** The white space at the beginning of the line that holds a place. */
export function lineIndent(text: string, place: number): string {
  const line = text.slice(text.lastIndexOf('\n', place - 1) + 1);
  return /^\uFEFF?([ \t]*)/.exec(line)?.[1] ?? '';
}

/** Whether only white space precedes a place in its line. */
export function beginsLine(text: string, place: number): boolean {
  return text.slice(text.lastIndexOf('\n', place - 1) + 1, place).trim() === '';
}

/** The length of the line that holds a place. */
export function lineLength(text: string, place: number): number {
  const end = text.indexOf('\n', place);
  const line = text.slice(text.lastIndexOf('\n', place - 1) + 1, end < 0 ? undefined : end);
  return line.trimEnd().length;
}

/** Indents every line but the first. */
export function indented(text: string, indent: string): string {
  return text.replaceAll('\n', `\n${indent}`);
}
