import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type ts from 'typescript';
import { foldersUp } from '../json-file.js';

/** The API of TypeScript 5 and 6, from the application's own installation. */
export type Compiler = typeof ts;

/** A compiler, or the reason for having none, as the second half of a sentence. */
type CompilerFinding =
  | { readonly compiler: Compiler; readonly problem?: undefined }
  | { readonly compiler?: undefined; readonly problem: string };

/**
 * Loads the application's own TypeScript, or else that of its `@nestjs/cli`. TypeScript 7 has no such API.
 */
export function compilerOf(folder: string): CompilerFinding {
  const own = typescriptFrom(folder);
  const nestCli = resolvedFrom(folder, '@nestjs/cli/package.json');
  const others = nestCli === undefined ? [] : [typescriptFrom(dirname(nestCli))];
  // Plug'n'Play does not show a workspace what only its root declares.
  const roots = foldersUp(dirname(folder)).map((at) => typescriptFrom(at));
  const compiler = [own, ...others, ...roots].find((found) => found?.createSourceFile !== undefined);
  if (compiler) return { compiler: compiler as Compiler };
  if (own?.version === undefined) return { problem: 'TypeScript, which reads it, is not installed here' };
  return { problem: `TypeScript 5 or 6 can read it, and ${own.version} is installed here` };
}

function typescriptFrom(folder: string): Partial<Compiler> | undefined {
  const file = resolvedFrom(folder, 'typescript');
  return file === undefined ? undefined : (createRequire(file)(file) as Partial<Compiler>);
}

function resolvedFrom(folder: string, name: string): string | undefined {
  try {
    return createRequire(join(folder, 'package.json')).resolve(name);
  } catch {
    return undefined;
  }
}

/** A node and everything in it, in the order of the text, without the parts that are not entered. */
export function nodesOf(
  compiler: Compiler,
  root: ts.Node,
  enters: (node: ts.Node) => boolean = () => true,
): readonly ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (!enters(node)) return;
    nodes.push(node);
    compiler.forEachChild(node, visit);
  };
  visit(root);
  return nodes;
}
