import { build, stop } from 'esbuild';
import { mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Runs the `main` of a TypeScript program with the words of the command line; what it resolves to is the exit code.
 *
 * @param {string} entry
 * @param {readonly string[]} [beside] Programs that `main` has others run: it gets the folder in which they are bundled,
 *   each under its own name and `.mjs`.
 */
export async function runBundled(entry, beside = []) {
  // Inside node_modules, so that what is imported from there is found.
  const folder = mkdtempSync(join(process.cwd(), 'node_modules', '.bundled-'));
  try {
    await build({
      entryPoints: [entry, ...beside],
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      logLevel: 'error',
    });
    await stop();
    const { main } = await import(pathToFileURL(join(folder, `${basename(entry, '.ts')}.mjs`)).href);
    process.exitCode = await main(process.argv.slice(2), folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
