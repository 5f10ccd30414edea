import type ts from 'typescript';
import { type CodeList, inserted } from './code-list.js';
import { edited, type SourceCode } from './source-code.js';
import { restyled } from './source-style.js';

const LINE_WIDTH = 80;

/** What a file imports from one module. */
export interface WantedImport {
  readonly from: string;
  readonly names: readonly string[];
}

/** The name under which a file has, or is to have, something that another module exports. */
export function localName(code: SourceCode, name: string, from: string): string {
  const own = specifiersFrom(code, from).find((specifier) => exportedName(specifier) === name);
  if (own) return own.name.text;
  return namesOf(code).has(name) ? inOtherWords(name) : name;
}

/** The file with the imports that it does not have yet, those of packages before those of its neighbours. */
export function withImports(code: SourceCode, wanted: readonly WantedImport[]): SourceCode {
  return wanted.reduce(withImport, code);
}

/** The lines that import something, as `nest new` would write them. */
export function importLine({ from, names }: WantedImport): string {
  const line = `import { ${names.join(', ')} } from '${from}';`;
  return line.length <= LINE_WIDTH ? line : `import {\n  ${names.join(',\n  ')},\n} from '${from}';`;
}

/** `name`, or `name as local`. */
export function importedAs(code: SourceCode, name: string, from: string): string {
  const local = localName(code, name, from);
  return local === name ? name : `${name} as ${local}`;
}

function withImport(code: SourceCode, { from, names }: WantedImport): SourceCode {
  const there = specifiersFrom(code, from).map(exportedName);
  const missing = names.filter((name) => !there.includes(name)).map((name) => importedAs(code, name, from));
  if (missing.length === 0) return code;
  if (!extendable(code, from)) return withNewImport(code, { from, names: missing });
  return missing.reduce((now, name) => {
    const list = extendable(now, from);
    return list ? edited(now, inserted(now, list, list.elements.length, name)) : now;
  }, code);
}

/** `hmac` as `gatewayHmac`, where the file means something else by it. */
function inOtherWords(name: string): string {
  const prefix = /^[A-Z]/.test(name) ? 'Gateway' : 'gateway';
  return `${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function withNewImport(code: SourceCode, wanted: WantedImport): SourceCode {
  const { compiler, source, style } = code;
  const imports = importsOf(code);
  const isPackage = !wanted.from.startsWith('.');
  const before =
    imports.findLast((statement) => !isPackage || !moduleOf(statement).startsWith('.')) ?? imports.at(-1);
  const end = before?.end ?? 0;
  const place = compiler.getTrailingCommentRanges(source.text, end)?.at(-1)?.end ?? end;
  return edited(code, [{ start: place, end: place, text: `\n${restyled(importLine(wanted), style)}` }]);
}

/** The names between the braces of an import by value, where a file has one of this module. */
function extendable(code: SourceCode, from: string): CodeList | undefined {
  const [node] = namedImportsFrom(code, from).filter(({ elements }) => elements.length > 0);
  return node && { node, elements: node.elements };
}

/** What a file imports by value from one module, by name. */
export function specifiersFrom(code: SourceCode, from: string): readonly ts.ImportSpecifier[] {
  return namedImportsFrom(code, from)
    .flatMap(({ elements }) => [...elements])
    .filter(({ isTypeOnly }) => !isTypeOnly);
}

function namedImportsFrom(code: SourceCode, from: string): readonly ts.NamedImports[] {
  const { compiler } = code;
  return importsOf(code)
    .filter((statement) => moduleOf(statement) === from)
    .map(({ importClause }) => importClause)
    .filter((clause) => clause?.getText(code.source).startsWith('type ') === false)
    .map((clause) => clause?.namedBindings)
    .filter((bindings) => bindings !== undefined)
    .filter(compiler.isNamedImports);
}

export function exportedName({ name, propertyName }: ts.ImportSpecifier): string {
  return (propertyName ?? name).text;
}

export function importsOf({ compiler, source }: SourceCode): readonly ts.ImportDeclaration[] {
  return source.statements.filter(compiler.isImportDeclaration);
}

export function moduleOf({ moduleSpecifier }: ts.ImportDeclaration): string {
  return (moduleSpecifier as ts.StringLiteral).text;
}

/** Every name that stands anywhere in a file: a new one must be none of them. */
export function namesOf({ compiler, source }: SourceCode): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (compiler.isIdentifier(node)) names.add(node.text);
    compiler.forEachChild(node, visit);
  };
  visit(source);
  return names;
}
