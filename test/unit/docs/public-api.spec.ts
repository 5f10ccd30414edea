import { expect, it } from 'vitest';
import ts from 'typescript';
import { ENTRY_POINTS, exportsOf, statementsOf } from '../../support/public-exports.js';

function declares(statement: ts.Statement, name: string): boolean {
  const declarations = ts.isVariableStatement(statement)
    ? statement.declarationList.declarations
    : [statement as ts.DeclarationStatement];
  return declarations.some((declaration) => declaration.name?.getText() === name);
}

it.each(ENTRY_POINTS)('%s: everything that it exports is marked as public', (entryPoint) => {
  const exported = exportsOf(entryPoint);
  const unmarked = exported.filter(({ name, file }) => {
    const declarations = statementsOf(file).filter((statement) => declares(statement, name));
    const tags = declarations.flatMap((statement) => [...ts.getJSDocTags(statement)]);
    return !tags.some(({ tagName }) => tagName.text === 'publicApi');
  });
  expect(exported.length).toBeGreaterThan(0);
  expect(unmarked.map(({ name, file }) => `${name} in ${file}`)).toEqual([]);
});
