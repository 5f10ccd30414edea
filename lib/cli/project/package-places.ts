import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { foldersUp } from '../json-file.js';

/** The folder of a package that the files of another folder load; undefined if they cannot load it. */
export type PackagePlaces = (from: string, name: string) => string | undefined;

/** The part of Yarn's API that is used: https://yarnpkg.com/advanced/pnpapi */
interface PnpApi {
  resolveToUnqualified(
    request: string,
    issuer: string,
    options: { readonly considerBuiltins: boolean },
  ): string | null;
}

/** What Yarn writes, and Yarn 2 wrote. */
const PNP_FILES = ['.pnp.cjs', '.pnp.js'];

/** Whether Yarn's Plug'n'Play keeps a project's packages, and this process cannot read them. */
export function hidesPackages(folder: string): boolean {
  if (process.versions['pnp'] !== undefined) return false;
  const has = (at: string, file: string): boolean => existsSync(join(at, file));
  const hasPnp = (at: string): boolean => PNP_FILES.some((file) => has(at, file));
  const root = foldersUp(folder).find((at) => hasPnp(at) || has(at, 'node_modules'));
  return root !== undefined && hasPnp(root);
}

/** Where a project's packages are: in folders named node_modules, or where Yarn's Plug'n'Play knows. */
export function packagePlaces(folder: string): PackagePlaces {
  const api = pnpApiOf(folder);
  return api ? placesOf(api) : nodeModules;
}

function pnpApiOf(folder: string): PnpApi | undefined {
  if (process.versions['pnp'] === undefined) return undefined;
  try {
    return createRequire(join(folder, 'package.json'))('pnpapi') as PnpApi;
  } catch {
    return undefined; // another project than the one whose Plug'n'Play runs
  }
}

function placesOf(api: PnpApi): PackagePlaces {
  return (from, name) => {
    try {
      const place = api.resolveToUnqualified(name, join(from, '/'), { considerBuiltins: false });
      return place?.replace(/[\\/]$/, '');
    } catch {
      return undefined;
    }
  };
}

/** The real path of the nearest `node_modules/<name>` from a folder up, as Node searches it. */
const nodeModules: PackagePlaces = (from, name) => {
  const places = foldersUp(from).map((at) => join(at, 'node_modules', name));
  const place = places.find((path) => existsSync(path));
  return place && realpathSync(place);
};
