// Joins the compiled files into one for each entry point and a few shared ones: at boot, finding two hundred
// files takes Node longer than all other work of the package.
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rollup } from '@rollup/wasm-node';
import { reach } from './reach.mjs';

/**
 * Parts of the main entry point in files of their own, so that a script, or a tracer that loads first, does
 * not load what only an application needs. The first match counts.
 */
const APART = {
  basics: ['sandbox/index', 'cli/main', 'storage/postgres/postgres-dialect'],
  stores: [
    'storage/redis/index',
    'storage/postgres/index',
    'storage/sqlite/index',
    'storage/executor/index',
    'storage/typeorm/index',
    'storage/knex/index',
    'storage/kysely/index',
    'storage/drizzle/index',
    'storage/mikro-orm/index',
    'storage/sequelize/index',
    'storage/prisma/index',
    'storage/mysql/index',
  ],
  diagnostics: ['integrations/opentelemetry/index'],
};
/**
 * What some entry points share, each part in one file: Rollup alone would make one for every set of entry
 * points that share something. The command line loads the tables only, and no Nest. The first match counts.
 */
const SHARED_PARTS = [
  ['batch-states', /^storage\/batch-store/],
  ['batch-jobs', /^batches\/(engine\/batch-engine|loading\/chunk-lines)/],
  ['batch-lines', /^batches\/lines\/payout-line/],
  [
    'line-outcomes',
    /^batches\/(batch\/(batch-actor|line-result|payment-reference)|jobs\/(journal-state|line-in-journal|line-outcome|pay-line|settle-line-of))/,
  ],
  ['basics', /^common\/(closest-word|csv-row|printable|table-lines|time-zone)\./],
  ['csv-rows', /^common\/csv-rows\./],
  ['module-accounts', /^accounts\/module-accounts\./],
  ['reports', /^reconciliation\/(report|exceptions)\//, ['cli/main']],
  ['stored-record', /^storage\/stored-/],
  [
    'postgres',
    /^storage\/postgres\//,
    ['storage/postgres/postgres-dialect', 'storage/postgres/postgres-options'],
  ],
  [
    'sql',
    /^storage\/(sql\/|storage-tables)/,
    [
      'storage/postgres/postgres-dialect',
      'storage/sqlite/sqlite-tables',
      'storage/typeorm/index',
      'storage/knex/index',
      'storage/mysql/index',
    ],
  ],
  ['sql-parts', /^storage\/sql\//],
  ['knex', /^storage\/knex\/(?!index)/],
];
const REST = 'payments';
const MAIN = 'index';
const FORMATS = { esm: 'es', cjs: 'cjs' };
/**
 * With a single non-ASCII character, even in a message, V8 stores the whole file with two bytes for each
 * character.
 */
const ASCII = {
  name: 'ascii',
  renderChunk: (code) =>
    code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
};
/** What the build includes, so that an installation brings no package for it. The YAML parser is as ES modules. */
const INCLUDED = {
  tslib: fileURLToPath(import.meta.resolve('tslib/tslib.es6.mjs')),
  yaml: join(dirname(fileURLToPath(import.meta.resolve('yaml/package.json'))), 'browser', 'index.js'),
  tinyexec: fileURLToPath(import.meta.resolve('tinyexec')),
};

/** Writes one build, `esm` or `cjs`, from the folder with the compiled files. */
export async function bundle(root, compiled, build) {
  const bundled = await rollup({
    input: Object.fromEntries(entriesOf(root, build).map((entry) => [entry, fileOf(compiled, entry)])),
    external: (name) => !name.startsWith('.') && !isAbsolute(name) && !Object.hasOwn(INCLUDED, name),
    plugins: [{ name: 'included', resolveId: (name) => INCLUDED[name] ?? null }, ASCII],
    onwarn({ message }) {
      throw new Error(message);
    },
  });
  await bundled.write({
    dir: join(root, 'dist', build),
    format: FORMATS[build],
    esModule: true,
    exports: 'named',
    generatedCode: { constBindings: true },
    hoistTransitiveImports: false,
    minifyInternalExports: false,
    chunkFileNames: 'shared/[name].js',
    manualChunks: sharing(compiled),
  });
  await bundled.close();
}

/** A build's entries in package.json: `testing/index` for `./dist/esm/testing/index.js`. */
function entriesOf(root, build) {
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const scripts = JSON.stringify([exports, bin]).matchAll(new RegExp(`"./dist/${build}/([^"]+)\\.js"`, 'g'));
  return [...new Set([...scripts].map(([, entry]) => entry))];
}

/** The chunk of a compiled file. Rollup itself divides the rest. */
function sharing(compiled) {
  const reached = (entry) => reach(fileOf(compiled, entry)).files;
  const main = reached(MAIN);
  const groups = Object.entries(APART).map(([name, entries]) => ({
    name,
    files: new Set(entries.flatMap((entry) => [...reached(entry)])),
  }));
  const parts = SHARED_PARTS.map(([name, path, entries]) => {
    const files = entries && new Set(entries.flatMap((entry) => [...reached(entry)]));
    return { name, has: (file) => path.test(pathIn(compiled, file)) && (!files || files.has(file)) };
  });
  return (file) => {
    // The command line alone loads it, and only for a seed file.
    if (file.startsWith(dirname(INCLUDED.yaml))) return 'yaml';
    if (main.has(file)) return groups.find(({ files }) => files.has(file))?.name ?? REST;
    return parts.find(({ has }) => has(file))?.name;
  };
}

function pathIn(folder, file) {
  return relative(folder, file).split(sep).join('/');
}

function fileOf(folder, entry) {
  return join(folder, `${entry}.js`);
}
