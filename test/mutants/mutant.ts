/** A planted fault: the code, and what it became. */
export interface Mutant {
  /** Path from the project's root, with `/`. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The mutation tester's name for the kind of fault. */
  readonly kind: string;
  readonly code: string;
  readonly became: string;
}

/** A mutant that changes nothing noticeable, and why. */
export interface EquivalentMutant extends Pick<Mutant, 'file' | 'code' | 'became'> {
  readonly why: string;
}

interface Position {
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1. */
  readonly column: number;
}

/** The text between two positions, its white space made single blanks. */
export function codeAt(source: string, start: Position, end: Position): string {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = (lines[last] ?? '').slice(0, end.column - 1);
  lines[0] = (lines[0] ?? '').slice(start.column - 1);
  return oneLine(lines.join('\n'));
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

export function isEquivalent(mutant: Mutant, equivalents: readonly EquivalentMutant[]): boolean {
  return equivalents.some(
    ({ file, code, became }) => mutant.file === file && mutant.code === code && mutant.became === became,
  );
}
