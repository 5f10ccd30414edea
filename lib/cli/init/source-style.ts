import type ts from 'typescript';
import { type Compiler } from './compiler.js';

/** How a file is written. */
export interface SourceStyle {
  readonly newline: '\n' | '\r\n';
  readonly indent: string;
  readonly quote: "'" | '"';
  readonly semicolon: boolean;
  /** After the last element of a list of several lines. */
  readonly trailingComma: boolean;
  /** Between braces and what they hold in one line. */
  readonly padding: boolean;
}

/** That of `nest new`. */
export const DEFAULT_STYLE: SourceStyle = {
  newline: '\n',
  indent: '  ',
  quote: "'",
  semicolon: true,
  trailingComma: true,
  padding: true,
};

/** What most places of a file do; what no place shows is as `nest new` writes it. */
export function styleOf(compiler: Compiler, source: ts.SourceFile): SourceStyle {
  const { text } = source;
  const imports = source.statements.filter(compiler.isImportDeclaration);
  const named = imports.flatMap(({ importClause }) => importClause?.namedBindings?.getText(source) ?? []);
  return {
    newline: text.includes('\r\n') ? '\r\n' : DEFAULT_STYLE.newline,
    indent: indentOf(text),
    quote: most(imports.map(({ moduleSpecifier }) => moduleSpecifier.getText(source).startsWith("'")))
      ? "'"
      : '"',
    semicolon: most(imports.map((statement) => statement.getText(source).endsWith(';'))),
    trailingComma: most(trailingCommas(compiler, source)),
    padding: most(named.filter((braces) => !braces.includes('\n')).map((braces) => braces.startsWith('{ '))),
  };
}

/** Takes text in the style of `nest new` over into another one; line ends stay what they are. */
export function restyled(
  text: string,
  { indent, quote, semicolon, trailingComma, padding }: SourceStyle,
): string {
  let result = text
    .replace(/^( {2})+/gm, (spaces) => indent.repeat(spaces.length / 2))
    .replaceAll("'", quote);
  if (!semicolon) result = result.replace(/;$/gm, '');
  if (!trailingComma) result = result.replace(/,(\n\s*[\])}])/g, '$1');
  if (!padding) result = result.replace(/\{ (?=\S)/g, '{').replace(/(?<=\S) \}/g, '}');
  return result;
}

/** The narrowest indent; a line of a block comment begins with a star and counts not. */
function indentOf(text: string): string {
  const indents = [...text.matchAll(/^([ \t]+)[^\s*]/gm)].map(([, white = '']) => white);
  if (indents.some((white) => white.startsWith('\t'))) return '\t';
  const widths = indents.map(({ length }) => length);
  return widths.length === 0 ? DEFAULT_STYLE.indent : ' '.repeat(Math.min(...widths));
}

function trailingCommas(compiler: Compiler, source: ts.SourceFile): readonly boolean[] {
  const found: boolean[] = [];
  const visit = (node: ts.Node): void => {
    const elements = listOf(compiler, node);
    if (elements && elements.length > 0 && isBroken(source, node, elements))
      found.push(elements.hasTrailingComma);
    compiler.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function listOf(compiler: Compiler, node: ts.Node): ts.NodeArray<ts.Node> | undefined {
  if (compiler.isArrayLiteralExpression(node) || compiler.isNamedImports(node)) return node.elements;
  return compiler.isObjectLiteralExpression(node) ? node.properties : undefined;
}

/** Whether the closing bracket stands in a line of its own. */
function isBroken({ text }: ts.SourceFile, node: ts.Node, elements: ts.NodeArray<ts.Node>): boolean {
  return text.slice(elements.at(-1)?.end, node.end).includes('\n');
}

function most(votes: readonly boolean[]): boolean {
  return votes.filter(Boolean).length * 2 >= votes.length;
}
