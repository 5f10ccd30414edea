import type ts from 'typescript';
import { onePerLine, type CodeList, inserted, isInLine } from './code-list.js';
import { importedAs, importLine, localName, type WantedImport, withImports } from './import-names.js';
import { moduleList, type ModuleListName, moduleMetadata, propertyName } from './module-class.js';
import { edited, type SourceCode } from './source-code.js';
import { restyled } from './source-style.js';

/** A class to register. */
export interface WantedClass {
  readonly name: string;
  /** The module's import specifier; undefined if the class is in the module's own file. */
  readonly from: string | undefined;
}

/** Everything that a module lacks. */
export interface Registration {
  readonly payments: boolean;
  /** `ConfigModule.forRoot()`, which reads `.env`. */
  readonly environment: boolean;
  /** The line, as a comment, that keeps payments in a file. */
  readonly sqlite: boolean;
  /** The interceptor of every route that answers this package's errors with their HTTP status. */
  readonly interceptor: boolean;
  readonly controller: WantedClass | undefined;
  readonly handler: WantedClass | undefined;
}

const LISTS = ['imports', 'controllers', 'providers'] as const satisfies readonly ModuleListName[];

/**
 * Adds everything to the module's lists.
 *
 * @throws NotEditableError if a person has to change the module.
 */
export function registered(code: SourceCode, wanted: Registration, className?: string): SourceCode {
  const imported = withImports(code, importsOf(wanted));
  const entries = entriesOf(wanted, (name, from) => localName(imported, name, from));
  const roomy = wanted.payments ? withRoom(imported, className) : imported;
  return LISTS.reduce(
    (result, list) => entries[list].reduce((now, entry) => withEntry(now, list, entry, className), result),
    roomy,
  );
}

/** The code that a person has to write into the module. */
export function byHand(wanted: Registration, code?: SourceCode): string {
  const imports = importsOf(wanted).map(({ from, names }) =>
    importLine({ from, names: names.map((name) => (code ? importedAs(code, name, from) : name)) }),
  );
  const entries = entriesOf(wanted, (name, from) => (code ? localName(code, name, from) : name));
  const lists = LISTS.filter((list) => entries[list].length > 0).map(
    (list) =>
      `${list}: [\n${entries[list].map((entry) => `  ${entry.replaceAll('\n', '\n  ')},`).join('\n')}\n],`,
  );
  return [...imports, '', ...lists].join('\n');
}

function withRoom(code: SourceCode, className?: string): SourceCode {
  const node = moduleMetadata(code, className);
  const list: CodeList = { node, elements: node.properties };
  return node.properties.length > 0 && isInLine(code, list) ? edited(code, onePerLine(code, list)) : code;
}

function withEntry(code: SourceCode, name: ModuleListName, entry: string, className?: string): SourceCode {
  const metadata = moduleMetadata(code, className);
  const styled = restyled(entry, code.style);
  const list = moduleList(code, metadata, name);
  if (list) return edited(code, inserted(code, list, list.elements.length, styled));
  const properties: CodeList = { node: metadata, elements: metadata.properties };
  return edited(code, inserted(code, properties, placeOf(code, name, metadata), newList(name, styled, code)));
}

function newList(name: ModuleListName, entry: string, { style }: SourceCode): string {
  if (!entry.includes('\n') && name !== 'imports') return `${name}: [${entry}]`;
  const comma = style.trailingComma ? ',' : '';
  return `${name}: [\n${style.indent}${entry.replaceAll('\n', `\n${style.indent}`)}${comma}\n]`;
}

/** The place after the lists that Nest's own applications write first. */
function placeOf(
  { compiler }: SourceCode,
  name: ModuleListName,
  { properties }: ts.ObjectLiteralExpression,
): number {
  const earlier: readonly (string | undefined)[] = LISTS.slice(0, LISTS.indexOf(name));
  return (
    properties.findLastIndex(({ name: key }) => key && earlier.includes(propertyName(compiler, key))) + 1
  );
}

type LocalName = (name: string, from: string) => string;

function entriesOf(wanted: Registration, local: LocalName): Record<ModuleListName, readonly string[]> {
  const { payments, environment, sqlite, interceptor, controller, handler } = wanted;
  return {
    imports: [
      ...(environment ? [`${local('ConfigModule', CONFIG)}.forRoot()`] : []),
      ...(payments ? [paymentsEntry(local, sqlite)] : []),
    ],
    controllers: controller ? [className(controller, local)] : [],
    providers: [
      ...(handler ? [className(handler, local)] : []),
      ...(interceptor
        ? [
            `{ provide: ${local('APP_INTERCEPTOR', CORE)}, useClass: ${local('PaymentsErrorInterceptor', PACKAGE)} }`,
          ]
        : []),
    ],
  };
}

function className({ name, from }: WantedClass, local: LocalName): string {
  return from === undefined ? name : local(name, from);
}

const CONFIG = '@nestjs/config';
const CORE = '@nestjs/core';
const PACKAGE = 'nestjs-payments';

/** A comment: processes that start at the same time, such as tests, cannot share the file. */
const SQLITE = `  // In memory, payments are forgotten at a restart. One process on one machine keeps them in a file
  // (import { sqliteStorage } from 'nestjs-payments/sqlite'):
  // storage: sqliteStorage({ file: 'payments.db' }),
`;

function paymentsEntry(local: LocalName, sqlite: boolean): string {
  return `${local('PaymentsModule', PACKAGE)}.forRootAsync({
  isGlobal: true,
  ...${local('paymentsConfig', PACKAGE)}.asProvider(),
${sqlite ? SQLITE : ''}  webhooks: {
    // As the emulator signs. How the gateway does is in its portal, or ask its support.
    scheme: ${local('hmac', PACKAGE)}({
      header: 'x-webhook-signature',
      algorithm: 'sha256',
      encoding: 'hex',
      payload: ['body'],
    }),
    // The signature holds no time, so an old delivery can always come again.
    retentionDays: Infinity,
  },
})`;
}

function importsOf(wanted: Registration): readonly WantedImport[] {
  const { payments, environment, interceptor, controller, handler } = wanted;
  const ours = [
    ...(payments ? ['hmac', 'paymentsConfig'] : []),
    ...(interceptor ? ['PaymentsErrorInterceptor'] : []),
    ...(payments ? ['PaymentsModule'] : []),
  ];
  return [
    ...(environment ? [{ from: CONFIG, names: ['ConfigModule'] }] : []),
    ...(interceptor ? [{ from: CORE, names: ['APP_INTERCEPTOR'] }] : []),
    ...(ours.length > 0 ? [{ from: PACKAGE, names: ours }] : []),
    ...[controller, handler].flatMap((one) =>
      one?.from === undefined ? [] : [{ from: one.from, names: [one.name] }],
    ),
  ];
}
