import { transform } from '@swc/core';
import { build, stop } from 'esbuild';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join, relative, resolve } from 'node:path';
import { entryFile } from './public-exports.js';

/** A program of the tests that runs in a process of its own, on the library as it stands in lib/. */
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
   * Whether the packages are bundled too. Then the program starts in half the time, and building it takes a second more:
   * for one that is started often.
   */
  readonly startsOften?: boolean;
  /** Whose `paths` lead to the library, for a program outside the repository. */
  readonly tsconfig?: string;
}

const OWN_PACKAGES = resolve('node_modules');

/** What CommonJS packages expect, and an ES module does not have. */
const COMMONJS_NAMES = `
import { createRequire as requireOfProgram } from 'node:module';
const require = requireOfProgram(import.meta.url);
const { dirname: __dirname, filename: __filename } = import.meta;
`;

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
    tsconfig,
    edit = (_, source) => source,
  }: ChildProgramOptions = {},
): Promise<ChildPrograms> {
  const folder = await realpath(await mkdtemp(join(nodeModules, '.child-')));
  await build({
    entryPoints: [...entries],
    outdir: folder,
    entryNames: '[name]',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    ...(startsOften && resolve(nodeModules) === OWN_PACKAGES
      ? {
          banner: { js: COMMONJS_NAMES },
          external: [...UNBUNDLED, MISSING],
          alias: Object.fromEntries(LEFT_OUT.map((name) => [name, MISSING])),
          minifyWhitespace: true,
          lineLimit: 120,
        }
      : { packages: 'external' }),
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
          onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
            contents: await compiled(path, edit(relative(process.cwd(), path), await readFile(path, 'utf8'))),
            loader: 'js',
          }));
        },
      },
    ],
  });
  await stop(); // its service is a process of its own, which could outlive the test run
  return {
    fileOf: (name) => join(folder, `${name}.mjs`),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Another folder than the repository's own if the specs run on Nest 11. */
function installedPackages(): string {
  const nest = createRequire(import.meta.url).resolve('@nestjs/core');
  return nest.slice(0, nest.lastIndexOf(join('@nestjs', 'core')));
}

async function compiled(filename: string, source: string): Promise<string> {
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
