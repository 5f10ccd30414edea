import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import type ts from 'typescript';
import { importsOf, moduleOf } from './import-names.js';
import { type SourceCode, sourceCode } from './source-code.js';

/**
 * The specifier with which a file imports a neighbour.
 *
 * @param main The file that starts the application.
 */
export function importSpecifier(code: SourceCode, file: string, main: string): string {
  const from = dirname(code.source.fileName);
  const path = relative(from, file).replaceAll('\\', '/').replace(/\.ts$/, '');
  return `${path.startsWith('.') ? '' : './'}${path}${importEnding(code, main)}`;
}

/** The extension of the specifier: that of the file's other imports, or those of `main.ts`, or else what the module format needs. */
function importEnding(code: SourceCode, main: string): '' | '.js' | '.ts' {
  const ending = endingIn(code) ?? (existsSync(main) ? endingIn(codeOf(code, main)) : undefined);
  return ending ?? (needsEnding(code) ? '.js' : '');
}

/** Undefined if the file imports no neighbour. */
function endingIn(code: SourceCode): '' | '.js' | '.ts' | undefined {
  const neighbours = importsOf(code)
    .map(moduleOf)
    .filter((specifier) => /^\.\.?\//.test(specifier));
  if (neighbours.some((specifier) => specifier.endsWith('.js'))) return '.js';
  if (neighbours.some((specifier) => specifier.endsWith('.ts'))) return '.ts';
  return neighbours.length === 0 ? undefined : '';
}

function codeOf({ compiler }: SourceCode, file: string): SourceCode {
  return sourceCode(compiler, file, readFileSync(file, 'utf8'));
}

/** Whether Node itself resolves the compiled specifier. The format is known only if modules are resolved as Node does it. */
function needsEnding({ compiler, source }: SourceCode): boolean {
  const config = compiler.findConfigFile(source.fileName, (path) => compiler.sys.fileExists(path));
  const options = config === undefined ? {} : optionsOf(compiler, config);
  const format = compiler.getImpliedNodeFormatForFile(source.fileName, undefined, compiler.sys, options);
  return format === compiler.ModuleKind.ESNext;
}

function optionsOf(compiler: SourceCode['compiler'], config: string): ts.CompilerOptions {
  const host: ts.ParseConfigFileHost = { ...compiler.sys, onUnRecoverableConfigFileDiagnostic: () => {} };
  return compiler.getParsedCommandLineOfConfigFile(config, {}, host)?.options ?? {};
}
