import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type ts from 'typescript';
import { readableEntries } from '../readable-entries.js';
import { type Compiler, nodesOf } from './compiler.js';
import { decoratorsOf, lastName, localsOf } from './decorators.js';
import { type EnvironmentReader, environmentReaderIn } from './environment-reader.js';
import { type ErrorAnswer, errorAnswerIn } from './error-answer.js';
import { shown } from './root-module.js';
import { type SourceCode, sourceCode } from './source-code.js';
import { sourceBytes } from './source-text.js';
import { takenRouteIn } from './taken-route.js';

const NO_SOURCES = /^(node_modules|dist|\.git)$/;
const IS_SOURCE = /(?<!\.d|[.-](spec|test))\.ts$/;

/** A class of the application. */
export interface FoundClass {
  readonly file: string;
  readonly name: string;
  /** Whether another place, such as a module's list, names it by value. */
  readonly isUsed: boolean;
}

/** The payments code that an application already has. */
interface Survey {
  /** The file that registers PaymentsModule. */
  readonly registeredIn: string | undefined;
  /** The class with `@PaymentsWebhook`. */
  readonly controller: FoundClass | undefined;
  /** The class with `@OnPayment`. */
  readonly handler: FoundClass | undefined;
  /** The code that reads `.env`. */
  readonly environmentReader: EnvironmentReader | undefined;
  /** The code that decides how errors are answered: an exception filter, or the interceptor of this package. */
  readonly errorAnswer: ErrorAnswer | undefined;
  /** The file of a controller that answers `POST /webhooks/payments`; undefined if there is a class with `@PaymentsWebhook`. */
  readonly takenRoute: string | undefined;
}

/**
 * Searches every TypeScript file of some folders, each file once. The path by which it is found first is its path.
 *
 * @param from The folder from which messages show paths.
 * @throws NotEditableError if this user may not read one of the files: it may hold what is searched.
 */
export function surveyOf(folders: readonly string[], compiler: Compiler, from: string): Survey {
  const seen = new Set<string>();
  const files = folders
    .flatMap((folder) => filesIn(folder, seen))
    .map((file) => ({ file, text: sourceBytes(file, shown(from, file)).toString('utf8') }));
  const ours = files
    .filter(({ text }) => text.includes('nestjs-payments'))
    .map(({ file, text }) => sourceCode(compiler, file, text));
  const find = (decorator: string): FoundClass | undefined => {
    const found = ours
      .flatMap((code) => classesWith(code, decorator))
      .map((one) => ({
        ...one,
        isUsed: files
          .filter(({ text }) => text.includes(one.name))
          .some((other) => namesByValue(sourceCode(compiler, other.file, other.text), one)),
      }));
    return found.find(({ isUsed }) => isUsed) ?? found.find(({ isExported }) => isExported);
  };
  const controller = find('PaymentsWebhook');
  return {
    registeredIn: ours.find(registersPayments)?.source.fileName,
    controller,
    handler: find('OnPayment'),
    environmentReader: environmentReaderIn(files, compiler),
    errorAnswer: errorAnswerIn(files),
    takenRoute: controller ? undefined : takenRouteIn(files, compiler),
  };
}

/**
 * The sources below a folder, which may be a link itself. A linked file in it counts; a linked folder does not, for it may
 * lead back here.
 *
 * @param seen The real paths of what was found before; those found now are added.
 */
function filesIn(folder: string, seen: Set<string>): readonly string[] {
  return readableEntries(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NO_SOURCES.test(entry.name) ? [] : filesIn(path, seen);
    const real = IS_SOURCE.test(entry.name) ? realFile(path) : undefined;
    return real !== undefined && isNew(real, seen) ? [path] : [];
  });
}

/** The path of a file without links; undefined if the path leads to no file, or to a place that is closed to this user. */
function realFile(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? realpathSync(path) : undefined;
  } catch {
    return undefined;
  }
}

function isNew(path: string, seen: Set<string>): boolean {
  return seen.size < seen.add(path).size;
}

function registersPayments(code: SourceCode): boolean {
  const { compiler, source } = code;
  const local = localsOf(code, 'PaymentsModule', 'nestjs-payments');
  return nodesOf(compiler, source).some((node) => {
    if (!compiler.isCallExpression(node) || !compiler.isPropertyAccessExpression(node.expression))
      return false;
    const { expression, name } = node.expression;
    return /^forRoot(Async)?$/.test(name.text) && local.includes(lastName(compiler, expression));
  });
}

function classesWith(code: SourceCode, decorator: string) {
  const { compiler, source } = code;
  return source.statements
    .filter(compiler.isClassDeclaration)
    .filter(({ members }) =>
      members.some((member) => decoratorsOf(code, member, decorator, 'nestjs-payments').length > 0),
    )
    .map((node) => ({
      file: source.fileName,
      name: node.name?.text ?? '',
      isExported: isExported(compiler, node),
    }));
}

/** Whether a file names a class by value. Imports, types and the class itself do not count. */
export function namesByValue(
  { compiler, source }: SourceCode,
  wanted: { readonly file: string; readonly name: string },
): boolean {
  const isElsewhere = (node: ts.Node): boolean =>
    !compiler.isImportDeclaration(node) && !compiler.isExportDeclaration(node) && !compiler.isTypeNode(node);
  const isOwn = (node: ts.Node): boolean =>
    source.fileName === wanted.file && compiler.isClassDeclaration(node) && node.name?.text === wanted.name;
  const nodes = nodesOf(compiler, source, (node) => isElsewhere(node) && !isOwn(node));
  return nodes.some((node) => compiler.isIdentifier(node) && node.text === wanted.name);
}

function isExported(compiler: Compiler, node: ts.ClassDeclaration): boolean {
  const kinds = node.modifiers?.map(({ kind }) => kind) ?? [];
  return (
    kinds.includes(compiler.SyntaxKind.ExportKeyword) && !kinds.includes(compiler.SyntaxKind.DefaultKeyword)
  );
}
