import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type OnLoadResult, stop } from 'esbuild';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import type * as Cli from '../../lib/cli/run-cli.js';
import { compiled } from './child-program.js';

// As deep under the root as dist/esm/cli, so that the command finds package.json where the built one does.
// `global-setup.mjs` names the folder, and removes it.
const FOLDER = resolve(process.env['TEST_BUNDLES']!);
const BUILD = randomUUID();
const fileOf = (name: 'main' | 'run-cli'): string => join(FOLDER, `${name}-${BUILD}.mjs`);

/** What `payout` loads, as an application has it. */
const PACKAGES = [
  '@nestjs/*',
  '@electric-sql/*',
  'axios',
  'undici',
  'class-*',
  'cli-progress',
  'csv-parse',
  'reflect-metadata',
  'rxjs',
];

let bundled: Promise<void> | undefined;

/** Bundles the command, so that the suite needs no build of the package: once for all specs of a worker. */
export function bundleCli(): Promise<void> {
  return (bundled ??= bundle());
}

async function bundle(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  await build({
    entryPoints: ['lib/cli/main.ts', 'lib/cli/run-cli.ts'],
    outdir: FOLDER,
    entryNames: `[name]-${BUILD}`,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // What a command loads only when it needs it stays in files of its own, as in the built one.
    splitting: true,
    chunkNames: `chunk-${BUILD}-[hash]`,
    external: PACKAGES,
    alias: { yaml: join(process.cwd(), 'node_modules', 'yaml', 'browser', 'index.js') }, // as scripts/bundle.mjs
    logLevel: 'silent',
    plugins: [
      {
        name: 'decorators',
        setup: ({ onLoad }) => {
          onLoad({ filter: /\.ts$/ }, withDecorators);
        },
      },
    ],
  });
  await stop(); // its service is a process of its own, which could outlive the test run
}

/** Nest needs the types of constructors, which esbuild does not write down. */
async function withDecorators({ path }: { readonly path: string }): Promise<OnLoadResult | undefined> {
  const source = await readFile(path, 'utf8');
  return /^@\w/m.test(source) ? { contents: await compiled(path, source), loader: 'js' } : undefined;
}

/** The bundled command, for Node. */
export function cliFile(): string {
  return fileOf('main');
}

export interface FinishedCli {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliSurroundings {
  readonly environment?: NodeJS.ProcessEnv;
  /** The text on stdin; in a terminal, what is typed at the first question; Enter follows at each further one. */
  readonly input?: string | Uint8Array;
  /** Where it runs. */
  readonly folder?: string;
  /** Whether it runs in a terminal, by the program `script`; what it writes there is all on stdout. */
  readonly terminal?: boolean;
  /** The file that its stdout is, instead of `stdout` of the result. */
  readonly output?: string;
}

/** The variables of an application that calls the emulator. */
export function environmentOf(sandbox: PaymentsSandbox): Readonly<Record<string, string>> {
  const { baseUrl, apiKey, apiSecret = '' } = sandbox.moduleOptions();
  return {
    PAYMENTS_BASE_URL: baseUrl,
    PAYMENTS_API_KEY: apiKey,
    PAYMENTS_API_SECRET: apiSecret,
    PAYMENTS_WEBHOOK_SECRET: sandbox.webhookSecret,
  };
}

const QUESTION = '(y/N)';

/** One run of the command. */
export class CliProcess {
  stdout = '';
  stderr = '';
  private readonly child: ChildProcess;
  private readonly closed: Promise<unknown[]>;

