import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { foldersUp, jsonFile } from '../json-file.js';

/** The files of an application. */
export interface Application {
  /** The folder of its package.json, for `npm install` and `.env`. */
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

/** The applications of a folder: those of `nest-cli.json`, or the one in `src`. */
export function applicationsIn(folder: string): readonly Application[] {
  const nestCli: NestCli = jsonFile(join(folder, 'nest-cli.json')) ?? {};
  const { projects = {}, sourceRoot = 'src', entryFile = 'main' } = nestCli;
  const applications = Object.values(projects).filter(({ type }) => type === 'application');
  if (applications.length === 0) return [applicationOf(folder, sourceRoot, entryFile)];
  return applications.map((project) =>
    applicationOf(folder, project.sourceRoot ?? join(project.root ?? '', 'src'), project.entryFile ?? 'main'),
  );
}

function applicationOf(folder: string, sourceRoot: string, entryFile: string): Application {
  const sources = join(folder, sourceRoot);
  return { folder, sources, main: join(sources, `${entryFile}.ts`) };
}
