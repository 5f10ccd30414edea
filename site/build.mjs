/** Builds the documentation site into `site/dist`; with `--serve` it serves the pages while they are written. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, createServer } from 'vitepress';
import { deadLinks } from './dead-links.mjs';
import { writeMarkdown } from './markdown.mjs';
import { BASE, PAGES, stagePages } from './pages.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));
const dist = join(folder, 'dist');
const typedoc = join(dirname(createRequire(import.meta.url).resolve('typedoc/package.json')), 'bin/typedoc');

rmSync(PAGES, { recursive: true, force: true });
execFileSync(process.execPath, [typedoc], { cwd: folder, stdio: 'inherit' });
stagePages();

if (process.argv.includes('--serve')) {
  const server = await createServer(folder);
  await server.listen();
  server.printUrls();
} else {
  await build(folder);
  writeMarkdown(dist);
  const dead = deadLinks(dist, BASE);
  for (const { page, link } of dead) console.error(`${page} links to ${link}, which does not exist.`);
  process.exitCode = dead.length === 0 ? 0 : 1;
}
