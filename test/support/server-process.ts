import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A program that serves until it is told to end. */
export class ServerProcess {
  private constructor(private readonly child: ChildProcess) {}

  /**
   * Resolves once the program has said that it is ready.
   *
   * @param ready What it prints then.
   */
  static async start(
    [program = '', ...args]: readonly string[],
    ready: string,
    options: Pick<SpawnOptions, 'uid' | 'gid' | 'cwd'> = {},
  ): Promise<ServerProcess> {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    await new Promise<void>((resolve, reject) => {
      let said = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk) => {
          said += String(chunk);
          if (said.includes(ready)) resolve();
        });
      }
      child.once('error', reject);
      child.once('exit', () => {
        reject(new Error(`${program} ended: ${said}`));
      });
    });
    return new ServerProcess(child);
  }

  /** Resolves when it is gone. */
  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
