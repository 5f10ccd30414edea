import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { jsonFile } from '../json-file.js';
import { type PackagePlaces, packagePlaces } from './package-places.js';

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
  /** The range of a package in the project's package.json; undefined if it is not named there. */
  declaredRange(name: string): string | undefined;
  /**
   * The version that a bare import loads: in the project's own files, or in the last of the packages `through`
   * which they reach it. A package of these that is not installed is passed over.
   */
  versionOf(name: string, ...through: readonly string[]): string | undefined;
  /** Finds every copy that the project or one of its packages loads. */
  copiesOf(name: string): readonly InstalledPackage[];
}

/** Resolves the dependencies of a project like Node; undefined if the folder has no readable package.json. */
export function packageTree(project: string): PackageTree | undefined {
  const root = manifestOf(project);
  if (!root) return undefined;
  const folder = realpathSync(project);
  const placeOf = packagePlaces(folder);
  const own = { ...root.dependencies, ...root.devDependencies };
  const installed = installedPackages(folder, [...namesOf(root), ...Object.keys(own)], placeOf);
  return {
    folder,
    declaredRange: (name) => own[name],
    versionOf: (name, ...through) => {
      const from = through.reduce((at, next) => placeOf(at, next) ?? at, folder);
      const place = placeOf(from, name);
      return place === undefined ? undefined : manifestOf(place)?.version;
    },
    copiesOf: (name) => installed.filter((one) => one.name === name),
  };
}

function installedPackages(
  folder: string,
  names: readonly string[],
  placeOf: PackagePlaces,
): readonly InstalledPackage[] {
  const found = new Map<string, InstalledPackage>();
  const open = [{ folder, names }];
  for (const { folder: from, names: wanted } of open) {
    for (const name of wanted) {
      const place = placeOf(from, name);
      if (place === undefined || found.has(place)) continue;
      const manifest = manifestOf(place);
      if (!manifest) continue;
      found.set(place, { name, version: manifest.version, folder: place });
      open.push({ folder: place, names: namesOf(manifest) });
    }
  }
  return [...found.values()];
}

function namesOf({ dependencies, optionalDependencies, peerDependencies }: Manifest): readonly string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
}

function manifestOf(folder: string): Manifest | undefined {
  const manifest = jsonFile(join(folder, 'package.json'));
  return manifest && { version: '0.0.0', ...manifest };
}
