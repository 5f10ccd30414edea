import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, ServerProcess } from './server-process.js';

/** A Redis of a test's own, which keeps nothing on the disk unless `--appendonly` says so: it may be configured, filled and killed. */
export class RedisServer {
  private process: ServerProcess | undefined;

  private constructor(
    readonly port: number,
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

  /** Kills it as a crash does, and starts it again with what it kept. */
  async crash(): Promise<void> {
    await this.process?.end('SIGKILL');
    await this.run();
  }

  /** The commands that it has written down, if it keeps a log (`--appendonly yes`). */
  async appendOnlyFile(): Promise<Buffer> {
    const folder = join(this.directory, 'appendonlydir');
    const files = (await readdir(folder)).filter((name) => name.endsWith('.incr.aof')).sort();
    return Buffer.concat(await Promise.all(files.map((name) => readFile(join(folder, name)))));
  }

  async stop(): Promise<void> {
    await this.process?.end('SIGKILL');
    await rm(this.directory, { recursive: true, force: true });
  }

  private async run(): Promise<void> {
    const place = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.directory];
    const command = ['redis-server', ...place, '--save', '', '--appendonly', 'no', ...this.options];
    this.process = await ServerProcess.start(command, 'Ready to accept connections');
  }
}
