import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ENTRY_POINTS } from './entry-points.mjs';
import { reach } from '../../../scripts/reach.mjs';

/** What the types of the main entry point must do without. */
const OTHERS =
  /[\\/]dist[\\/]\w+[\\/](testing|sandbox|cli|batches|reconciliation|storage[\\/](redis|sql|sqlite|executor|typeorm|knex|kysely|drizzle|mikro-orm|sequelize|prisma|mysql|postgres)|integrations)[\\/]/;
/** What each entry point may load of `shared/` beside its own script: each file costs time at boot. */
const SHARED = {
  '.': ['basics', 'diagnostics', 'payments', 'stores'],
  './testing': ['basics', 'diagnostics', 'payment-event', 'payments', 'payments-sandbox', 'stores'],
  './sandbox': ['basics', 'payments-sandbox'],
  './redis': ['basics', 'stored-record', 'stores'],
  './postgres': ['basics', 'batch-states', 'postgres', 'sql', 'sql-parts', 'stored-record', 'stores'],
  './sqlite': ['basics', 'batch-states', 'sql', 'sql-parts', 'sqlite-tables', 'stored-record', 'stores'],
  './sql': [
    'basics',
    'batch-states',
    'mysql-tables',
    'postgres',
    'sql',
    'sql-parts',
    'stored-record',
    'stores',
  ],
  './typeorm': ['basics', 'sql'],
  './knex': ['basics', 'knex', 'sql'],
  './kysely': ['basics', 'sql'],
  './drizzle': ['basics', 'sql'],
  './mikro-orm': ['basics', 'knex', 'sql'],
  './sequelize': ['basics', 'sql'],
  './prisma': ['basics', 'sql'],
  './mysql': ['basics', 'sql'],
  './batches': [
    'basics',
    'batch-jobs',
    'batch-lines',
    'batch-states',
    'csv-rows',
    'diagnostics',
    'line-outcomes',
    'line-settlement',
    'module-accounts',
    'payments',
    'stores',
  ],
  './reconciliation': [
    'basics',
    'batch-lines',
    'csv-rows',
    'diagnostics',
    'line-outcomes',
    'module-accounts',
    'payments',
    'reports',
    'stores',
  ],
  './bullmq': ['basics', 'batch-jobs', 'diagnostics', 'payments', 'stores'],
  './terminus': ['basics', 'diagnostics', 'payments', 'stores'],
  './opentelemetry': ['basics', 'diagnostics', 'stores'],
};
/** What Node reads and compiles when an application imports the main entry point, a little more than it is now. */
const MAIN_BYTES = 620_000;
/** Runs without any other package, as the command line does. */
const WITHOUT_PACKAGES = './sandbox';
/** Loads Nest, which the light ways to install the emulator do not bring. */
const WITH_NEST = /[\\/]shared[\\/](payments|stores)\.js$/;

/** No entry point names a package that a user need not have, or files that it can do without. */
export function checkReach(content) {
  const manifest = JSON.parse(readFileSync(join(content, 'package.json'), 'utf8'));
  checkEntryPoints(manifest);
  const always = mandatoryPackages(manifest);
  const problems = Object.entries(ENTRY_POINTS).flatMap(([entry, peers]) =>
    filesOf(content, manifest, entry).flatMap((start) => {
      const { files, packages } = reach(start);
      const allowed = start.endsWith('.js') && entry === WITHOUT_PACKAGES ? [] : [...always, ...peers];
      const foreign = [...packages].filter((name) => !allowed.includes(name));
      const problems = [...foreign, ...foreignFiles(entry, start, files), ...tooLarge(entry, start, files)];
      return problems.map((what) => `${start} reaches ${what}`);
    }),
  );
  const starts = Object.values(manifest.bin).map((script) => join(content, script));
  problems.push(...starts.flatMap(nestBelow));
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

/** The command line imports Nest at run time, and only for the commands that need it. */
function nestBelow(start) {
  const files = [...reach(start).files].filter((file) => WITH_NEST.test(file));
  return files.map((file) => `${start} reaches ${file}`);
}

/** Of scripts the table knows all; the types of the main entry point must do without what others describe. */
function foreignFiles(entry, start, files) {
  const others = [...files].filter((file) => file !== start);
  if (start.endsWith('.js'))
    return others.filter(
      (file) => !SHARED[entry].some((name) => file.endsWith(join('shared', `${name}.js`))),
    );
  return entry === '.' ? others.filter((file) => OTHERS.test(file)) : [];
}

/** Others load what they need at once, so only this one can grow without anyone noticing. */
function tooLarge(entry, start, files) {
  if (entry !== '.' || !start.endsWith('.js')) return [];
  const bytes = [...files].reduce((sum, file) => sum + statSync(file).size, 0);
  return bytes > MAIN_BYTES ? [`${bytes} bytes, more than ${MAIN_BYTES}`] : [];
}

/** A type that became `any` accepts everything, and no type test tells. */
export function checkTypes(content) {
  const problems = [...reachedDeclarations(content)].flatMap((file) =>
    anyIn(file).map((text) => `${file}: ${text}`),
  );
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

/** What nobody can import only makes the tarball heavier. */
export function checkUse(content) {
  const reached = reachedDeclarations(content);
  const idle = readdirSync(content, { recursive: true, encoding: 'utf8' })
    .map((name) => join(content, name))
    .filter((file) => file.endsWith('.d.ts') && !reached.has(file));
  if (idle.length > 0) throw new Error(`No entry point leads to ${idle.join(', ')}.`);
}

function reachedDeclarations(content) {
  const manifest = JSON.parse(readFileSync(join(content, 'package.json'), 'utf8'));
  const starts = Object.keys(ENTRY_POINTS).flatMap((entry) => filesOf(content, manifest, entry));
  return new Set(starts.filter((file) => file.endsWith('.d.ts')).flatMap((file) => [...reach(file).files]));
}

/** One that is new here needs its line in the table, or nothing looks at it. */
function checkEntryPoints({ exports }) {
  const exported = Object.keys(exports).filter((entry) => entry !== './package.json');
  const known = Object.keys(ENTRY_POINTS);
  if ([...exported].sort().join() !== [...known].sort().join())
    throw new Error(
      `package.json exports ${exported.join(', ')}; entry-points.mjs knows ${known.join(', ')}.`,
    );
}

function mandatoryPackages({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }) {
  const mandatory = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  return new Set([...Object.keys(dependencies), ...mandatory]);
}

/** The script and the declarations of both builds. */
function filesOf(content, { exports }, entry) {
  return ['import', 'require'].flatMap((condition) =>
    Object.values(exports[entry][condition]).map((file) => join(content, file)),
  );
}

function anyIn(file) {
  const found = [];
  const visit = (node) => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) found.push(node.parent.getText());
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true));
  return found;
}
