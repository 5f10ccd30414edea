import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { foldersUp, jsonFile } from '../json-file.js';

/** An installed package. */
interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** Its real path, with links resolved. */
  readonly folder: string;
}

type Dependencies = 'dependencies' | 'devDependencies' | 'optionalDependencies' | 'peerDependencies';

interface Manifest extends Partial<Record<Dependencies, Readonly<Record<string, string>>>> {
  readonly version: string;
}

/** The packages that Node loads in a project. */
export interface PackageTree {
  /** The project's real path, with links resolved. */
  readonly folder: string;
  /** Whether the project's package.json names a package. */
  declares(name: string): boolean;
  /** The version that a bare import in the project's own files loads. */
  versionOf(name: string): string | undefined;
  /** Finds every copy that the project or one of its packages loads. */
  copiesOf(name: string): readonly InstalledPackage[];
}

/** Resolves the dependencies of a project like Node; undefined if the folder has no readable package.json. */
export function packageTree(project: string): PackageTree | undefined {
  const root = manifestOf(project);
  if (!root) return undefined;
  const folder = realpathSync(project);
  const own = { ...root.dependencies, ...root.devDependencies };
  const found = new Map<string, InstalledPackage>();
  const open = [{ folder, names: [...namesOf(root), ...Object.keys(own)] }];
  for (const { folder: from, names } of open) {
    for (const name of names) {
      const place = placeOf(from, name);
      if (place === undefined || found.has(place)) continue;
      const manifest = manifestOf(place);
      if (!manifest) continue;
      found.set(place, { name, version: manifest.version, folder: place });
      open.push({ folder: place, names: namesOf(manifest) });
    }
  }
  return {
    folder,
    declares: (name) => name in own,
    versionOf: (name) => {
      const place = placeOf(folder, name);
      return place === undefined ? undefined : manifestOf(place)?.version;
    },
    copiesOf: (name) => [...found.values()].filter((installed) => installed.name === name),
  };
}

/** The real path of the nearest `node_modules/<name>` from a folder up. */
function placeOf(from: string, name: string): string | undefined {
  const places = foldersUp(from).map((at) => join(at, 'node_modules', name));
  const place = places.find((path) => existsSync(path));
  return place && realpathSync(place);
}

function namesOf({ dependencies, optionalDependencies, peerDependencies }: Manifest): string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
}

function manifestOf(folder: string): Manifest | undefined {
  const manifest = jsonFile(join(folder, 'package.json'));
  return manifest && { version: '0.0.0', ...manifest };
}
