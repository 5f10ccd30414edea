import type ts from 'typescript';
import { type CodeList, inserted } from './code-list.js';
import { nodesOf } from './compiler.js';
import { edited, type SourceCode } from './source-code.js';
import { restyled } from './source-style.js';

const LINE_WIDTH = 80;

/** The imports from one module. */
export interface WantedImport {
  readonly from: string;
  readonly names: readonly string[];
}

/** The local name, existing or new, of another module's export. */
export function localName(code: SourceCode, name: string, from: string): string {
  const own = specifiersFrom(code, from).find((specifier) => exportedName(specifier) === name);
  if (own) return own.name.text;
  return namesOf(code).has(name) ? alternativeName(name) : name;
}

/** Adds the missing imports: packages first, then neighbours. */
export function withImports(code: SourceCode, wanted: readonly WantedImport[]): SourceCode {
  return wanted.reduce(withImport, code);
}

/** An import in the style of `nest new`: Prettier keeps a single name in its line, however long that is. */
export function importLine({ from, names }: WantedImport): string {
  const line = `import { ${names.join(', ')} } from '${from}';`;
  const fits = names.length === 1 || line.length <= LINE_WIDTH;
  return fits ? line : `import {\n  ${names.join(',\n  ')},\n} from '${from}';`;
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

/** Turns `hmac` into `gatewayHmac`, if the file uses the name for something else. */
function alternativeName(name: string): string {
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

/** The names in the braces of an existing import by value from this module. */
function extendable(code: SourceCode, from: string): CodeList | undefined {
  const [node] = namedImportsFrom(code, from).filter(({ elements }) => elements.length > 0);
  return node && { node, elements: node.elements };
}

/** The named imports by value from one module. */
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

/** All names in a file, which a new name must not repeat. */
export function namesOf({ compiler, source }: SourceCode): ReadonlySet<string> {
  const identifiers = nodesOf(compiler, source).filter(compiler.isIdentifier);
  return new Set(identifiers.map(({ text }) => text));
}
