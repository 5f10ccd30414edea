// Joins the compiled files into one for each entry point and a few that entry points share: at boot Node takes longer to
// find two hundred files than for all the rest that the package does.
import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rollup } from '@rollup/wasm-node';
import { reach } from './reach.mjs';

/**
 * What of the main entry point stands apart from the rest, and who loads it alone: a script, or a tracer before everything
 * else, gets nothing that only an application needs. The first that fits counts.
 */
const APART = {
  basics: ['sandbox/index', 'cli/main'],
  stores: ['storage/redis/index', 'storage/postgres/index'],
  diagnostics: ['integrations/opentelemetry/index'],
};
const REST = 'payments';
const MAIN = 'index';
const FORMATS = { esm: 'es', cjs: 'cjs' };
/** One letter beyond ASCII, be it in a message, and V8 keeps the whole file with two bytes for each letter. */
const ASCII = {
  name: 'ascii',
  renderChunk: (code) =>
    code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
};
const TSLIB = fileURLToPath(import.meta.resolve('tslib/tslib.es6.mjs'));

/** Writes one build, `esm` or `cjs`, from the folder with the compiled files. */
export async function bundle(root, compiled, build) {
  const bundled = await rollup({
    input: Object.fromEntries(entriesOf(root, build).map((entry) => [entry, fileOf(compiled, entry)])),
    external: (name) => !name.startsWith('.') && !isAbsolute(name) && name !== 'tslib',
    plugins: [{ name: 'tslib', resolveId: (name) => (name === 'tslib' ? TSLIB : null) }, ASCII],
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

/** What package.json names of a build: `testing/index` for `./dist/esm/testing/index.js`. */
function entriesOf(root, build) {
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const scripts = JSON.stringify([exports, bin]).matchAll(new RegExp(`"./dist/${build}/([^"]+)\\.js"`, 'g'));
  return [...new Set([...scripts].map(([, entry]) => entry))];
}

/** Where a compiled file goes. What only the others have, Rollup divides by itself. */
function sharing(compiled) {
  const reached = (entry) => reach(fileOf(compiled, entry)).files;
  const main = reached(MAIN);
  const groups = Object.entries(APART).map(([name, entries]) => ({
    name,
    files: new Set(entries.flatMap((entry) => [...reached(entry)])),
  }));
  return (file) => (main.has(file) ? (groups.find(({ files }) => files.has(file))?.name ?? REST) : undefined);
}

function fileOf(folder, entry) {
  return join(folder, `${entry}.js`);
}
