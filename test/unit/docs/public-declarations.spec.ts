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

function isOwn(node: ts.Node): boolean {
  return node.getSourceFile().fileName.startsWith(lib);
}

/** The build leaves it out of the declarations. */
function isHidden(node: ts.Node): boolean {
  const isPrivate =
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) === true;
  // A parameter that makes a private property is a parameter of the constructor anyway.
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
  const isKnown = !symbol || exported.has(symbol) || (symbol.flags & ts.SymbolFlags.TypeParameter) !== 0;
  return [
    ...(!isKnown && symbol.declarations?.some(isOwn) ? [symbol.name] : []),
    ...shown(node).flatMap(hiddenNames),
  ];
}

function hasSentence(node: ts.Node): boolean {
  return ts.getJSDocCommentsAndTags(node).some((comment) => ts.isJSDoc(comment) && comment.comment);
}

/** What a class extends or implements. */
function bases(node: ts.Node): readonly ts.ExpressionWithTypeArguments[] {
  return ts.isClassDeclaration(node) ? (node.heritageClauses ?? []).flatMap(({ types }) => types) : [];
}

/** A base or an interface says it. */
function isInherited({ parent, name }: ts.TypeElement | ts.ClassElement): boolean {
  return bases(parent).some((base) => name && checker.getTypeAtLocation(base).getProperty(name.getText()));
}

/** The members that a declaration names, with those of its bases, which no entry point may export. */
function members(node: ts.Node): readonly ts.NamedDeclaration[] {
  // The text of a function or a union speaks about its parts.
  if (ts.isParameter(node) || ts.isUnionTypeNode(node)) return [];
  const isMember = (ts.isTypeElement(node) || ts.isClassElement(node)) && node.name && !isInherited(node);
  const ofBases = bases(node).flatMap(({ expression }) => symbolOf(expression)?.declarations ?? []);
  return [...(isMember ? [node] : []), ...[...shown(node), ...ofBases.filter(isOwn)].flatMap(members)];
}

it('says what each member of a public declaration is', () => {
  const all = [...exported].flatMap((symbol) =>
    (symbol.declarations ?? []).flatMap((declaration) =>
      members(declaration).map((member) => ({ member, of: symbol.name })),
    ),
  );
  const silent = all.filter(({ member }) => !hasSentence(member));
  expect(all.length).toBeGreaterThan(500);
  expect(silent.map(({ member, of }) => `${of}: ${member.name?.getText()}`)).toEqual([]);
});

it('names no type of the package in a public declaration that no entry point exports', () => {
  const leaks = [...exported].flatMap((symbol) =>
    (symbol.declarations ?? []).flatMap(hiddenNames).map((name) => `${symbol.name}: ${name}`),
  );
  expect(exported.size).toBeGreaterThan(100);
  expect([...new Set(leaks)]).toEqual([]);
});
