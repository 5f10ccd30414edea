import type ts from 'typescript';
import { type Compiler, nodesOf } from './compiler.js';
import { lastName } from './decorators.js';
import { propertyName } from './module-class.js';
import { sourceCode } from './source-code.js';

const CANDIDATE = /\bConfigModule\b|\bloadEnvFile\b|['"`]dotenv\b/;
const DOTENV = /^dotenv(?:[-/][\w/.-]+)?$/;
/** It reads the file when the application starts. */
export const NEST_READER = 'ConfigModule.forRoot';

/** Code that reads `.env`. */
export interface EnvironmentReader {
  readonly file: string;
  /** What is in the file, such as `dotenv/config` or `ConfigModule.forRoot`. */
  readonly code: string;
}

/** Finds the code that reads `.env`: Nest's module first, since the application starts it, then any other. */
export function environmentReaderIn(
  files: readonly { readonly file: string; readonly text: string }[],
  compiler: Compiler,
): EnvironmentReader | undefined {
  const readers = files
    .filter(({ text }) => CANDIDATE.test(text))
    .flatMap(({ file, text }) =>
      nodesOf(compiler, sourceCode(compiler, file, text).source)
        .map((node) => readerAt(compiler, node))
        .filter((code) => code !== undefined)
        .map((code) => ({ file, code })),
    );
  return readers.find(({ code }) => code === NEST_READER) ?? readers[0];
}

/** The code of one node, if it reads `.env`. */
function readerAt(compiler: Compiler, node: ts.Node): string | undefined {
  if (compiler.isIdentifier(node) && node.text === 'loadEnvFile') return node.text;
  if (compiler.isStringLiteralLike(node) && DOTENV.test(node.text) && !isTypeImport(compiler, node.parent))
    return node.text;
  return compiler.isCallExpression(node) && isModule(compiler, node) ? NEST_READER : undefined;
}

function isTypeImport(compiler: Compiler, node: ts.Node): boolean {
  return compiler.isImportDeclaration(node) && node.importClause?.getText().startsWith('type ') === true;
}

function isModule(compiler: Compiler, { expression, arguments: [options] }: ts.CallExpression): boolean {
  if (!compiler.isPropertyAccessExpression(expression) || expression.name.text !== 'forRoot') return false;
  return lastName(compiler, expression.expression) === 'ConfigModule' && !ignoresFile(compiler, options);
}

/** Whether the options have `ignoreEnvFile: true`. */
function ignoresFile(compiler: Compiler, options: ts.Expression | undefined): boolean {
  if (!options || !compiler.isObjectLiteralExpression(options)) return false;
  return options.properties
    .filter(compiler.isPropertyAssignment)
    .some(
      ({ name, initializer }) =>
        propertyName(compiler, name) === 'ignoreEnvFile' &&
        initializer.kind === compiler.SyntaxKind.TrueKeyword,
    );
}
