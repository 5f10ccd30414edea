import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';

// PGlite makes the files of every new database by running `initdb`, which takes seconds. Wherever a spec imports this
// module, a new database begins with a copy of files that were made once. They lack the databases that PostgreSQL copies
// at `CREATE DATABASE`: two thirds of all files, for a statement that no spec sends to PGlite.

/** Tells V8 not to optimize WebAssembly, which takes longer than all that a spec does with PGlite. */
export const UNOPTIMIZED_WASM = '--liftoff-only';
setFlagsFromString(UNOPTIMIZED_WASM);

const PACKAGES = join(process.cwd(), 'node_modules');
const FOLDER = join(PACKAGES, '.cache', 'nestjs-payments-pglite');
const { version } = JSON.parse(
  readFileSync(join(PACKAGES, '@electric-sql', 'pglite', 'package.json'), 'utf8'),
) as { readonly version: string };
const TEMPLATE = join(FOLDER, `${version}-without-templates.tar`);

type Create = (dataDir?: string, options?: PGliteOptions) => Promise<PGlite>;
const create: Create = PGlite.create.bind(PGlite);

async function template(): Promise<Blob> {
  if (!existsSync(TEMPLATE)) await makeTemplate();
  return new Blob([await readFile(TEMPLATE)]);
}

/** Renames it into place, so that another process that needs it meanwhile never reads half of it. */
async function makeTemplate(): Promise<void> {
  const database = await create();
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

const createFromTemplate: Create = async (dataDir = 'memory://', options = {}) => {
  // PGlite itself passes an object, for the engine that runs `initdb`.
  if (typeof dataDir !== 'string') return create(dataDir, options);
  return create(dataDir, isNew(dataDir) ? { ...options, loadDataDir: await template() } : options);
};

Object.assign(PGlite, { create: createFromTemplate });
