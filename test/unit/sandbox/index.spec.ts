import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import ts from 'typescript';

const LIB = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'lib');

describe('the entry nestjs-payments/sandbox', () => {
  it('loads nothing but Node itself and files of this package', () => {
    const { packages } = importsFrom(join(LIB, 'sandbox', 'index.ts'));
    expect(packages.filter((name) => !name.startsWith('node:'))).toEqual([]);
  });

  it('validates without the DTOs of the package, or else both would share one misreading', () => {
    const { files } = importsFrom(join(LIB, 'sandbox', 'index.ts'));
    const folders = new Set(files.map((file) => relative(LIB, file).split(/[/\\]/)[0]));
    expect([...folders].sort()).toEqual(['common', 'errors', 'gateway-profile', 'sandbox', 'webhooks']);
  });
});

interface Imports {
  readonly files: readonly string[];
  readonly packages: readonly string[];
}

/** What a file loads at run time, followed through this package; type imports load nothing. */
function importsFrom(entry: string): Imports {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const specifier of valueImports(file)) {
      if (specifier.startsWith('.')) visit(join(dirname(file), specifier.replace(/\.js$/, '.ts')));
      else packages.add(specifier);
    }
  };
  visit(entry);
  return { files: [...files], packages: [...packages] };
}

function valueImports(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022);
  return source.statements.flatMap((statement) => {
    if (ts.isImportDeclaration(statement)) {
      return loads(statement.importClause?.namedBindings) ? [text(statement.moduleSpecifier)] : [];
    }
    if (ts.isExportDeclaration(statement) && statement.moduleSpecifier) {
      return loads(statement.exportClause) ? [text(statement.moduleSpecifier)] : [];
    }
    return [];
  });
}

function loads(bindings: ts.NamedImportBindings | ts.NamedExportBindings | undefined): boolean {
  if (!bindings || !(ts.isNamedImports(bindings) || ts.isNamedExports(bindings))) return true;
  return bindings.elements.some(({ isTypeOnly }) => !isTypeOnly);
}

function text(specifier: ts.Expression): string {
  return (specifier as ts.StringLiteral).text;
}
