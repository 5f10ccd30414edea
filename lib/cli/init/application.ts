import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The files of an application. */
export interface Application {
  /** The folder of its package.json, for `npm install` and `.env`. */
  readonly folder: string;
  /** The folder of its TypeScript files. */
  readonly sources: string;
  /** The file that starts it; it may not exist. */
  readonly main: string;
}

interface NestCli {
  readonly sourceRoot?: string;
  readonly entryFile?: string;
  readonly projects?: Readonly<Record<string, NestProject>>;
}

interface NestProject {
  readonly type?: string;
  readonly root?: string;
  readonly sourceRoot?: string;
  readonly entryFile?: string;
}

/** The nearest folder from a place up that has a package.json. */
export function packageFolder(place: string): string | undefined {
  for (let at = place; ; at = dirname(at)) {
    if (existsSync(join(at, 'package.json'))) return at;
    if (at === dirname(at)) return undefined;
  }
}

/** The applications of a folder: those of `nest-cli.json`, or the one in `src`. */
export function applicationsIn(folder: string): readonly Application[] {
  const { projects = {}, sourceRoot = 'src', entryFile = 'main' } = nestCliOf(folder);
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

function nestCliOf(folder: string): NestCli {
  try {
    return JSON.parse(readFileSync(join(folder, 'nest-cli.json'), 'utf8')) as NestCli;
  } catch {
    return {};
  }
}
