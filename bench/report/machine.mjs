import { readFileSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bench = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Where a run was made, and with which versions. */
export function machine() {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return {
    date: new Date().toISOString().slice(0, 10),
    description: `Node ${process.version}, ${platform()} ${arch()}, ${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${memory} GB`,
    versions: Object.keys(manifest(bench).devDependencies).map((name) => [
      name,
      manifest(join(bench, 'node_modules', name)).version,
    ]),
  };
}

function manifest(directory) {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
}
