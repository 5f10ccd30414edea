import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { shellWord } from '../shell-word.js';
import { isDeclared, isYarn1, managerInUse, type PackageManagerName } from './manager-in-use.js';

/** How each package manager spells what the commands advise. */
const COMMANDS = {
  npm: { add: 'npm install', exec: 'npx', script: 'npm run', why: 'npm ls', dedupe: 'npm dedupe' },
  yarn: { add: 'yarn add', exec: 'yarn', script: 'yarn run', why: 'yarn why', dedupe: 'yarn dedupe' },
  pnpm: { add: 'pnpm add', exec: 'pnpm exec', script: 'pnpm run', why: 'pnpm why', dedupe: 'pnpm dedupe' },
  bun: { add: 'bun add', exec: 'bunx', script: 'bun run', why: 'bun why', dedupe: 'bun dedupe' },
} as const satisfies Record<PackageManagerName, object>;

/** These fetch a package that is not installed. */
const FETCHES: readonly string[] = ['npx', 'bunx'];
const OWN = 'nestjs-payments';
/** Yarn 1 cannot remove copies itself. */
const YARN_1_DEDUPE = 'npx yarn-deduplicate && yarn install';

/** The package manager of a project, and its commands. */
export interface PackageManager {
  readonly name: PackageManagerName;
  /** The command and arguments that install packages, to run in the project's folder. */
  add(packages: readonly string[]): readonly [string, ...string[]];
  /** The line that leads from the working directory to the project's folder; undefined if it is that folder. */
  readonly cd: string | undefined;
  /** A line that installs packages, to copy in the working directory. */
  install(packages: readonly string[]): string;
  /** A line that runs this package's program, which is installed. */
  exec(args: string): string;
  /** A line that runs this package's program in the project's folder, and first adds it if package.json does not. */
  execThere(args: string): string;
  /** A line that runs a script of package.json. */
  script(name: string): string;
  /** A line that shows who brings a package, and one that removes copies. */
  readonly why: string;
  readonly dedupe: string;
}

/**
 * The package manager in use, known by `packageManager` in package.json or by the lock file, in the folder or
 * above; else by the one that runs this process.
 *
 * @param place The working directory, in which a person copies the commands.
 */
export function packageManagerOf(
  folder: string,
  place: string,
  environment: NodeJS.ProcessEnv,
): PackageManager {
  const name = managerInUse(folder, environment) ?? 'npm';
  const { add, exec, script, why, dedupe } = COMMANDS[name];
  // pnpm refuses to add packages to a workspace's root by mistake.
  const root = name === 'pnpm' && existsSync(join(folder, 'pnpm-workspace.yaml')) ? ['--workspace-root'] : [];
  const [program, verb] = add.split(' ') as [string, string];
  const words = (packages: readonly string[]) => [program, verb, ...root, ...packages] as const;
  const way = relative(place, folder).replaceAll('\\', '/');
  const cd = way === '' ? undefined : `cd ${shellWord(way)}`;
  const there = (line: string): string => (cd === undefined ? line : `${cd} && ${line}`);
  const run = (args: string): string => `${exec} ${OWN} ${args}`;
  const isThere = FETCHES.includes(exec) || isDeclared(folder, OWN);
  return {
    name,
    add: words,
    cd,
    install: (packages) => there(words(packages).join(' ')),
    exec: run,
    execThere: (args) => there(`${isThere ? '' : `${words([OWN]).join(' ')} && `}${run(args)}`),
    script: (wanted) => `${script} ${wanted}`,
    why,
    dedupe: name === 'yarn' && isYarn1(folder, environment) ? YARN_1_DEDUPE : dedupe,
  };
}
