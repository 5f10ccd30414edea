/** What a statement means for the transaction that it runs in. */
export type TransactionStep =
  | { readonly does: 'begin'; readonly modes: TransactionModes }
  | { readonly does: 'commit' | 'rollback'; readonly chains: boolean }
  | { readonly does: 'set'; readonly modes: TransactionModes }
  /** SAVEPOINT, RELEASE and ROLLBACK TO, with the name of the savepoint. */
  | { readonly does: 'savepoint' | 'release' | 'undo'; readonly name: string }
  /** PREPARE TRANSACTION, the first half of a two-phase commit. */
  | { readonly does: 'prepare' }
  | { readonly does: 'other' };

/** The modes of BEGIN, START TRANSACTION and SET TRANSACTION that the package passes on. */
export interface TransactionModes {
  readonly isolation?: 'SERIALIZABLE' | 'REPEATABLE READ' | 'READ COMMITTED';
  readonly access?: 'READ ONLY' | 'READ WRITE';
}

/** One statement of a text. */
export interface SqlStatement {
  readonly text: string;
  readonly step: TransactionStep;
}

/** A text without any of these words has no statement about transactions. Most texts end here. */
const MAY_MATTER = /\b(?:begin|start|commit|end|rollback|abort|prepare|transaction|savepoint|release)\b/i;
const OTHER: TransactionStep = { does: 'other' };

/**
 * Splits a text into its statements and tells what each of them means for the transaction.
 *
 * @returns Undefined if no statement is about transactions: the text may run as it is.
 */
export function readStatements(text: string): readonly SqlStatement[] | undefined {
  if (!MAY_MATTER.test(text)) return undefined;
  const statements = split(text).map(({ words, last, from, to }) => ({
    text: text.slice(from, to),
    step: readStep(words, last),
  }));
  return statements.some(({ step }) => step.does !== 'other') ? statements : undefined;
}

/**
 * @param words The first words, in upper case.
 * @param last The last word or quoted name, as it was written.
 */
type ReadStep = (words: readonly string[], last: string) => TransactionStep;

const commit: ReadStep = (words) =>
  words[1] === 'PREPARED' ? OTHER : { does: 'commit', chains: chains(words) };
const rollback: ReadStep = (words, last) => {
  if (words[1] === 'PREPARED') return OTHER;
  if (goesToSavepoint(words)) return { does: 'undo', name: savepointName(last) };
  return { does: 'rollback', chains: chains(words) };
};

/** By the first word of a statement. */
const STEPS: ReadonlyMap<string | undefined, ReadStep> = new Map<string, ReadStep>([
  ['BEGIN', (words) => ({ does: 'begin', modes: readModes(words) })],
  ['START', (words) => (words[1] === 'TRANSACTION' ? { does: 'begin', modes: readModes(words) } : OTHER)],
  ['COMMIT', commit],
  ['END', commit],
  ['ROLLBACK', rollback],
  ['ABORT', rollback],
  ['SAVEPOINT', (_, last) => ({ does: 'savepoint', name: savepointName(last) })],
  ['RELEASE', (_, last) => ({ does: 'release', name: savepointName(last) })],
  ['PREPARE', (words) => (words[1] === 'TRANSACTION' ? { does: 'prepare' } : OTHER)],
  ['SET', readSet],
]);

function readStep(words: readonly string[], last: string): TransactionStep {
  return STEPS.get(words[0])?.(words, last) ?? OTHER;
}

function readSet(words: readonly string[]): TransactionStep {
  const [what, mode] = words.slice(words[1] === 'LOCAL' || words[1] === 'SESSION' ? 2 : 1);
  const sets = what === 'TRANSACTION' && mode !== 'SNAPSHOT' && mode !== undefined;
  return sets ? { does: 'set', modes: readModes(words) } : OTHER;
}

function goesToSavepoint(words: readonly string[]): boolean {
  return words[1] === 'TO' || words[2] === 'TO';
}

/** The name as the server compares it. */
function savepointName(token: string): string {
  return token.startsWith('"') ? token.slice(1, -1).replaceAll('""', '"') : token.toLowerCase();
}

function chains(words: readonly string[]): boolean {
  return words.join(' ').endsWith(' AND CHAIN');
}

