import type ts from 'typescript';
import { type SourceCode } from './source-code.js';
import { beginsLine, indented, lineIndent, lineLength, type TextEdit } from './text-edit.js';

/** Prettier's default width, which `nest new` keeps. */
const LINE_WIDTH = 80;
const COMMA = /^(?:\s|\/\/.*\n|\/\*(?:(?!\*\/)[\s\S])*\*\/)*,/;

/** Elements between brackets, separated by commas. */
export interface CodeList {
  readonly node: ts.Node;
  readonly elements: ts.NodeArray<ts.Node>;
}

/**
 * Inserts an entry into a list. The entry has the file's style, but no indent. The existing elements keep
 * their text.
 */
export function inserted(
  code: SourceCode,
  list: CodeList,
  index: number,
  entry: string,
): readonly TextEdit[] {
  const { text } = code.source;
  const inLine = isInLine(code, list);
  const fits = !entry.includes('\n') && lineLength(text, list.node.end) + entry.length + 2 <= LINE_WIDTH;
  if (list.elements.length === 0) {
    const isEmpty = /^\[\s*\]$/.test(list.node.getText(code.source));
    return filled(code, list, isEmpty && inLine && fits ? entry : `\n${entry}`);
  }
  if (inLine && !fits) return onePerLine(code, list, index, entry);
  if (inLine) return insertedInLine(code, list, index, entry);
  return index === 0 ? insertedFirst(code, list, entry) : insertedAfter(code, list, index - 1, entry);
}

/** Puts each element, and an optional new one, on its own line. */
export function onePerLine(
  code: SourceCode,
  { node, elements }: CodeList,
  index = 0,
  entry?: string,
): readonly TextEdit[] {
  const { text } = code.source;
  const { base, inner } = indents(code, { node, elements });
  const start = node.getStart(code.source) + 1;
  const pieces: string[] = [];
  let from = start;
  for (const element of elements) {
    const comma = afterComma(text, element.end);
    pieces.push(text.slice(from, comma === undefined ? node.end - 1 : comma - 1).trim());
    from = comma ?? node.end - 1;
  }
  const rest = text.slice(from, node.end - 1).trim();
  if (rest !== '') pieces.push(`${pieces.pop() ?? ''} ${rest}`);
  if (entry !== undefined) pieces.splice(index, 0, indented(entry, inner));
  const comma = elements.hasTrailingComma || code.style.trailingComma ? ',' : '';
  return [{ start, end: node.end - 1, text: `\n${inner}${pieces.join(`,\n${inner}`)}${comma}\n${base}` }];
}

export function isInLine({ source }: SourceCode, { node }: CodeList): boolean {
  return !node.getText(source).includes('\n');
}

function filled(code: SourceCode, { node, elements }: CodeList, entry: string): readonly TextEdit[] {
  const { base, inner } = indents(code, { node, elements });
  const start = node.getStart(code.source) + 1;
  const comments = code.source.text.slice(start, node.end - 1).trimEnd();
  if (!entry.startsWith('\n')) return [{ start, end: node.end - 1, text: entry }];
  const comma = code.style.trailingComma ? ',' : '';
  return [{ start, end: node.end - 1, text: `${comments}${indented(entry, inner)}${comma}\n${base}` }];
}

function insertedInLine(
  { source }: SourceCode,
  { elements }: CodeList,
  index: number,
  entry: string,
): readonly TextEdit[] {
  const before = elements[index - 1];
  const place = before?.end ?? elements[0]?.getStart(source) ?? 0;
  return [{ start: place, end: place, text: before ? `, ${entry}` : `${entry}, ` }];
}

function insertedFirst(code: SourceCode, list: CodeList, entry: string): readonly TextEdit[] {
  const { text } = code.source;
  const { inner } = indents(code, list);
  const first = list.elements[0]?.getStart(code.source) ?? 0;
  const written = indented(entry, inner);
  if (!beginsLine(text, first)) return [{ start: first, end: first, text: `${written},\n${inner}` }];
  const place = afterComments(code, list.node.getStart(code.source) + 1);
  return [{ start: place, end: place, text: `\n${inner}${written},` }];
}

function insertedAfter(code: SourceCode, list: CodeList, index: number, entry: string): readonly TextEdit[] {
  const { text } = code.source;
  const { base, inner } = indents(code, list);
  const { end } = list.elements[index] ?? list.node;
  const comma = afterComma(text, end);
  const place = afterComments(code, comma ?? end);
  const closing = comma === undefined && !beginsLine(text, list.node.end - 1) ? `\n${base}` : '';
  return [
    ...(comma === undefined ? [{ start: end, end, text: ',' }] : []),
    {
      start: place,
      end: place,
      text: `\n${inner}${indented(entry, inner)}${comma === undefined ? '' : ','}${closing}`,
    },
  ];
}

/** The indent of the brackets' line and of the elements. */
function indents(
  { source, style }: SourceCode,
  { node, elements }: CodeList,
): { base: string; inner: string } {
  const { text } = source;
  const close = node.end - 1;
  const base = lineIndent(text, beginsLine(text, close) ? close : node.getStart(source));
  const own = elements
    .map((element) => element.getStart(source))
    .findLast((place) => beginsLine(text, place) && place > node.getStart(source));
  return { base, inner: own === undefined ? base + style.indent : lineIndent(text, own) };
}

/** The place after the comma that follows an element; undefined without a comma. */
function afterComma(text: string, end: number): number | undefined {
  const [found] = COMMA.exec(text.slice(end)) ?? [];
  return found === undefined ? undefined : end + found.length;
}

/** The place after the comments at the end of the line. */
function afterComments({ compiler, source }: SourceCode, place: number): number {
  return compiler.getTrailingCommentRanges(source.text, place)?.at(-1)?.end ?? place;
}
