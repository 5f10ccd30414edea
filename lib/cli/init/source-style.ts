import type ts from 'typescript';
import { type Compiler, nodesOf } from './compiler.js';

/** The code style of a file. */
export interface SourceStyle {
  readonly newline: '\n' | '\r\n';
  readonly indent: string;
  readonly quote: "'" | '"';
  readonly semicolon: boolean;
  /** Whether the last element of a multi-line list has a comma. */
  readonly trailingComma: boolean;
  /** Whether one-line braces have inner spaces. */
  readonly padding: boolean;
}

/** The style of `nest new`. */
const DEFAULT_STYLE: SourceStyle = {
  newline: '\n',
  indent: '  ',
  quote: "'",
  semicolon: true,
  trailingComma: true,
  padding: true,
};

/** The style of most places of a file, completed with the style of `nest new`. */
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

/** Converts text from the style of `nest new` into another style. Line ends stay. */
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

/** The narrowest indent. Of a block comment only the first line counts: the others are indented in any way. */
function indentOf(text: string): string {
  const code = text.replaceAll(/^([ \t]*)\/\*.*?\*\//gms, '$1/');
  const indents = [...code.matchAll(/^([ \t]+)[^\s*]/gm)].map(([, white = '']) => white);
  if (indents.some((white) => white.startsWith('\t'))) return '\t';
  const widths = indents.map(({ length }) => length);
  return widths.length === 0 ? DEFAULT_STYLE.indent : ' '.repeat(Math.min(...widths));
}

function trailingCommas(compiler: Compiler, source: ts.SourceFile): readonly boolean[] {
  return nodesOf(compiler, source).flatMap((node) => {
    const elements = listOf(compiler, node);
    return elements?.length && isBroken(source, node, elements) ? [elements.hasTrailingComma] : [];
  });
}

function listOf(compiler: Compiler, node: ts.Node): ts.NodeArray<ts.Node> | undefined {
  if (compiler.isArrayLiteralExpression(node) || compiler.isNamedImports(node)) return node.elements;
  return compiler.isObjectLiteralExpression(node) ? node.properties : undefined;
}

/** Whether the closing bracket has its own line. */
function isBroken({ text }: ts.SourceFile, node: ts.Node, elements: ts.NodeArray<ts.Node>): boolean {
  return text.slice(elements.at(-1)?.end, node.end).includes('\n');
}

function most(votes: readonly boolean[]): boolean {
  return votes.filter(Boolean).length * 2 >= votes.length;
}
