import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import {
  type Application,
  findApplications,
  isInside,
  packageFolder,
  projectChoices,
} from '../project/applications.js';
import { UsageError } from '../usage-error.js';
import { type Compiler, nodesOf } from './compiler.js';
import { exportedName, importsOf, moduleOf, specifiersFrom } from './import-names.js';
import { type SourceCode, sourceCode } from './source-code.js';
import { sourceBytes } from './source-text.js';

const FACTORY = /^NestFactory\s*\.\s*create\w*$/;

/** The module that registers everything. */
export interface RootModule {
  readonly file: string;
  /** Undefined if nothing names the class. */
  readonly className: string | undefined;
}

/** What the command line says of the application. */
interface WantedApplication {
  /** The path of `--module`. */
  readonly module?: string;
  /** The name or folder of `--project`. */
  readonly project?: string;
}

/**
 * Finds the application of a command.
 *
 * @throws UsageError if there is none, or several.
 */
export function applicationAt(folder: string, { module, project }: WantedApplication): Application {
  if (module !== undefined) return applicationOf(resolve(folder, module), module);
  const { meant, known } = findApplications(folder, project);
  const [first] = meant;
  if (first && meant.length === 1) return first;
  if (known.length === 0) {
    throw new UsageError("There is no package.json here: run it in the application's folder.");
  }
  const problem = first
    ? 'There are several applications here'
    : `There is no application '${project ?? ''}' here`;
  throw new UsageError(`${problem}: write ${projectChoices(known)}.`);
}

/**
 * Finds the module that `--module` names, or that `main.ts` starts, or `app.module.ts`.
 *
 * @throws UsageError if none of them exists.
 */
export function rootModule(
  application: Application,
  {
    folder,
    module,
    compiler,
  }: { folder: string; module: string | undefined; compiler: Compiler | undefined },
): RootModule {
  const started = compiler && startedModule(application.main, compiler);
  const usual = join(application.sources, 'app.module.ts');
  const named = module === undefined ? undefined : resolve(folder, module);
  const file = named ?? started?.file ?? (existsSync(usual) ? usual : undefined);
  if (file !== undefined) return { file, className: started?.className };
  throw new UsageError(
    `There is neither ${shown(folder, usual)} nor a module that ${shown(folder, application.main)} starts: name the root ` +
      'module with --module <file>.',
  );
}

/** A path for messages. */
export function shown(folder: string, file: string): string {
  return relative(folder, file).replaceAll('\\', '/');
}

function applicationOf(file: string, module: string): Application {
  if (!existsSync(file) || !file.endsWith('.ts')) {
    throw new UsageError(
      `--module must be a TypeScript file that is there, and ${module} is not: write src/app.module.ts.`,
    );
  }
  const folder = packageFolder(dirname(file));
  if (folder === undefined) throw new UsageError(`There is no package.json above ${module}.`);
  const around = findApplications(dirname(file), undefined).known.find(({ sources }) =>
    isInside(sources, file),
  );
  const sources = dirname(file);
  return around ?? { name: '.', home: folder, folder, sources, main: join(sources, 'main.ts') };
}

/** The first argument of `NestFactory.create…(…)`, with its file if the import leads to one. */
function startedModule(
  main: string,
  compiler: Compiler,
): { readonly className: string; readonly file: string | undefined } | undefined {
  if (!existsSync(main)) return undefined;
  const code = sourceCode(compiler, main, sourceBytes(main, basename(main)).toString('utf8'));
  const local = startedName(code);
  if (local === undefined) return undefined;
  for (const from of importsOf(code).map(moduleOf)) {
    const specifier = specifiersFrom(code, from).find(({ name }) => name.text === local);
    if (specifier) return { className: exportedName(specifier), file: siblingFile(main, from) };
  }
  const isHere = code.source.statements.some(
    (statement) => compiler.isClassDeclaration(statement) && statement.name?.text === local,
  );
  return { className: local, file: isHere ? main : undefined };
}

function startedName({ compiler, source }: SourceCode): string | undefined {
  for (const node of nodesOf(compiler, source)) {
    if (!compiler.isCallExpression(node) || !FACTORY.test(node.expression.getText(source))) continue;
    const [first] = node.arguments;
    if (first && compiler.isIdentifier(first)) return first.text;
  }
  return undefined;
}

/** The file of a relative import; undefined if it does not exist. */
function siblingFile(file: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const target = resolve(dirname(file), specifier.replace(/\.[jt]s$/, ''));
  return [`${target}.ts`, join(target, 'index.ts')].find((path) => existsSync(path));
}
