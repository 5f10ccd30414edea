import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, resolve } from 'node:path';
import ts from 'typescript';

/** Finds the package's own files that one file loads, itself included, and the packages that they import. */
export function reach(entry) {
  const files = new Set([entry]);
  const packages = new Set();
  for (const file of files) {
    for (const specifier of specifiersOf(file)) {
      if (specifier.startsWith('.')) files.add(siblingFile(file, specifier));
      else if (!isBuiltin(specifier)) packages.add(packageName(specifier));
    }
  }
  return { files, packages };
}

/** Uses the compiler: comments and embedded texts also name packages, but load none. */
function specifiersOf(file) {
  const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(
    readFileSync(file, 'utf8'),
    true,
    true,
  );
  return [...importedFiles, ...typeReferenceDirectives].map(({ fileName }) => fileName);
}

/** A declaration file imports the `.js` file of another one. */
function siblingFile(file, specifier) {
  const target = resolve(dirname(file), specifier);
  return file.endsWith('.d.ts') ? target.replace(/\.js$/, '.d.ts') : target;
}

function isBuiltin(specifier) {
  return specifier.startsWith('node:') || builtinModules.includes(specifier);
}

function packageName(specifier) {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
