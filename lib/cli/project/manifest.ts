import { join } from 'node:path';
import { jsonFile } from '../json-file.js';

/** What a package.json may name. */
interface Manifest {
  readonly name?: string;
  readonly workspaces?: unknown;
  readonly packageManager?: unknown;
  readonly devEngines?: { readonly packageManager?: unknown };
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly devDependencies?: Readonly<Record<string, unknown>>;
}

/** The package.json of a folder; empty if it has none. */
export function manifestOf(folder: string): Manifest {
  return jsonFile(join(folder, 'package.json')) ?? {};
}
