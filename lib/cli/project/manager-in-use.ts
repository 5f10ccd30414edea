import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldersUp } from '../json-file.js';
import { manifestOf } from './manifest.js';

const NAMES = ['npm', 'yarn', 'pnpm', 'bun'] as const;

export type PackageManagerName = (typeof NAMES)[number];

const LOCK_FILES: readonly (readonly [string, PackageManagerName])[] = [
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['yarn.lock', 'yarn'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

/**
 * The package manager that a project names in package.json, or whose lock file it has, in the folder or above;
 * else the one that runs this process.
 */
export function managerInUse(folder: string, environment: NodeJS.ProcessEnv): PackageManagerName | undefined {
  return managerOf(folder) ?? runningManager(environment);
}

/** A workspace's lock file is above its packages. */
function managerOf(folder: string): PackageManagerName | undefined {
  for (const at of foldersUp(folder)) {
    const lock = LOCK_FILES.find(([file]) => existsSync(join(at, file)));
    const found = declaredManager(at) ?? lock?.[1];
    if (found) return found;
  }
  return undefined;
}

function declaredManager(folder: string): PackageManagerName | undefined {
  const [first] = declarationsOf(folder).flatMap((one) => NAMES.filter((name) => one.startsWith(`${name}@`)));
  return first;
}

/** `yarn@4.9.0` of `packageManager`, and of npm's form of it: https://docs.npmjs.com/cli/configuring-npm/package-json#devengines */
function declarationsOf(folder: string): readonly string[] {
  const { packageManager, devEngines } = manifestOf(folder);
  const engines = [devEngines?.packageManager].flat() as ({ name?: string; version?: string } | null)[];
  return [
    String(packageManager),
    ...engines.map((engine) => `${engine?.name ?? ''}@${engine?.version ?? ''}`),
  ];
}

/** Whether package.json names a package. */
export function isDeclared(folder: string, name: string): boolean {
  const { dependencies, devDependencies } = manifestOf(folder);
  return { ...dependencies, ...devDependencies }[name] !== undefined;
}

/** Whether it is the Yarn before 2. The lock file of a newer Yarn has `__metadata`, and is empty before its first installation. */
export function isYarn1(folder: string, { npm_config_user_agent: agent = '' }: NodeJS.ProcessEnv): boolean {
  for (const at of foldersUp(folder)) {
    const declared = declarationsOf(at).find((one) => one.startsWith('yarn@'));
    if (declared !== undefined) return /^yarn@\D?1\b/.test(declared);
    const lock = join(at, 'yarn.lock');
    const text = existsSync(lock) ? readFileSync(lock, 'utf8').trim() : undefined;
    if (text !== undefined) return text !== '' && !text.includes('__metadata:');
  }
  return agent.startsWith('yarn/1.');
}

/** Every package manager names itself first in this variable of the programs that it runs. */
function runningManager({ npm_config_user_agent: agent = '' }: NodeJS.ProcessEnv) {
  return NAMES.find((name) => agent.startsWith(`${name}/`));
}
