import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';

// PGlite makes the files of every new database by running `initdb`, which takes seconds. Wherever a spec imports this
// module, a new database begins with a copy of files that were made once. They lack the databases that PostgreSQL copies
// at `CREATE DATABASE`: two thirds of all files, for a statement that no spec sends to PGlite. Its log begins with a file
// of 1 instead of 16 MB, and it has 8 MB of buffers instead of 128, which it fills with zeros whenever it starts.

/** Tells V8 not to optimize WebAssembly, which takes longer than all that a spec does with PGlite. */
export const UNOPTIMIZED_WASM = '--liftoff-only';
setFlagsFromString(UNOPTIMIZED_WASM);

const PACKAGES = join(process.cwd(), 'node_modules');
const FOLDER = join(PACKAGES, '.cache', 'nestjs-payments-pglite');
const { version } = JSON.parse(
  readFileSync(join(PACKAGES, '@electric-sql', 'pglite', 'package.json'), 'utf8'),
) as { readonly version: string };
const TEMPLATE = join(FOLDER, `${version}-small.tar`);

const makeNew = PGlite.create.bind(PGlite);
type Create = (dataDir?: string, options?: PGliteOptions) => Promise<PGlite>;
/** The class of ES modules, and that of CommonJS, which the command line loads. */
const CLASSES = [
  PGlite,
  (createRequire(import.meta.url)('@electric-sql/pglite') as { PGlite: typeof PGlite }).PGlite,
];

async function template(): Promise<Blob> {
  if (!existsSync(TEMPLATE)) await makeTemplate();
  return new Blob([await readFile(TEMPLATE)]);
}

/** Renames it into place, so that another process that needs it meanwhile never reads half of it. */
async function makeTemplate(): Promise<void> {
  const database = await makeNew('memory://', { initDbStartParams: ['--wal-segsize=1'] });
  await database.exec("ALTER SYSTEM SET shared_buffers = '8MB'");
  await database.exec('UPDATE pg_database SET datistemplate = false');
  for (const name of ['template0', 'template1']) await database.exec(`DROP DATABASE ${name}`);
  await database.exec('CHECKPOINT');
  const files = await database.dumpDataDir('none');
  await database.close();
  await mkdir(FOLDER, { recursive: true });
  const draft = `${TEMPLATE}.${process.pid}`;
  await writeFile(draft, Buffer.from(await files.arrayBuffer()));
  await rename(draft, TEMPLATE);
}

function isNew(dataDir: string): boolean {
  return dataDir.startsWith('memory:') || !existsSync(join(dataDir, 'PG_VERSION'));
}

for (const engine of CLASSES) {
  const create: Create = engine.create.bind(engine);
  const createFromTemplate: Create = async (dataDir = 'memory://', options = {}) => {
    // PGlite itself passes an object, for the engine that runs `initdb`.
    if (typeof dataDir !== 'string') return create(dataDir, options);
    return create(dataDir, isNew(dataDir) ? { ...options, loadDataDir: await template() } : options);
  };
  Object.assign(engine, { create: createFromTemplate });
}
