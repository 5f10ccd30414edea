import { build, stop } from 'esbuild';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Runs the `main` of a TypeScript program with the words of the command line; what it resolves to is the exit code.
 *
 * @param {string} entry
 */
export async function runBundled(entry) {
  // Inside node_modules, so that what is imported from there is found.
  const folder = mkdtempSync(join(process.cwd(), 'node_modules', '.bundled-'));
  try {
    const outfile = join(folder, 'main.mjs');
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      logLevel: 'error',
    });
    await stop();
    const { main } = await import(pathToFileURL(outfile).href);
    process.exitCode = await main(process.argv.slice(2));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
