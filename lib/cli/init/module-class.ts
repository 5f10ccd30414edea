import type ts from 'typescript';
import { type CodeList } from './code-list.js';
import { exportedName, specifiersFrom } from './import-names.js';
import { NotEditableError } from './not-editable.error.js';
import { type SourceCode } from './source-code.js';

/** A list of a module's metadata that `init` changes. */
export type ModuleListName = 'imports' | 'controllers' | 'providers';

/**
 * Finds the object of `@Module({…})`.
 *
 * @param className The module, if a file has several.
 * @throws NotEditableError if the file has no such object, or more than one.
 */
export function moduleMetadata(code: SourceCode, className?: string): ts.ObjectLiteralExpression {
  const { compiler, source } = code;
  const calls = source.statements
    .filter(compiler.isClassDeclaration)
    .flatMap((declared) =>
      moduleDecorators(code, declared).map((call) => ({ name: declared.name?.text, call })),
    );
  const chosen = calls.length > 1 ? calls.filter(({ name }) => name === className) : calls;
  const [argument] = chosen[0]?.call.arguments ?? [];
  if (calls.length === 0) {
    throw new NotEditableError(
      'it has no class with @Module(). If another file has it, name the root module with --module <file>',
    );
  }
  if (chosen.length !== 1) throw new NotEditableError('it has several classes with @Module()');
  if (!argument || !compiler.isObjectLiteralExpression(argument)) {
    throw new NotEditableError('the argument of @Module() is not an object literal');
  }
  if (argument.properties.some(compiler.isSpreadAssignment)) {
    throw new NotEditableError('part of the argument of @Module() is elsewhere');
  }
  return argument;
}

/**
 * The elements of one list; undefined if the metadata has no such list.
 *
 * @throws NotEditableError if it is not a plain list.
 */
export function moduleList(
  { compiler }: SourceCode,
  metadata: ts.ObjectLiteralExpression,
  name: ModuleListName,
): CodeList | undefined {
  const property = metadata.properties.find(({ name: key }) => key && propertyName(compiler, key) === name);
  if (!property) return undefined;
  const node = compiler.isPropertyAssignment(property) ? property.initializer : property;
  if (!compiler.isArrayLiteralExpression(node) || node.elements.some(compiler.isSpreadElement)) {
    throw new NotEditableError(`its ${name} are not a plain list`);
  }
  return { node, elements: node.elements };
}

export function propertyName(compiler: SourceCode['compiler'], key: ts.PropertyName): string | undefined {
  return compiler.isIdentifier(key) || compiler.isStringLiteral(key) ? key.text : undefined;
}

function moduleDecorators(code: SourceCode, declared: ts.ClassDeclaration): readonly ts.CallExpression[] {
  const { compiler } = code;
  const locals = specifiersFrom(code, '@nestjs/common')
    .filter((specifier) => exportedName(specifier) === 'Module')
    .map(({ name }) => name.text);
  return (compiler.getDecorators(declared) ?? []).flatMap(({ expression }) => {
    if (!compiler.isCallExpression(expression)) return [];
    const { expression: callee } = expression;
    const isModule = compiler.isPropertyAccessExpression(callee)
      ? callee.name.text === 'Module'
      : compiler.isIdentifier(callee) && locals.includes(callee.text);
    return isModule ? [expression] : [];
  });
}
