import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

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
  for (let at = folder; ; at = dirname(at)) {
    const named = namedManager(at);
    if (named) return named;
    const lock = LOCK_FILES.find(([file]) => existsSync(join(at, file)));
    if (lock) return lock[1];
    if (at === dirname(at)) return 'npm';
  }
}

function namedManager(folder: string): PackageManager | undefined {
  try {
    const { packageManager: named = '' } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      packageManager?: string;
    };
    return (Object.keys(INSTALL) as PackageManager[]).find((name) => named.startsWith(`${name}@`));
  } catch {
    return undefined;
  }
}
