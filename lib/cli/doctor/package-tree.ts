import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** An installed package. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** Its real path, with links resolved. */
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

/** The packages that Node loads in a project. */
export interface PackageTree {
  /** The project's real path, with links resolved. */
  readonly folder: string;
  /** Finds the package that a bare import in the project's own files loads. */
  find(name: string): InstalledPackage | undefined;
  /** Finds every copy that the project or one of its packages loads. */
  copiesOf(name: string): readonly InstalledPackage[];
}

/** Resolves the dependencies of a project like Node; undefined if the folder has no package.json. */
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

/** Finds the nearest `node_modules/<name>` from a folder up. */
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
