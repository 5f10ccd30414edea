import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A package as it is installed. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** Where it really is, links followed. */
  readonly folder: string;
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** What Node would load in a project. */
export interface PackageTree {
  /** Of the project, links followed. */
  readonly folder: string;
  /** What a bare import in the project's own files gives. */
  find(name: string): InstalledPackage | undefined;
  /** Every copy that the project or one of its packages would load. */
  copiesOf(name: string): readonly InstalledPackage[];
}

/** Follows the dependencies of a project the way Node does; undefined if the folder holds no package.json. */
export function packageTree(project: string): PackageTree | undefined {
  const root = manifestOf(project);
  if (!root) return undefined;
  const folder = realpathSync(project);
  const found = new Map<string, InstalledPackage>();
  const open = [{ folder, manifest: root, names: namesOf(root, root.devDependencies) }];
  for (const { folder: from, names } of open) {
    for (const name of names) {
      const place = resolveFrom(from, name);
      const manifest = place === undefined || found.has(place) ? undefined : manifestOf(place);
      if (place === undefined || !manifest) continue;
      found.set(place, { name, version: manifest.version ?? '0.0.0', folder: place });
      open.push({ folder: place, manifest, names: namesOf(manifest) });
    }
  }
  return {
    folder,
    find: (name) => {
      const place = resolveFrom(folder, name);
      const manifest = place === undefined ? undefined : manifestOf(place);
      return place === undefined || !manifest
        ? undefined
        : { name, version: manifest.version ?? '0.0.0', folder: place };
    },
    copiesOf: (name) => [...found.values()].filter((installed) => installed.name === name),
  };
}

function namesOf(
  { dependencies, optionalDependencies, peerDependencies }: Manifest,
  more: Readonly<Record<string, string>> = {},
): readonly string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies, ...more });
}

/** The nearest `node_modules/<name>` from a folder up. */
function resolveFrom(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    try {
      return realpathSync(join(at, 'node_modules', name));
    } catch {
      if (at === dirname(at)) return undefined;
    }
  }
}

function manifestOf(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  } catch {
    return undefined;
  }
}