  constructor(
    args: readonly string[],
    { environment = {}, input, folder, terminal, output }: CliSurroundings = {},
  ) {
    const env = { PATH: process.env['PATH'], NO_COLOR: '1', ...environment };
    const command = [process.execPath, fileOf('main'), ...args] as const;
    const [program, ...rest] = terminal
      ? ['script', '--quiet', '--return', '--command', `exec ${command.join(' ')}`, '/dev/null']
      : command;
    const file = output === undefined ? undefined : openSync(output, 'w');
    this.child = spawn(program, rest, { env, cwd: folder, stdio: ['pipe', file ?? 'pipe', 'pipe'] });
    if (file !== undefined) closeSync(file);
    this.child.stdin?.on('error', () => {});
    this.closed = once(this.child, 'close');
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    if (terminal) this.answer(input);
    else this.child.stdin?.end(input);
  }

  /** Types at each question, and not before: what comes too early, or the end of the input of `script`, may be lost. */
  private answer(input: string | Uint8Array = ''): void {
    let answered = 0;
    this.child.stdout?.on('data', () => {
      for (const asked = this.stdout.split(QUESTION).length - 1; answered < asked; answered += 1) {
        this.child.stdin?.write(answered === 0 ? input : '\n');
      }
    });
  }

  /** Resolves to the match once the command has written it. */
  async until(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this[stream]);
      if (match) return match;
      const ended = await Promise.race([
        once(this.child[stream]!, 'data').then(() => false),
        this.closed.then(() => true),
      ]);
      if (ended && !pattern.test(this[stream])) {
        throw new Error(`ended without ${String(pattern)}:\n${this.stdout}${this.stderr}`);
      }
    }
  }

  /** Types on the terminal. */
  type(text: string): void {
    this.child.stdin?.write(text);
  }

  /** Sends a signal to the command alone, as `kill` does. */
  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** What `| head` does once it has read enough. */
  stopReading(): void {
    this.child.stdout?.destroy();
  }

  async finished(): Promise<FinishedCli> {
    const [code] = (await this.closed) as [number | null];
    return { code, stdout: this.stdout, stderr: this.stderr };
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<FinishedCli> {
    this.child.kill(signal);
    return this.finished();
  }
}

/** Runs the command to its end, in a process of its own. */
export function runProcess(args: readonly string[], surroundings?: CliSurroundings): Promise<FinishedCli> {
  return new CliProcess(args, surroundings).finished();
}

/** Runs the command to its end in this process: to start another one takes longer than most commands do. */
export function runCommand(
  args: readonly string[],
  surroundings: Omit<CliSurroundings, 'terminal' | 'output'> = {},
): Promise<FinishedCli> {
  return besideTheSpec(() => runHere(args, surroundings));
}

const COPIES = Symbol.for('nestjs-payments.copies');
const shared = globalThis as unknown as Record<symbol, unknown>;
let copiesOfSpec: unknown;
/** Some specs run several commands at once. */
let commands = 0;

/** The bundle is a second copy of the package. A merchant's process refuses that, and this spec and later ones have the first. */
async function besideTheSpec<T>(work: () => Promise<T>): Promise<T> {
  if (commands === 0) copiesOfSpec = shared[COPIES];
  commands += 1;
  shared[COPIES] = new Set();
  try {
    return await work();
  } finally {
    commands -= 1;
    if (commands === 0) shared[COPIES] = copiesOfSpec;
  }
}

async function runHere(
  args: readonly string[],
  { environment = {}, input = '', folder = process.cwd() }: Omit<CliSurroundings, 'terminal' | 'output'>,
): Promise<FinishedCli> {
  const { runCli } = (await import(pathToFileURL(fileOf('run-cli')).href)) as typeof Cli;
  const written = { stdout: '', stderr: '' };
  const code = await runCli(args, {
    terminal: {
      data: (line) => (written.stdout += `${line}\n`),
      say: (line) => (written.stderr += `${line}\n`),
      paint: (_look, text) => text,
      paintData: (_look, text) => text,
    },
    environment: { PATH: process.env['PATH'], NO_COLOR: '1', ...environment },
    folder,
    input: () => Promise.resolve(Buffer.from(input)),
    onSignal: () => () => undefined,
    interactive: false,
    ask: () => Promise.reject(new Error('Nobody is there to be asked.')),
  });
  return { code, ...written };
}
