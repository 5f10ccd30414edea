import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, ServerProcess } from '../support/server-process.js';

/** Where Debian keeps what it leaves out of the PATH, a directory a version. */
const DEBIAN = '/usr/lib/postgresql';

/** PostgreSQL refuses to run as root. */
interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** A PostgreSQL of the test's own, with its usual care for the disk: it may be crashed. */
export class PostgresServer {
  private process: ServerProcess | undefined;

  private constructor(
    private readonly programs: string,
    private readonly port: number,
    private readonly directory: string,
    private readonly account: Account,
  ) {}

  static async start(programs: string): Promise<PostgresServer> {
    const account = process.getuid?.() === 0 ? postgresAccount() : {};
    const directory = mkdtempSync(join(tmpdir(), 'postgres-'));
    if (account.uid !== undefined) chownSync(directory, account.uid, account.gid ?? account.uid);
    const server = new PostgresServer(programs, await freePort(), directory, account);
    server.initialize();
    await server.run();
    return server;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Ends it without writing anything down any more, and lets it recover. */
  async crash(): Promise<void> {
    await this.process?.end('SIGQUIT');
    await this.run();
  }

  async stop(): Promise<void> {
    await this.process?.end('SIGQUIT');
    rmSync(this.directory, { recursive: true, force: true });
  }

  private initialize(): void {
    const args = ['--pgdata', this.directory, '--username', 'postgres', '--auth', 'trust', '--no-sync'];
    const { status, stderr } = spawnSync(join(this.programs, 'initdb'), args, {
      ...this.account,
      cwd: this.directory,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
  }

  private async run(): Promise<void> {
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'log_min_messages=log'];
    const command = [join(this.programs, 'postgres'), '-D', this.directory, '-p', String(this.port)];
    for (const setting of settings) command.push('-c', setting);
    this.process = await ServerProcess.start(command, 'ready to accept connections', {
      ...this.account,
      cwd: this.directory,
    });
  }
}

/** Where `initdb` and `postgres` are; undefined if they are not installed. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(DEBIAN)
    ? readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one))
    : [];
  const places = [
    ...(process.env['PATH'] ?? '').split(':'),
    ...versions.map((version) => join(DEBIAN, version, 'bin')),
  ];
  return places.find((place) => ['initdb', 'postgres'].every((program) => existsSync(join(place, program))));
}

function postgresAccount(): Account {
  const id = (option: string): number =>
    Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout);
  return { uid: id('-u'), gid: id('-g') };
}
