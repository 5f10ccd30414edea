import { join } from 'node:path';
import { expect, it } from 'vitest';
import ts from 'typescript';
import { ENTRY_POINTS, entryFile } from '../../support/public-exports.js';

const lib = join(process.cwd(), 'lib');
const config = ts.readConfigFile('tsconfig.json', (file) => ts.sys.readFile(file));
const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, process.cwd());
const program = ts.createProgram(ENTRY_POINTS.map(entryFile), options);
const checker = program.getTypeChecker();

function symbolOf(node: ts.Node): ts.Symbol | undefined {
  const symbol = checker.getSymbolAtLocation(node);
  return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

const exported = new Set(
  ENTRY_POINTS.flatMap((entry) => {
    const file = program.getSourceFile(entryFile(entry));
    const module = file && checker.getSymbolAtLocation(file);
    if (!module) throw new Error(`${entry} is no module`);
    return checker.getExportsOfModule(module);
  }).map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)),
);

/** The build leaves it out of the declarations. */
function isHidden(node: ts.Node): boolean {
  const isPrivate =
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) === true;
  // A parameter that makes a private property is a parameter of the constructor all the same.
  if (isPrivate && !ts.isParameter(node)) return true;
  return ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal');
}

/** What a declaration shows: no code, no values, and not what a class of its own is built on. */
function shown(node: ts.Node): readonly ts.Node[] {
  if (ts.isConditionalTypeNode(node)) return [node.checkType, node.trueType, node.falseType];
  const all: ts.Node[] = [];
  node.forEachChild((child) => {
    const isBase = ts.isClassDeclaration(node) && ts.isHeritageClause(child);
    const isValue = ts.isBlock(child) || (ts.isExpression(child) && !ts.isTypeNode(child));
    if (!isBase && !isValue && !isHidden(child)) all.push(child);
  });
  return all;
}

function hiddenNames(node: ts.Node): readonly string[] {
  const name = ts.isTypeReferenceNode(node)
    ? node.typeName
    : ts.isExpressionWithTypeArguments(node)
      ? node.expression
      : undefined;
  const symbol = name && symbolOf(name);
  const isOwn = symbol?.declarations?.[0]?.getSourceFile().fileName.startsWith(lib) === true;
  const isKnown = !symbol || exported.has(symbol) || (symbol.flags & ts.SymbolFlags.TypeParameter) !== 0;
  return [...(isOwn && !isKnown ? [symbol.name] : []), ...shown(node).flatMap(hiddenNames)];
}

it('names no type of the package in a public declaration that no entry point exports', () => {
  const leaks = [...exported].flatMap((symbol) =>
    (symbol.declarations ?? []).flatMap(hiddenNames).map((name) => `${symbol.name}: ${name}`),
  );
  expect(exported.size).toBeGreaterThan(100);
  expect([...new Set(leaks)]).toEqual([]);
});
