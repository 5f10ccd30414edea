import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildChildProgram } from '../../support/child-program.js';
import { type CliSurroundings, type FinishedCli, runCommand, runProcess } from '../../support/cli-process.js';
import { projectProblems } from '../../support/compiler-problems.js';

export const SKELETONS = ['nest11-commonjs', 'nest12-esm'] as const;

/** Where this run's Nest is installed: the repository's, or that of test/nest11. */
const nestModules = createRequire(import.meta.url)
  .resolve('@nestjs/core')
  .split(/[\\/]@nestjs[\\/]/)[0]!;
const ownModules = join(process.cwd(), 'node_modules');

/** An application of its own, as `nest new` makes it, to be changed and run. */
export class InitApplication {
  readonly folder: string;
  private readonly place = realpathSync(mkdtempSync(join(tmpdir(), 'payments-init-')));
  private readonly ending: string;

  constructor(skeleton: (typeof SKELETONS)[number]) {
    this.folder = join(this.place, 'shop');
    this.ending = skeleton === 'nest12-esm' ? '.js' : '';
    cpSync(join('test', 'skeletons', skeleton), this.folder, { recursive: true });
    symlinkSync(nestModules, join(this.folder, 'node_modules'), 'junction');
    if (nestModules !== ownModules) symlinkSync(ownModules, join(this.place, 'node_modules'), 'junction');
  }

  init(args: readonly string[] = [], surroundings: CliSurroundings = {}): Promise<FinishedCli> {
    const run = surroundings.terminal ? runProcess : runCommand;
    return run(['init', ...args], { folder: this.folder, ...surroundings });
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  write(path: string, text: string | Buffer): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  /** Every file of the application with its text. */
  files(): Readonly<Record<string, string>> {
    const paths = this.pathsIn('');
    return Object.fromEntries(paths.sort().map((path) => [path, this.read(path)]));
  }

  /** Newer versions of Node.js follow links when they read a folder with all that is in it: node_modules is one. */
  private pathsIn(folder: string): string[] {
    return readdirSync(join(this.folder, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : this.pathsIn(path);
      return entry.isFile() ? [path] : [];
    });
  }

  /** What the compiler says of its files, with the sources in lib/. */
  typeErrors(): Promise<readonly string[]> {
    const lib = (...path: string[]): string => join(process.cwd(), 'lib', ...path, 'index.ts');
    const compilerOptions = {
      incremental: false,
      // TypeScript 7 has it no more.
      baseUrl: null,
      rootDir: '/',
      types: ['node'],
      typeRoots: [join(ownModules, '@types')],
      paths: { 'nestjs-payments': [lib()], 'nestjs-payments/sqlite': [lib('storage', 'sqlite')] },
    };
    this.write(
      'tsconfig.check.json',
      JSON.stringify({ extends: './tsconfig.json', compilerOptions, include: ['src'] }),
    );
    return projectProblems(join(this.folder, 'tsconfig.check.json'));
  }

  /** Runs it in a process of its own; `AppModule` is as the command left it. */
  async boot(): Promise<RunningApplication> {
    this.write(
      'src/boot.ts',
      `import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module${this.ending}';
const app = await NestFactory.create(AppModule);
await app.listen(0, '127.0.0.1');
console.log('Listening on', await app.getUrl());
`,
    );
    const program = await buildChildProgram(join(this.folder, 'src', 'boot.ts'), {
      nodeModules: nestModules,
      tsconfig: join(this.folder, 'tsconfig.check.json'),
    });
    return new RunningApplication(this.folder, program);
  }

  /** What an application has before anything is installed. */
  removePackages(): void {
    for (const folder of [this.folder, this.place]) rmSync(join(folder, 'node_modules'), { force: true });
  }

  remove(): void {
    rmSync(this.place, { recursive: true, force: true });
  }
}

/** An application that was started. */
export class RunningApplication {
  log = '';
  private readonly child;
  private readonly ended: Promise<unknown>;

  constructor(
    folder: string,
    private readonly program: { readonly file: string; remove(): Promise<void> },
  ) {
    const env = { PATH: process.env['PATH'], NO_COLOR: '1' };
    this.child = spawn(process.execPath, [program.file], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.log += text));
    }
  }

  /** Resolves to the match once the application has written it. */
  until(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(this.log);
        if (match) resolve(match);
      };
      for (const stream of [this.child.stdout, this.child.stderr]) stream.on('data', look);
      void this.ended.then(() => {
        reject(new Error(`It ended without ${String(pattern)}:\n${this.log}`));
      });
      look();
    });
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended;
    await this.program.remove();
  }
}
