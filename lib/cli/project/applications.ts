import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { foldersUp, jsonFile } from '../json-file.js';
import { readableEntries } from '../readable-entries.js';
import { shellWord } from '../shell-word.js';
import { manifestOf } from './manifest.js';

/** How far below a workspace's root its projects are searched. */
const DEPTH = 4;
const NO_PROJECT = /^(\..*|node_modules|dist)$/;
/** Files that only the root of a workspace has. */
const WORKSPACE_FILES = ['nx.json', 'pnpm-workspace.yaml', 'lerna.json', 'turbo.json'];

/** The files of an application. */
export interface Application {
  /** Its name in nest-cli.json, in Nx, or in its package.json. */
  readonly name: string;
  /** Its own folder, such as `apps/shop`. */
  readonly home: string;
  /** The folder of the package.json that holds its dependencies, for the installation and `.env`. */
  readonly folder: string;
  /** The folder of its TypeScript files. */
  readonly sources: string;
  /** The file that starts it; it may not exist. */
  readonly main: string;
}

interface NestProject {
  readonly type?: string;
  readonly root?: string;
  readonly sourceRoot?: string;
  readonly entryFile?: string;
}

interface NestCli extends NestProject {
  readonly projects?: Readonly<Record<string, NestProject>>;
}

/** The nearest folder from a place up that has a package.json. */
export function packageFolder(place: string): string | undefined {
  return foldersUp(place).find((folder) => existsSync(join(folder, 'package.json')));
}

/**
 * The applications of a folder with a package.json: those of `nest-cli.json`, or the one in `src`, or those
 * of a workspace (Nx, or one of the package manager).
 */
function applicationsIn(folder: string): readonly Application[] {
  const nestCli: NestCli = jsonFile(join(folder, 'nest-cli.json')) ?? {};
  const { projects = {}, sourceRoot = 'src', entryFile = 'main' } = nestCli;
  const named = Object.entries(projects).filter(([, { type }]) => type === 'application');
  if (named.length > 0) return named.map(([name, project]) => nestCliApplication(folder, name, project));
  const own = applicationOf({ name: '.', home: folder, folder }, join(folder, sourceRoot), entryFile);
  if (existsSync(own.main) || !isWorkspace(folder)) return [own];
  const members = projectFolders(folder, DEPTH).map((home) => memberOf(folder, home));
  const started = members.filter(({ main }) => existsSync(main) && readFileSync(main, 'utf8').includes(NEST));
  return started.length > 0 ? started : [own];
}

const NEST = '@nestjs/core';

/** What a search for applications found. */
export interface FoundApplications {
  /** Those that the command may mean: one, if it is clear. */
  readonly meant: readonly Application[];
  /** Every one that is near. */
  readonly known: readonly Application[];
}

/**
 * Finds the application that `--project` names, or the one around the working directory, or else all.
 *
 * @param project Its name, with or without the scope of its package, or the path of its folder.
 */
export function findApplications(place: string, project: string | undefined): FoundApplications {
  const near = packageFolder(place);
  const root = foldersUp(place).find(isWorkspace);
  const own = near === undefined ? [] : applicationsIn(near);
  const known = root === undefined || root === near ? own : [...applicationsIn(root), ...own];
  if (project === undefined) {
    const around = known.filter(({ home }) => isInside(home, place));
    return { meant: around.length > 0 ? around.slice(0, 1) : own, known };
  }
  const home = resolve(place, project);
  const there = existsSync(join(home, 'package.json')) ? applicationsIn(home) : [];
  const named = [...known, ...there].filter((one) => one.name === project || one.home === home);
  const scoped = known.filter(({ name }) => name.startsWith('@') && name.endsWith(`/${project}`));
  return { meant: named.length > 0 ? named.slice(0, 1) : scoped, known };
}

/** The options that name each of several applications. */
export function projectChoices(found: readonly Application[]): string {
  return found.map(({ name }) => `--project ${shellWord(name)}`).join(' or ');
}

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !way.startsWith('..') && !isAbsolute(way);
}

function nestCliApplication(folder: string, name: string, project: NestProject): Application {
  const { root = '', sourceRoot = join(root, 'src'), entryFile = 'main' } = project;
  return applicationOf({ name, home: join(folder, root), folder }, join(folder, sourceRoot), entryFile);
}

function applicationOf(
  places: Pick<Application, 'name' | 'home' | 'folder'>,
  sources: string,
  entryFile = 'main',
): Application {
  return { ...places, sources, main: join(sources, `${entryFile}.ts`) };
}

function isWorkspace(folder: string): boolean {
  const { workspaces } = manifestOf(folder);
  return workspaces !== undefined || WORKSPACE_FILES.some((file) => existsSync(join(folder, file)));
}

/** The folders below a workspace's root with a package.json or with Nx's project.json. Follows no links. */
function projectFolders(folder: string, depth: number): readonly string[] {
  if (depth === 0) return [];
  return readableEntries(folder)
    .filter((entry) => entry.isDirectory() && !NO_PROJECT.test(entry.name))
    .map(({ name }) => join(folder, name))
    .flatMap((at) => [
      ...(['package.json', 'project.json'].some((file) => existsSync(join(at, file))) ? [at] : []),
      ...projectFolders(at, depth - 1),
    ]);
}

function memberOf(root: string, home: string): Application {
  const project: { readonly name?: string; readonly sourceRoot?: string } =
    jsonFile(join(home, 'project.json')) ?? {};
  const name = project.name ?? manifestOf(home).name ?? relative(root, home);
  const sources = project.sourceRoot === undefined ? join(home, 'src') : join(root, project.sourceRoot);
  return applicationOf({ name, home, folder: dependenciesFolder(root, home) }, sources);
}

/** The nearest package.json that names Nest: Nx may keep every dependency at the root. */
function dependenciesFolder(root: string, home: string): string {
  const above = foldersUp(home).filter((at) => isInside(root, at));
  return above.find((at) => manifestOf(at).dependencies?.[NEST] !== undefined) ?? packageFolder(home) ?? root;
}
