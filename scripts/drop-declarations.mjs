// Declarations that no entry point leads to are read by nobody: no import from outside gets there.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { reach } from './reach.mjs';

/** Removes them from dist/esm. */
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
