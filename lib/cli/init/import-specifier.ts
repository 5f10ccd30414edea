import { dirname, relative } from 'node:path';
import type ts from 'typescript';
import { importsOf, moduleOf } from './import-names.js';
import { type SourceCode } from './source-code.js';

/** The specifier with which a file imports a neighbour. */
export function importSpecifier(code: SourceCode, file: string): string {
  const from = dirname(code.source.fileName);
  const path = relative(from, file).replaceAll('\\', '/').replace(/\.ts$/, '');
  return `${path.startsWith('.') ? '' : './'}${path}${importEnding(code)}`;
}

/** The extension of the specifier: that of the file's other imports, or else what the module format needs. */
function importEnding(code: SourceCode): '' | '.js' | '.ts' {
  const neighbours = importsOf(code)
    .map(moduleOf)
    .filter((specifier) => /^\.\.?\//.test(specifier));
  if (neighbours.some((specifier) => specifier.endsWith('.js'))) return '.js';
  if (neighbours.some((specifier) => specifier.endsWith('.ts'))) return '.ts';
  return neighbours.length === 0 && needsEnding(code) ? '.js' : '';
}

/** Whether Node itself resolves the compiled specifier. */
function needsEnding({ compiler, source }: SourceCode): boolean {
  const config = compiler.findConfigFile(source.fileName, (path) => compiler.sys.fileExists(path));
  const options = config === undefined ? {} : optionsOf(compiler, config);
  const format = compiler.getImpliedNodeFormatForFile(source.fileName, undefined, compiler.sys, options);
  const { NodeNext } = compiler.ModuleResolutionKind;
  return options.moduleResolution === NodeNext && format === compiler.ModuleKind.ESNext;
}

function optionsOf(compiler: SourceCode['compiler'], config: string): ts.CompilerOptions {
  const host: ts.ParseConfigFileHost = { ...compiler.sys, onUnRecoverableConfigFileDiagnostic: () => {} };
  return compiler.getParsedCommandLineOfConfigFile(config, {}, host)?.options ?? {};
}
