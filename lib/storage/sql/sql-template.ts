import { type SqlStatement } from './sql-database.js';

/** A piece of SQL with its values, to be put into another one. A whole statement knows whether it counts. */
export type SqlPiece = Required<SqlStatement>;

/**
 * SQL with `?` for every value. A piece is put in as it is, any other value as a parameter.
 */
export function sql(texts: TemplateStringsArray, ...given: readonly unknown[]): SqlPiece {
  let text = texts[0] ?? '';
  const values: unknown[] = [];
  for (const [index, value] of given.entries()) {
    const piece = isPiece(value) ? value : { text: '?', values: [value] };
    text += piece.text + (texts[index + 1] ?? '');
    values.push(...piece.values);
  }
  return new Piece(text, values);
}

/** SQL without values: names and expressions. */
export function raw(text: string): SqlPiece {
  return new Piece(text, []);
}

/** Values with commas between them. */
export function listOf(given: readonly unknown[]): SqlPiece {
  return new Piece(given.map(() => '?').join(', '), given);
}

/** Pieces with a text between them. */
export function joined(pieces: readonly SqlPiece[], between: string): SqlPiece {
  return new Piece(
    pieces.map(({ text }) => text).join(between),
    pieces.flatMap(({ values }) => values),
  );
}

/** How a statement begins that gives rows. */
const READS = /^\s*(SELECT|WITH)\b/;

/** A class, so that no value that the application gives can pass for SQL. */
class Piece implements SqlPiece {
  constructor(
    readonly text: string,
    readonly values: readonly unknown[],
  ) {}

  get counts(): boolean {
    return !READS.test(this.text);
  }
}

function isPiece(value: unknown): value is SqlPiece {
  return value instanceof Piece;
}
