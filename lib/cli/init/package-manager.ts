import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { foldersUp, jsonFile } from '../json-file.js';

const INSTALL = { npm: 'npm install', yarn: 'yarn add', pnpm: 'pnpm add', bun: 'bun add' } as const;

type PackageManager = keyof typeof INSTALL;

const LOCK_FILES: readonly (readonly [string, PackageManager])[] = [
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['yarn.lock', 'yarn'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

/**
 * The install command of the package manager in use, known by its lock file or by `packageManager` in
 * package.json.
 */
export function installCommand(folder: string, packages: readonly string[]): string {
  return [INSTALL[packageManager(folder)], ...packages].join(' ');
}

/** A workspace's lock file is above its packages. */
function packageManager(folder: string): PackageManager {
  for (const at of foldersUp(folder)) {
    const lock = LOCK_FILES.find(([file]) => existsSync(join(at, file)));
    const found = namedManager(at) ?? lock?.[1];
    if (found) return found;
  }
  return 'npm';
}

function namedManager(folder: string): PackageManager | undefined {
  const { packageManager = '' }: { readonly packageManager?: unknown } =
    jsonFile(join(folder, 'package.json')) ?? {};
  return (Object.keys(INSTALL) as PackageManager[]).find((name) =>
    String(packageManager).startsWith(`${name}@`),
  );
}
