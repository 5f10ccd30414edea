import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { entryFile } from './public-exports.js';

type Import = readonly [module: string, names: readonly string[]];

/** Where the names come from that an example uses without saying so. */
const SURROUNDINGS: Readonly<Record<string, readonly string[]>> = {
  '@nestjs/common': [
    ...['BadRequestException', 'ConflictException', 'Controller', 'Get', 'Module', 'Post'],
    ...['HttpCode', 'UseGuards', 'UseInterceptors'],
  ],
  '@nestjs/core': ['APP_INTERCEPTOR'],
  '@nestjs/axios': ['HttpService'],
  '@nestjs/event-emitter': ['OnEvent'],
  '@nestjs/testing': ['Test'],
  '@nestjs/terminus': ['HealthCheck', 'HealthCheckService'],
  '@jest/globals': ['expect'],
  'class-transformer': ['Transform'],
  ioredis: ['Redis'],
  'node:fs': ['createReadStream'],
  pg: ['Pool', 'type PoolClient'],
  typeorm: ['DataSource', 'type EntityManager'],
  supertest: ['default as request'],
  './test/support/example-world.js': [
    ...['AppModule', 'CheckoutService', 'NodeSDK', 'Order', 'Shop'],
    ...[
      'accounts',
      'alarm',
      'app',
      'batches',
      'client',
      'collections',
      'dataSource',
      'error',
      'form',
      'histogram',
      'inbox',
      'invoice',
      'journal',
    ],
    ...[
      'drizzleDatabase',
      'knex',
      'kysely',
      'mikroOrm',
      'mysqlPool',
      'options',
      'order',
      'payments',
      'payout',
      'prisma',
      'reconciliation',
      'sandbox',
      'scheme',
      'secret',
      'sequelize',
      'signedBy',
    ],
    ...['supplier', 'total', 'url', 'user', 'verified', 'wallet'],
  ],
};

/** Every `@example` of `lib/` as a file that compiles where the example does, by the name of that file. */
export function tsdocExamples(entryPoints: readonly string[]): ReadonlyMap<string, string> {
  const imports = [...Object.entries(SURROUNDINGS), ...entryPoints.map(exportsOf)];
  const examples = sources().flatMap(([file, code]) =>
    blocksOf(code).map((block, index): [string, string] => [
      `example-${file.replaceAll(/\W/g, '-')}-${index}.ts`,
      asFile(block, imports),
    ]),
  );
  return new Map(examples);
}

/** The documentation comments with an example outside of a block: a decorator there would read as a tag. */
export function unfencedExamples(): readonly string[] {
  return sources()
    .filter(([, code]) => /^ *\* @example(?!.*\n *\* ```ts\n)/m.test(code))
    .map(([file]) => file);
}

function sources(): readonly (readonly [file: string, code: string])[] {
  return readdirSync('lib', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.generated.ts'))
    .map((file) => [file, readFileSync(join('lib', file), 'utf8')]);
}

function blocksOf(code: string): readonly string[] {
  return [...code.matchAll(/^ *\* ```ts\n([\s\S]*?)^ *\* ```$/gm)].map(([, block]) =>
    block!.replaceAll(/^ *\* ?/gm, ''),
  );
}

function exportsOf(entryPoint: string): Import {
  const index = readFileSync(entryFile(entryPoint), 'utf8');
  const names = [...index.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, list]) => list!.split(','));
  return [
    join('nestjs-payments', entryPoint),
    names.map((name) => name.trim()).filter((name) => name !== ''),
  ];
}

function asFile(example: string, imports: readonly Import[]): string {
  const code = inItsPlace(example);
  const lines = imports.map(([module, names]) => {
    const used = names.filter((name) => isMissing(name.split(' ').at(-1)!, code));
    return used.length === 0 ? '' : `import { ${used.join(', ')} } from '${module}';\n`;
  });
  return `${lines.join('')}${code}\nexport {};\n`;
}

/** One import too many, of what the example has a variable for, disturbs nothing. */
function isMissing(name: string, code: string): boolean {
  const word = new RegExp(`\\b${name}\\b`);
  const own = [...code.matchAll(/^(?:import \{(.*)\}|class (\w+))/gm)].flatMap(([, ...names]) => names);
  return word.test(code) && !word.test(own.join());
}

/** Members are put into a class, statements into an asynchronous method; classes and modules stay alone. */
function inItsPlace(example: string): string {
  if (/^(?:import|class|declare) /m.test(example)) return example;
  if (/^constructor\(/.test(example)) return `class Example {\n${example}}`;
  if (/^(?:\/\/.*\n)?(?:@|async \w+\()/.test(example)) return `class Example extends Shop {\n${example}}`;
  return `class Example extends Shop {\nasync example() {\n${example}}\n}`;
}
