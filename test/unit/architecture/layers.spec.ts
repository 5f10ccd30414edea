import { describe, expect, it } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import ts from 'typescript';

/** Folders of lib/ from the lowest layer up; folders in one line are of one layer and know nothing of each other. */
const LAYERS: readonly (readonly string[])[] = [
  ['common'],
  ['errors'],
  ['gateway-profile'],
  ['storage'],
  ['config'],
  ['gateway'],
  ['journal'],
  ['collections', 'disbursements', 'name-lookup', 'wallet', 'banks'],
  ['webhooks'],
  ['accounts'],
  ['.'],
  ['sandbox', 'batches'],
  ['reconciliation'],
  ['integrations'],
  ['testing'],
  ['cli'],
];
/**
 * Rooms of a layer from the lowest up: folders, or single files of a folder that others of its files stand on. A room imports only
 * from rooms before it; rooms in one line know nothing of each other.
 */
const ROOMS: readonly (readonly (string | readonly string[])[])[] = [
  [
    'gateway/gateway-call.ts',
    'gateway/wait-before-try.ts',
    'gateway/validation',
    'gateway/http',
    'gateway/answer',
    'gateway',
  ],
  [
    'storage/account-page.ts',
    'storage/daily-cap.ts',
    'storage/journal-scope.ts',
    [
      'storage/journal-store.ts',
      'storage/conflict-store.ts',
      'storage/batch-store.ts',
      'storage/reconciliation-store.ts',
    ],
    'storage/inbox-store.ts',
    'storage/payments-storage.ts',
    'storage',
    'storage/sealed',
    'storage/sql',
    [
      'storage/memory',
      'storage/redis',
      'storage/postgres',
      'storage/sqlite',
      'storage/typeorm',
      'storage/knex',
      'storage/kysely',
      'storage/drizzle',
      'storage/prisma',
      'storage/mysql',
      'storage/sequelize',
    ],
    'storage/mikro-orm',
    'storage/executor',
    'storage/time-limited-storage.ts',
  ],
  ['journal/payment', 'journal/outcomes', 'journal/recovery', 'journal'],
  [
    'webhooks/signature',
    'webhooks/handlers',
    'webhooks/delivery',
    'webhooks/raw-body',
    'webhooks/route',
    'webhooks',
  ],
  [
    'batches/names',
    'batches/lines',
    'batches/policy',
    'batches/report',
    'batches/engine',
    'batches/batch',
    'batches/jobs',
    'batches/loading',
    'batches',
  ],
  [
    'reconciliation/statement',
    'reconciliation/exceptions/close-exception.ts',
    'reconciliation/close/close-summary.ts',
    'reconciliation/reconciliation-events.ts',
    'reconciliation/reconciliation-policy.ts',
    'reconciliation/reconciled-accounts.ts',
    'reconciliation/balance',
    'reconciliation/matching',
    'reconciliation/exceptions',
    'reconciliation/report',
    'reconciliation/close',
    'reconciliation',
  ],
  [['integrations/bullmq', 'integrations/terminus', 'integrations/opentelemetry']],
  [
    'sandbox/clock',
    'sandbox/openapi',
    'sandbox/core',
    'sandbox/faults',
    'sandbox/profile',
    'sandbox/scenarios',
    'sandbox/http',
    'sandbox/webhooks',
    'sandbox/timeline',
    'sandbox/state',
    'sandbox/control',
    'sandbox/control/handlers',
    'sandbox/control/control-route.ts',
    'sandbox/page',
    'sandbox/handle',
    'sandbox/matchers',
    'sandbox/world',
    'sandbox',
  ],
];
const OPTIONAL_PEERS =
  /^(csv-parse|cli-progress|ioredis|pg|typeorm|knex|kysely|drizzle-orm|@mikro-orm\/|@prisma\/|mysql2|sequelize|bullmq|@nestjs\/(bullmq|terminus|swagger|event-emitter|platform-)|@opentelemetry\/)/;
const NEST = /^@nestjs\//;

const lib = join(process.cwd(), 'lib');
const files = readdirSync(lib, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.split(sep).join(posix.sep));

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
  /** A package that is imported when it is needed. */
  readonly late: boolean;
}

/** Every import and re-export of a file; a path inside lib/ is given relative to it. */
function importsOf(file: string): Import[] {
  const source = ts.createSourceFile(file, readFileSync(join(lib, file), 'utf8'), ts.ScriptTarget.Latest);
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      found.push(edge(file, (node.moduleSpecifier as ts.StringLiteral).text, isTypeOnly(node), false));
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [target] = node.arguments;
      if (target && ts.isStringLiteral(target)) found.push(edge(file, target.text, false, true));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function edge(from: string, specifier: string, typeOnly: boolean, late: boolean): Import {
  const inside = specifier.startsWith('.');
  const to = inside
    ? relative(lib, join(lib, dirname(from), specifier))
        .split(sep)
        .join(posix.sep)
        .replace(/\.js$/, '.ts')
    : specifier;
  return { from, to, typeOnly, late: late && !inside };
}

function isTypeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  const clause = node.importClause;
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const named = clause.namedBindings;
  if (clause.name || !named || !ts.isNamedImports(named)) return false;
  return named.elements.every((element) => element.isTypeOnly);
}

