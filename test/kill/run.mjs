// Kills replicas of an application, again and again, while they hear webhooks, and judges what came of it.
// `--storage postgres|postgres-plain|redis|bullmq` (again for more than one), `--events`, `--kills`, `--seed`.
import { build, stop } from 'esbuild';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// Inside node_modules, so that what is imported from there is found.
const folder = mkdtempSync(join(process.cwd(), 'node_modules', '.kill-'));
try {
  const outfile = join(folder, 'main.mjs');
  await build({
    entryPoints: ['test/kill/main.ts'],
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
