// Plants faults in `lib/`, one at a time, and counts which of them a test notices.
// `npm run test:mutants -- lib/webhooks/schemes --sample 60 --seed 7 --threshold 95`
import { build, stop } from 'esbuild';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// Inside node_modules, so that what is imported from there is found.
const folder = mkdtempSync(join(process.cwd(), 'node_modules', '.mutants-'));
try {
  await build({
    entryPoints: ['main', 'run-specs', 'sample-checker'].map((name) => `test/mutants/${name}.ts`),
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
  const { main } = await import(pathToFileURL(join(folder, 'main.mjs')).href);
  process.exitCode = await main(process.argv.slice(2), folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
