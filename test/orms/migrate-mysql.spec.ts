import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createPool, type Pool } from 'mysql2/promise';
import { fromMysql2 } from 'nestjs-payments/mysql';
import { sqlStorage } from 'nestjs-payments/sql';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { bundleCli, CliProcess, type FinishedCli, runCommand } from '../support/cli-process.js';
import { journalRecord } from '../support/journal-contract.js';
import { describeWith, mysqlService } from '../support/services.js';

const SECRET = 'hush-8f3a';
/** Has mysql2. */
const FOLDER = join(process.cwd(), 'test', 'orms');

describeWith([mysqlService], 'nestjs-payments migrate with MariaDB', () => {
  let server: Pool;
  let name: string;
  let url: URL;

  beforeAll(bundleCli);
  beforeEach(async () => {
    name = `migrate_${randomBytes(6).toString('hex')}`;
    server = createPool({ uri: mysqlService.url, multipleStatements: true });
    await server.query(`CREATE DATABASE ${name}`);
    url = Object.assign(new URL(mysqlService.url), { pathname: `/${name}` });
  });
  afterEach(async () => {
    await server.query(`DROP DATABASE ${name}`);
    await server.end();
  });

  const migrate = (address: URL, ...args: readonly string[]): Promise<FinishedCli> =>
    runCommand(['migrate', ...args], { environment: { DATABASE_URL: address.href }, folder: FOLDER });

  async function insert(): Promise<boolean> {
    const pool = createPool({ uri: url.href, connectionLimit: 2 });
    const { journal } = sqlStorage({ executor: fromMysql2(pool) });
    const { inserted } = await journal.insert(journalRecord('order-1'), 0);
    await pool.end();
    return inserted;
  }

  it('makes the tables that a storage needs, once, and says what is there', async () => {
    const missing = await migrate(url, '--status');
    expect(missing).toMatchObject({ code: 1, stderr: '' });
    expect(missing.stdout).toContain('✖ The database holds no tables of nestjs-payments');
    expect(await migrate(url)).toEqual({
      code: 0,
      stdout: '✔ The database was migrated from version 0 of the tables to 4.\n',
      stderr: '',
    });
    expect(await insert()).toBe(true);
    expect((await migrate(url)).stdout).toContain('nothing had to be done');
    expect(await migrate(url, '--status')).toMatchObject({ code: 0 });
    await server.query(`INSERT INTO ${name}.payments_migrations (version, compatible_from) VALUES (99, 99)`);
    expect((await migrate(url, '--status')).stdout).toContain(
      '✖ The database holds version 99 of the tables, which can',
    );
    const refused = await migrate(url);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('holds version 99');
  });

  /** Another migration, until the returned function is called. */
  async function migrateElsewhere(): Promise<{ readonly id: string; readonly end: () => Promise<void> }> {
    const other = createPool({ uri: url.href, connectionLimit: 1 });
    const [rows] = await other.query(
      "SELECT CONNECTION_ID() AS id, GET_LOCK(CONCAT('nestjs_payments.', SHA1(DATABASE())), 0) AS held",
    );
    const [{ id, held }] = rows as [{ readonly id: number; readonly held: number }];
    expect(held).toBe(1);
    return { id: String(id), end: () => other.end() };
  }

  it('says what it waits for if another migration runs, and goes on after it', async () => {
    const { id, end } = await migrateElsewhere();
    const cli = new CliProcess(['migrate'], { environment: { DATABASE_URL: url.href }, folder: FOLDER });
    const line = `waits for another one: connection ${id} of the database\\. If what .* with KILL ${id}\\.`;
    await cli.until('stderr', new RegExp(line));
    await end();
    expect(await cli.finished()).toMatchObject({
      code: 0,
      stdout: '✔ The database was migrated from version 0 of the tables to 4.\n',
    });
  });

  it('does not wait if the tables need nothing', async () => {
    await migrate(url);
    const { end } = await migrateElsewhere();
    expect(await migrate(url)).toMatchObject({ code: 0, stderr: '' });
    await end();
  });

  it('prints what makes the same tables, and can be run again', async () => {
    const { stdout } = await migrate(url, '--sql');
    expect(stdout).toContain('MySQL commits each statement');
    await server.query(`USE ${name}; ${stdout}`);
    await server.query(`USE ${name}; ${stdout}`);
    expect(await migrate(url, '--status')).toMatchObject({ code: 0 });
    expect(await insert()).toBe(true);
  });

  it.each<[what: string, change: Partial<URL>, says: string]>([
    [
      'a wrong password',
      { username: 'nobody', password: SECRET },
      'The server refuses the user or the password',
    ],
    ['no such database', { pathname: '/no_such_database' }, 'The database of DATABASE_URL does not exist.'],
    ['nobody there', { port: '1', password: SECRET }, 'Nothing listens at the address of DATABASE_URL.'],
  ])('says what is wrong, and nothing of the address: %s', async (_what, change, says) => {
    const { code, stdout, stderr } = await migrate(Object.assign(new URL(url.href), change), '--status');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(says);
    expect(stderr).not.toContain(SECRET);
  });
});