/** PostgreSQL runs READ UNCOMMITTED as READ COMMITTED. DEFERRABLE changes nothing but a waiting time. */
function readModes(words: readonly string[]): TransactionModes {
  const all = words.join(' ');
  const isolation = /\bISOLATION LEVEL (SERIALIZABLE|REPEATABLE READ|READ (?:UN)?COMMITTED)\b/.exec(all)?.[1];
  const access = /\bREAD (?:ONLY|WRITE)\b/.exec(all)?.[0];
  return {
    ...(isolation !== undefined && {
      isolation: (isolation === 'READ UNCOMMITTED' ? 'READ COMMITTED' : isolation) as 'SERIALIZABLE',
    }),
    ...(access !== undefined && { access: access as 'READ ONLY' }),
  };
}

/** More words than any statement about transactions has. */
const WORDS = 16;

/** One statement, as the words that it begins with and its place in the text. */
interface Piece {
  words: string[];
  last: string;
  from: number;
  to: number;
}

/**
 * What a text consists of: space and comments, quoted texts and names, words, and single characters. A quote
 * that is not closed continues to the end.
 */
const TOKEN = new RegExp(
  [
    String.raw`(?<space>\s+|--[^\n\r]*)`,
    String.raw`(?<comment>/\*)`,
    String.raw`(?<quoted>[eE]'(?:[^'\\]|''|\\[^])*(?:'|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$))`,
    String.raw`(?<dollar>\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)`,
    String.raw`(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)`,
    String.raw`[^]`,
  ].join('|'),
  'y',
);

function split(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let piece: Piece | undefined;
  let depth = new Depth();
  for (let at = 0; at < text.length;) {
    TOKEN.lastIndex = at;
    const { 0: token = '', groups = {} } = TOKEN.exec(text) ?? {};
    const from = at;
    at = endOf(text, at, token, groups);
    if (groups['space'] !== undefined || groups['comment'] !== undefined) continue;
    if (token === ';' && depth.isOutside) {
      piece = undefined;
      depth = new Depth();
      continue;
    }
    if (!piece) pieces.push((piece = { words: [], last: '', from, to: at }));
    piece.to = at;
    const word = groups['word']?.toUpperCase();
    addToken(piece, token, word, groups);
    depth.pass(word ?? token, piece.words);
  }
  return pieces;
}

function addToken(
  piece: Piece,
  token: string,
  word: string | undefined,
  groups: Readonly<Record<string, string>>,
): void {
  if (word !== undefined && piece.words.length < WORDS) piece.words.push(word);
  if (word !== undefined || groups['quoted'] !== undefined) piece.last = token;
}

/** Where a token ends. Comments nest, and a dollar quote continues to the same tag. */
function endOf(text: string, at: number, token: string, groups: Readonly<Record<string, string>>): number {
  const next = at + token.length;
  if (groups['dollar'] !== undefined) {
    const close = text.indexOf(token, next);
    return close === -1 ? text.length : close + token.length;
  }
  return groups['comment'] === undefined ? next : endOfComment(text, next);
}

function endOfComment(text: string, from: number): number {
  const MARK = /\/\*|\*\//g;
  MARK.lastIndex = from;
  for (let open = 1; ;) {
    const mark = MARK.exec(text);
    if (!mark) return text.length;
    open += mark[0] === '/*' ? 1 : -1;
    if (open === 0) return MARK.lastIndex;
  }
}

/** Inside of parentheses, and of a function's body in BEGIN ATOMIC … END, a semicolon ends no statement. */
class Depth {
  private parentheses = 0;
  private blocks = 0;

  get isOutside(): boolean {
    return this.parentheses <= 0 && this.blocks <= 0;
  }

  pass(token: string, words: readonly string[]): void {
    if (token === '(') this.parentheses += 1;
    else if (token === ')') this.parentheses -= 1;
    else if (words[0] !== 'CREATE' || !words.some((word) => word === 'FUNCTION' || word === 'PROCEDURE'))
      return;
    else if (token === 'BEGIN' || (token === 'CASE' && this.blocks > 0)) this.blocks += 1;
    else if (token === 'END' && this.blocks > 0) this.blocks -= 1;
  }
}
