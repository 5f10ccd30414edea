import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, stop } from 'esbuild';

// As deep under the root as dist/esm/cli, so that the command finds package.json where the built one does.
const FOLDER = join(process.cwd(), 'node_modules', '.cache', 'nestjs-payments-cli');
const MAIN = join(FOLDER, `main-${process.pid}.mjs`);

/** Bundles the command, so that the suite needs no build of the package. */
export async function bundleCli(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  await build({
    entryPoints: ['lib/cli/main.ts'],
    outfile: MAIN,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
  });
  await stop(); // its service is a process of its own, which could outlive the test run
}

export function removeCli(): void {
  rmSync(MAIN, { force: true });
}

export interface FinishedCli {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliSurroundings {
  readonly environment?: NodeJS.ProcessEnv;
  /** What stands on stdin. */
  readonly input?: string | Uint8Array;
  /** Where it runs. */
  readonly folder?: string;
  /** Whether it runs in a terminal, by the program `script`; what it writes there is all on stdout. */
  readonly terminal?: boolean;
}

/** One run of the command. */
export class CliProcess {
  stdout = '';
  stderr = '';
  private readonly child: ChildProcess;
  private readonly closed: Promise<unknown[]>;

  constructor(args: readonly string[], { environment = {}, input, folder, terminal }: CliSurroundings = {}) {
    const env = { PATH: process.env['PATH'], NO_COLOR: '1', ...environment };
    const command = [process.execPath, MAIN, ...args] as const;
    const [program, ...rest] = terminal
      ? ['script', '--quiet', '--return', '--command', command.join(' '), '/dev/null']
      : command;
    this.child = spawn(program, rest, { env, cwd: folder, stdio: 'pipe' });
    this.child.stdin?.on('error', () => {}).end(input);
    this.closed = once(this.child, 'close');
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
  }

  /** Resolves to the match once it stands in what the command has written. */
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

/** Runs the command to its end. */
export function runCommand(args: readonly string[], surroundings?: CliSurroundings): Promise<FinishedCli> {
  return new CliProcess(args, surroundings).finished();
}
