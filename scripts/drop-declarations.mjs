// Nobody can import declarations that no entry point reaches.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { reach } from './reach.mjs';

/** Removes unreachable declarations from dist/esm. */
export function dropDeclarations(root) {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const folder = join(root, 'dist', 'esm');
  const entries = Object.values(exports).filter((entry) => typeof entry === 'object');
  const reached = new Set(entries.flatMap((entry) => [...reach(join(root, entry.import.types)).files]));
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name);
    if (name.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
  }
}