const folderOf = (file: string): string => (file.includes('/') ? file.slice(0, file.indexOf('/')) : '.');
const layerOf = (file: string): number => LAYERS.findIndex((folders) => folders.includes(folderOf(file)));
const imports = files.flatMap(importsOf);
const inner = imports.filter(({ to }) => to.endsWith('.ts'));

/** Everything that loading a file loads at once, outside lib/ too. */
function loadedBy(entry: string): Set<string> {
  const seen = new Set<string>([entry]);
  for (const file of seen) {
    for (const { from, to, typeOnly, late } of imports) if (from === file && !typeOnly && !late) seen.add(to);
  }
  return seen;
}

describe('the layers of lib/', () => {
  it('name every folder', () => {
    expect(files.length).toBeGreaterThan(30);
    expect(files.filter((file) => layerOf(file) < 0)).toEqual([]);
  });

  it('are in lib/README.md, each folder and no file that is not there', () => {
    const readme = readFileSync(join(lib, 'README.md'), 'utf8');
    const folders = new Set(files.filter((file) => file.includes('/')).map(folderOf));
    expect([...folders].filter((folder) => !readme.includes(`\`${folder}/\``))).toEqual([]);
    const named = [...readme.matchAll(/`([\w/-]+\/[\w.-]+\.ts)`/g)].map(([, file = '']) => file);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((file) => !files.includes(file))).toEqual([]);
  });

  it('import only from layers below their own, types included', () => {
    const wrong = inner.filter(({ from, to }) =>
      folderOf(from) === folderOf(to) ? false : layerOf(to) >= layerOf(from),
    );
    expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it.each(ROOMS)('have rooms that point one way: %s', (...rooms) => {
    const names = rooms.flat();
    const roomOf = (file: string): string => (names.includes(file) ? file : dirname(file));
    const heightOf = (room: string): number => rooms.findIndex((line) => [line].flat().includes(room));
    expect(names.filter((room) => !files.some((file) => roomOf(file) === room))).toEqual([]);
    const layer = folderOf(`${names[0] ?? ''}/`);
    const within = inner.filter(({ from, to }) => folderOf(from) === layer && folderOf(to) === layer);
    expect(within.length).toBeGreaterThan(5);
    const wrong = within.filter(({ from, to }) => {
      const [own, other] = [roomOf(from), roomOf(to)];
      return own !== other && (heightOf(own) < 0 || heightOf(other) >= heightOf(own));
    });
    expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it('have no import cycle, types included', () => {
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      if (done.has(file) || path.includes(file)) return;
      for (const { from, to } of inner) if (from === file) visit(to, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it('tell the gateway nothing of the journal and the storages, types included', () => {
    const wrong = inner.filter(({ from, to }) => folderOf(from) === 'gateway' && folderOf(to) === 'storage');
    expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it('use HttpService in gateway only', () => {
    const allowed = new Set(['gateway', '.']);
    const users = files.filter(
      (file) =>
        !allowed.has(folderOf(file)) &&
        /[.]axiosRef|new HttpService/.test(readFileSync(join(lib, file), 'utf8')),
    );
    expect(users).toEqual([]);
  });
});

describe('the entry points', () => {
  it('load no optional peer and no sandbox from the main entry', () => {
    const loaded = [...loadedBy('index.ts')];
    expect(loaded).toContain('payments.module.ts');
    expect(
      loaded.filter(
        (file) =>
          OPTIONAL_PEERS.test(file) ||
          /^(sandbox|testing|cli|storage\/redis|storage\/sql|storage\/sqlite|storage\/executor|storage\/(typeorm|knex|kysely|drizzle|mikro-orm|sequelize|prisma|mysql)|storage\/postgres|integrations)\//.test(
            file,
          ),
      ),
    ).toEqual([]);
  });

  // Each is found, read and compiled before the application listens. docs/performance.md says what they cost.
  it('load these packages from the main entry, and no other', () => {
    const packages = [...loadedBy('index.ts')].filter((name) => !/^node:|[.]ts$/.test(name));
    expect(packages.sort()).toEqual([
      '@nestjs/axios',
      '@nestjs/common',
      '@nestjs/config',
      '@nestjs/core',
      'class-validator',
      'reflect-metadata',
      'rxjs',
      'undici/lib/dispatcher/agent.js',
    ]);
  });

  it('load no optional peer, no server and no test library from testing', () => {
    const loaded = [...loadedBy('testing/index.ts')];
    expect(loaded).toContain('sandbox/payments-sandbox.ts');
    expect(
      loaded.filter(
        (file) =>
          OPTIONAL_PEERS.test(file) ||
          /^(@nestjs\/testing|jest|@jest|vitest)/.test(file) ||
          /^(cli|storage\/redis|storage\/sql|storage\/sqlite|storage\/executor|storage\/(typeorm|knex|kysely|drizzle|mikro-orm|sequelize|prisma|mysql)|storage\/postgres|integrations)\//.test(
            file,
          ),
      ),
    ).toEqual([]);
  });

  it.each(['sandbox/index.ts', 'cli/main.ts'])('load no Nest, axios or undici from %s', (entry) => {
    const loaded = [...loadedBy(entry)];
    expect(loaded.length).toBeGreaterThan(1);
    expect(
      loaded.filter((name) => NEST.test(name) || /^(axios|undici|rxjs|class-|reflect-metadata)/.test(name)),
    ).toEqual([]);
  });
});
