import { describe } from '@jest/globals';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const installed = spawnSync('redis-server', ['--version']).status === 0;

/**
 * A `describe` whose specs start servers of their own. Without the program they are skipped, and say why; with
 * `REQUIRE_SERVICES=1` they run and fail.
 */
export function describeWithRedisServer(name: string, specs: () => void): void {
  if (installed || process.env['REQUIRE_SERVICES'] === '1') describe(name, specs);
  else describe.skip(`${name} (skipped: the program redis-server is not installed)`, specs);
}

/** A Redis of a spec's own, which keeps nothing on the disk: it may be configured, filled and killed. */
export class RedisServer {
  private process: ChildProcess | undefined;

  private constructor(
    private readonly port: number,
    private readonly directory: string,
    private readonly options: readonly string[],
  ) {}

  /** @param options As on the command line: `--maxmemory`, `1mb`. */
  static async start(...options: string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), await mkdtemp(join(tmpdir(), 'redis-')), options);
    await server.run();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Kills it as a crash does, and starts it again with nothing in it. */
  async crash(): Promise<void> {
    await this.kill();
    await this.run();
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }

  private async run(): Promise<void> {
    const place = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.directory];
    const child = spawn('redis-server', [...place, '--save', '', '--appendonly', 'no', ...this.options]);
    this.process = child;
    await new Promise<void>((resolve, reject) => {
      let said = '';
      child.stdout.on('data', (chunk) => {
        said += String(chunk);
        if (said.includes('Ready to accept connections')) resolve();
      });
      child.once('error', reject);
      child.once('exit', () => {
        reject(new Error(`redis-server ended: ${said}`));
      });
    });
  }

  private async kill(): Promise<void> {
    const child = this.process;
    this.process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
