import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort, ServerProcess } from './server-process.js';
import { type Service } from './services.js';

const PROGRAM = '/usr/sbin/pgbouncer';

/** The program, for `describeWith`: specs start servers of their own. */
export const pgbouncerProgram: Service = {
  name: 'PgBouncer',
  url: '',
  reachable: existsSync(PROGRAM),
  absence: `${PROGRAM} is not installed`,
};

/** Debian's `nobody`: PgBouncer refuses to work as root. */
const NOBODY = 65_534;

/** A PgBouncer of a test's own, in front of a database. It hands each transaction to whichever connection is free. */
export class PgbouncerServer {
  private constructor(
    readonly url: string,
    private readonly process: ServerProcess,
    private readonly directory: string,
  ) {}

  /** @param connections How many it has to the server. */
  static async start(databaseUrl: string, connections: number): Promise<PgbouncerServer> {
    const { hostname, port, username, password, pathname } = new URL(databaseUrl);
    const directory = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
    const ownPort = await freePort();
    const database = pathname.slice(1);
    const file = join(directory, 'pgbouncer.ini');
    await writeFile(
      file,
      [
        '[databases]',
        `${database} = host=${hostname} port=${port || '5432'} user=${username}${password && ` password=${password}`}`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${ownPort}`,
        'unix_socket_dir =',
        'auth_type = any',
        'pool_mode = transaction',
        `default_pool_size = ${connections}`,
      ].join('\n'),
      { mode: 0o600 },
    );
    const isRoot = userInfo().uid === 0;
    if (isRoot) for (const path of [directory, file]) await chown(path, NOBODY, NOBODY);
    const process = await ServerProcess.start(
      [PROGRAM, file],
      'process up',
      isRoot ? { uid: NOBODY, gid: NOBODY } : {},
    );
    return new PgbouncerServer(`postgres://postgres@127.0.0.1:${ownPort}/${database}`, process, directory);
  }

  async stop(): Promise<void> {
    await this.process.end('SIGKILL');
    await rm(this.directory, { recursive: true, force: true });
  }
}
