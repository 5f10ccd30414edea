import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> };
const entryPoints = Object.keys(exports).filter((entry) => entry !== './package.json');

function statementsOf(file: string): readonly ts.Statement[] {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true).statements;
}

/** What an entry point exports, with the file that declares it. */
function exportsOf(entryPoint: string): readonly { readonly name: string; readonly file: string }[] {
  const index = join('lib', entryPoint, 'index.ts');
  return statementsOf(index)
    .filter(ts.isExportDeclaration)
    .flatMap(({ exportClause, moduleSpecifier }) => {
      const from = (moduleSpecifier as ts.StringLiteral).text.replace(/\.js$/, '.ts');
      const { elements } = exportClause as ts.NamedExports;
      return elements.map(({ name }) => ({ name: name.text, file: join(dirname(index), from) }));
    });
}

function declares(statement: ts.Statement, name: string): boolean {
  const declarations = ts.isVariableStatement(statement)
    ? statement.declarationList.declarations
    : [statement as ts.DeclarationStatement];
  return declarations.some((declaration) => declaration.name?.getText() === name);
}

it.each(entryPoints)('%s: everything that it exports is marked as public', (entryPoint) => {
  const exported = exportsOf(entryPoint);
  const unmarked = exported.filter(({ name, file }) => {
    const declarations = statementsOf(file).filter((statement) => declares(statement, name));
    const tags = declarations.flatMap((statement) => [...ts.getJSDocTags(statement)]);
    return !tags.some(({ tagName }) => tagName.text === 'publicApi');
  });
  expect(exported.length).toBeGreaterThan(0);
  expect(unmarked.map(({ name, file }) => `${name} in ${file}`)).toEqual([]);
});
