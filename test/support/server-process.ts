import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** How a process ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program that serves until it gets a signal to end, or ends by itself. */
export class ServerProcess {
  private said = '';
  private readonly ended: Promise<ProcessEnd>;
  private readonly closed: Promise<unknown>;
  private readonly waiting = new Set<() => void>();

  private constructor(
    private readonly program: string,
    private readonly child: ChildProcess,
  ) {
    this.ended = once(child, 'exit').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
    }));
    this.ended.catch(() => undefined);
    this.closed = once(child, 'close');
    this.closed.catch(() => undefined);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.said += text;
        for (const check of this.waiting) check();
      });
    }
  }

  /**
   * Resolves once the program has said that it is ready.
   *
   * @param ready What it prints then.
   */
  static async start(
    [program = '', ...args]: readonly string[],
    ready: string,
    options: Pick<SpawnOptions, 'uid' | 'gid' | 'cwd' | 'env'> = {},
  ): Promise<ServerProcess> {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const server = new ServerProcess(program, child);
    await server.until(ready);
    return server;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** What it has printed so far. */
  get log(): string {
    return this.said;
  }

  /** Resolves once it has printed this; rejects if it ends before. */
  until(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (!this.said.includes(text)) return;
        this.waiting.delete(check);
        resolve();
      };
      this.waiting.add(check);
      check();
      this.child.once('error', reject);
      this.child.once('close', () => {
        reject(new Error(`${this.program} ended without '${text}': ${this.said}`));
      });
    });
  }

  /** Sends a signal to it, and to nobody else. */
  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Resolves when it has ended by itself and everything that it printed is in the log. */
  async finished(): Promise<ProcessEnd> {
    await this.closed;
    return this.ended;
  }

  /** Resolves when it is gone. */
  end(signal: NodeJS.Signals): Promise<ProcessEnd> {
    if (this.isRunning) this.child.kill(signal);
    return this.ended;
  }
}

const FIRST_PORT = 10_000;
const PORT_TRIES = 50;

/**
 * A port that no outgoing connection is given: a server that starts again would find it taken by one of those who wait for
 * it.
 */
export async function freePort(): Promise<number> {
  const end = firstOutgoingPort();
  for (let tries = 0; tries < PORT_TRIES; tries += 1) {
    const port = randomInt(FIRST_PORT, end);
    if (await isFree(port)) return port;
  }
  throw new Error(`No port from ${FIRST_PORT} to ${end} is free.`);
}

/** Linux says from where on it gives ports to outgoing connections; elsewhere they are higher. */
function firstOutgoingPort(): number {
  const usual = 32_768;
  try {
    const first = Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'));
    return first > 2 * FIRST_PORT ? first : usual;
  } catch {
    return usual;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().listen(port, '127.0.0.1');
    server.once('error', () => {
      resolve(false);
    });
    server.once('listening', () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
