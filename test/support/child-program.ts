import { transform } from '@swc/core';
import { build, stop } from 'esbuild';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join, relative, resolve } from 'node:path';
import { entryFile } from './public-exports.js';

/** A program of the tests that runs in a process of its own, on the sources in lib/. */
export interface ChildProgram {
  readonly file: string;
  remove(): Promise<void>;
}

/** Programs that were built together. */
export interface ChildPrograms {
  /** @param name That of its source file, without the ending. */
  fileOf(name: string): string;
  remove(): Promise<void>;
}

export interface ChildProgramOptions {
  /** The installed packages that it is to load; those that the spec itself runs on unless said. */
  readonly nodeModules?: string;
  /** Changes a file of the library on its way into the program. */
  readonly edit?: (path: string, source: string) => string;
  /**
   * Whether the packages are bundled too, and what V8 compiles at the first start is kept for the later ones
   * (`run-cached.mjs`). Then the program starts in less than half the time, and building it takes a second more: for one
   * that is started often.
   */
  readonly startsOften?: boolean;
  /** Whether it is a CommonJS module, which can import ES modules but not await. It is an ES module unless said. */
  readonly commonJs?: boolean;
  /** Whose `paths` lead to the library, for a program outside the repository. */
  readonly tsconfig?: string;
}

const OWN_PACKAGES = resolve('node_modules');

/** What an ES module knows of itself. */
const OWN_PLACE = {
  'import.meta.url': 'ownUrl',
  'import.meta.filename': '__filename',
  'import.meta.dirname': '__dirname',
};
const OWN_URL = "const ownUrl = require('node:url').pathToFileURL(__filename).href;";
const LAUNCHER = 'test/support/run-cached.mjs';

/** PGlite reads files beside itself. The others are optional, and missing. */
const UNBUNDLED = [
  '@electric-sql/pglite',
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  'pg-native',
];

/** Optional, and installed: Nest would load them with all of Nest again, beside the bundle. */
const LEFT_OUT = ['@nestjs/microservices', '@nestjs/websockets'];
const MISSING = 'a-package-that-is-not-installed';

/** Bundles a program with the library. */
export async function buildChildProgram(entry: string, options?: ChildProgramOptions): Promise<ChildProgram> {
  const { fileOf, remove } = await buildChildPrograms([entry], options);
  return { file: fileOf(basename(entry, '.ts')), remove };
}

/** Bundles several programs, each into a file of its own. Their modules are read once. */
export async function buildChildPrograms(
  entries: readonly string[],
  {
    nodeModules = installedPackages(),
    startsOften = false,
    commonJs = false,
    tsconfig,
    edit = (_, source) => source,
  }: ChildProgramOptions = {},
): Promise<ChildPrograms> {
  const asCommonJs = {
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    banner: { js: OWN_URL },
    define: OWN_PLACE,
  } as const;
  const folder = await realpath(await mkdtemp(join(nodeModules, '.child-')));
  const started = new Set(entries.map((entry) => resolve(entry)));
  const bundlesAll = startsOften && resolve(nodeModules) === OWN_PACKAGES;
  await build({
    entryPoints: [...entries],
    outdir: folder,
    entryNames: '[name]',
    bundle: true,
    platform: 'node',
    target: 'node20',
    ...(bundlesAll
      ? {
          ...asCommonJs,
          external: [...UNBUNDLED, MISSING],
          alias: Object.fromEntries(LEFT_OUT.map((name) => [name, MISSING])),
          minifyWhitespace: true,
          lineLimit: 120,
        }
      : {
          ...(commonJs ? asCommonJs : { format: 'esm', outExtension: { '.js': '.mjs' } }),
          packages: 'external',
        }),
    ...(tsconfig === undefined ? {} : { tsconfig }),
    logLevel: 'error',
    plugins: [
      {
        name: 'swc',
        setup({ onLoad, onResolve }) {
          // A sample names the package as its users do.
          onResolve({ filter: /^nestjs-payments(\/|$)/ }, ({ path }) => ({
            path: resolve(entryFile(path.replace('nestjs-payments', '.'))),
          }));
          // Writes the types of constructors down, which Nest needs and esbuild cannot.
          onLoad({ filter: /\.ts$/ }, async ({ path }) => {
            const source = edit(relative(process.cwd(), path), await readFile(path, 'utf8'));
            const code = await compiled(path, source);
            return { contents: bundlesAll && started.has(path) ? withoutAwait(code) : code, loader: 'js' };
          });
        },
      },
    ],
  });
  await stop(); // its service is a process of its own, which could outlive the test run
  if (bundlesAll) {
    const launcher = await readFile(LAUNCHER);
    for (const entry of entries) await writeFile(join(folder, `${basename(entry, '.ts')}.mjs`), launcher);
  }
  return {
    fileOf: (name) => join(folder, `${name}.${commonJs ? 'cjs' : 'mjs'}`),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A CommonJS module cannot await: the code that loads the program awaits `ended` instead. */
function withoutAwait(code: string): string {
  const lines = code.split('\n');
  const isImport = (line: string): boolean => /^import .*;$/.test(line);
  const rest = lines.filter((line) => !isImport(line));
  return [...lines.filter(isImport), 'export const ended = (async () => {', ...rest, '})();'].join('\n');
}

/** Another folder than the repository's own if the specs run on Nest 11. */
function installedPackages(): string {
  const nest = createRequire(import.meta.url).resolve('@nestjs/core');
  return nest.slice(0, nest.lastIndexOf(join('@nestjs', 'core')));
}

const compiledFiles = new Map<string, Promise<string>>();

/** A TypeScript file as JavaScript that writes the types of constructors down. Most programs have most files in common. */
export function compiled(filename: string, source: string): Promise<string> {
  const key = `${filename}\n${source}`;
  let code = compiledFiles.get(key);
  if (code === undefined) compiledFiles.set(key, (code = compile(filename, source)));
  return code;
}

async function compile(filename: string, source: string): Promise<string> {
  const { code } = await transform(source, {
    filename,
    swcrc: false,
    configFile: false,
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
      target: 'es2022',
    },
    module: { type: 'es6' },
  });
  return code;
}
