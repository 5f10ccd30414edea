import type ts from 'typescript';
import { type Compiler } from './compiler.js';
import { exportedName, specifiersFrom } from './import-names.js';
import { type SourceCode } from './source-code.js';

/** The calls of one of a package's decorators at a class or at a member. */
export function decoratorsOf(
  code: SourceCode,
  node: ts.Node,
  name: string,
  from: string,
): readonly ts.CallExpression[] {
  const { compiler } = code;
  const local = localsOf(code, name, from);
  return (compiler.canHaveDecorators(node) ? (compiler.getDecorators(node) ?? []) : [])
    .map(({ expression }) => expression)
    .filter(compiler.isCallExpression)
    .filter(({ expression }) => local.includes(lastName(compiler, expression)));
}

/** The local names of one of a package's exports in a file. A namespace import keeps the export's name. */
export function localsOf(code: SourceCode, name: string, from: string): readonly string[] {
  const imported = specifiersFrom(code, from).filter((specifier) => exportedName(specifier) === name);
  const isNamespace = new RegExp(String.raw`import \* as \w+ from ['"]${from}['"]`).test(code.source.text);
  return [...imported.map((specifier) => specifier.name.text), ...(isNamespace ? [name] : [])];
}

/** `PaymentsModule` of `payments.PaymentsModule`. */
export function lastName(compiler: Compiler, node: ts.Expression): string {
  if (compiler.isPropertyAccessExpression(node)) return node.name.text;
  return compiler.isIdentifier(node) ? node.text : '';
}
