import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Client, Pool } from 'pg';
import { postgresStorage } from 'nestjs-payments/postgres';
import {
  bundleCli,
  CliProcess,
  type FinishedCli,
  runCommand,
  runProcess,
} from '../../support/cli-process.js';
import { journalRecord } from '../../support/journal-contract.js';
import { createOtherDatabase, type OtherDatabase } from '../../support/other-database.js';
import { describeWith, postgresService } from '../../support/services.js';
import { POSTGRES_TERMINATE, SeverableProxy } from '../../support/severable-proxy.js';
import { describeWithSqlite, sqliteFile, type SqliteTestFile } from '../../support/sqlite-file.js';

const OWN = 8;
const SECRET = 'hush-8f3a';

beforeAll(bundleCli);

const withUrl = (url: string, ...args: readonly string[]): Promise<FinishedCli> =>
  runCommand(['migrate', ...args], { environment: { DATABASE_URL: url } });

describeWith([postgresService], 'nestjs-payments migrate with PostgreSQL', () => {
  // Of its own: the commands would wait for the migrations of other specs, and say so.
  let database: OtherDatabase;
  let pool: Pool;
  let schema: string;

  beforeAll(async () => {
    database = await createOtherDatabase(postgresService.url);
  });
  afterAll(() => database.drop());
  beforeEach(() => {
    schema = `cli "${randomBytes(6).toString('hex')}"`;
    pool = new Pool({ connectionString: database.url });
  });
  afterEach(async () => {
    await pool.query(`DROP SCHEMA IF EXISTS ${quoted(schema)} CASCADE`);
    await pool.end();
  });

  const migrate = (...args: readonly string[]): Promise<FinishedCli> =>
    withUrl(database.url, '--schema', schema, ...args);
  const record = (version: number, compatibleFrom: number): Promise<unknown> =>
    pool.query(
      `INSERT INTO ${quoted(schema)}.payments_migrations (version, compatible_from) VALUES ($1, $2)`,
      [version, compatibleFrom],
    );
  const place = (): string => `The schema ${JSON.stringify(schema)}`;

  it('makes the tables that a storage needs, once', async () => {
    expect(await migrate()).toEqual({
      code: 0,
      stdout: `✔ ${place()} was migrated from version 0 of the tables to ${OWN}.\n`,
      stderr: '',
    });
    const { journal } = postgresStorage({ pool, schema });
    expect((await journal.insert(journalRecord('order-1'), 0)).inserted).toBe(true);
    const again = await migrate();
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout).toContain(`holds version ${OWN} of the tables, and this version`);
    expect(again.stdout).toContain('nothing had to be done');
    expect((await journal.get(journalRecord('order-1')))?.record.reference).toBe('order-1');
  });

  it('says of one run alone that it migrated the tables, if several run at once', async () => {
    const runs = await Promise.all([migrate(), migrate(), migrate(), migrate()]);
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    // On a slow machine one takes longer than two seconds.
    for (const { stderr } of runs) expect(stderr).toMatch(/^(This migration waits for another one: .*\n)*$/);
    const migrated = runs.filter(({ stdout }) => stdout.includes('was migrated from version 0'));
    expect(migrated).toHaveLength(1);
    expect(runs.filter(({ stdout }) => stdout.includes('nothing had to be done'))).toHaveLength(3);
  });

  it('says what it waits for if another migration runs, and goes on after it', async () => {
    const other = new Client({ connectionString: database.url });
    await other.connect();
    const [session] = (await other.query<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid')).rows;
    await other.query("BEGIN; SELECT pg_advisory_xact_lock(x'70617973'::int)");
    const cli = new CliProcess(['migrate', '--schema', schema], {
      environment: { DATABASE_URL: database.url },
    });
    await cli.until(
      'stderr',
      new RegExp(`waits for another one: process ${session!.pid} of PostgreSQL, since`),
    );
    await other.query('COMMIT');
    await other.end();
    const { code, stdout } = await cli.finished();
    expect(code).toBe(0);
    expect(stdout).toBe(`✔ ${place()} was migrated from version 0 of the tables to ${OWN}.\n`);
  });

  it('says with --status what is there and what is needed, changes nothing, and fails if something is missing', async () => {
    const missing = await migrate('--status');
    expect(missing).toMatchObject({ code: 1, stderr: '' });
    expect(missing.stdout).toContain(
      `✖ ${place()} holds no tables of nestjs-payments, and this version of nestjs-payments needs ${OWN}: run npx nestjs-payments migrate`,
    );
    expect((await pool.query('SELECT to_regnamespace($1) AS made', [quoted(schema)])).rows).toEqual([
      { made: null },
    ]);
    await migrate();
    expect(await migrate('--status')).toEqual({
      code: 0,
      stdout: `✔ ${place()} holds version ${OWN} of the tables, and this version of nestjs-payments needs ${OWN}.\n`,
      stderr: '',
    });
    await pool.query(`DELETE FROM ${quoted(schema)}.payments_migrations WHERE version > 3`);
    const older = await migrate('--status');
    expect(older.code).toBe(1);
    expect(older.stdout).toContain('holds version 3 of the tables');
    expect(older.stdout).toContain(`run npx nestjs-payments migrate --schema ${JSON.stringify(schema)}, or`);
    expect(older.stdout).toContain(
      `migrate --sql --dialect postgres --from 3 --schema ${JSON.stringify(schema)} prints`,
    );
  });

  it('advises a command for the same tables, as a shell reads it', async () => {
    const nobodys = `it's "$HOME" \\ -x`;
    const { stdout } = await withUrl(database.url, '--status', '--schema', nobodys);
    const [, words = ''] = /run npx nestjs-payments migrate (.*), or what/.exec(stdout) ?? [];
    const read = execFileSync('sh', ['-c', `printf '%s\\n' ${words}`], { encoding: 'utf8' });
    expect(read).toBe(`--schema\n${nobodys}\n`);
  });

  it('ends after its result if the server says nothing any more', async () => {
    await migrate();
    const proxy = await SeverableProxy.before(database.url);
    onTestFinished(() => proxy.close());
    proxy.fallSilentAt(POSTGRES_TERMINATE);
    const status = await runProcess(['migrate', '--status', '--schema', schema], {
      environment: { DATABASE_URL: proxy.url },
    });
    expect(status).toMatchObject({ code: 0, stderr: '' });
    expect(status.stdout).toContain(`holds version ${OWN} of the tables`);
  });

  it('meets tables of a newer version: what it can use it leaves alone, the rest it refuses', async () => {
    await migrate();
    await record(OWN + 1, OWN);
    expect(await migrate()).toMatchObject({ code: 0 });
    const usable = await migrate('--status');
    expect(usable).toMatchObject({ code: 0 });
    expect(usable.stdout).toContain(
      `holds version ${OWN + 1} of the tables, and this version of nestjs-payments needs ${OWN} and can use them.`,
    );
    await record(OWN + 2, OWN + 2);
    const newer = await migrate('--status');
    expect(newer).toMatchObject({ code: 1, stderr: '' });
    expect(newer.stdout).toMatch(
      new RegExp(
        `holds version ${OWN + 2} of the tables, which can be used from version ${OWN + 2} on, .*: deploy`,
      ),
    );
    const refused = await migrate();
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(new RegExp(`holds version ${OWN + 2} of the tables .*: deploy`));
  });

  it.each([0, 1, 2, 3, 4])(
    'prints with --sql what makes the same tables of version %i as the migration itself',
    async (from) => {
      await migrate();
      const wanted = await shape();
      await pool.query(`DROP SCHEMA ${quoted(schema)} CASCADE`);
      const whole = await migrate('--sql');
      const lead = whole.stdout.split(`-- version ${from + 1}\n`)[0]!;
      const { code, stdout, stderr } = await migrate('--sql', '--from', String(from));
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      if (from > 0) await pool.query(lead);
      await pool.query(stdout);
      expect(await shape()).toEqual(wanted);
      expect(await migrate('--status')).toMatchObject({ code: 0 });
      // By mistake, run a second time.
      await expect(pool.query(stdout)).rejects.toMatchObject({ code: /^42P07$|^42701$|^23505$/ as unknown });
    },
  );

  /** Every column and index of the schema, and what is written down of the versions. */
  async function shape(): Promise<unknown> {
    const [columns, indexes, versions] = await Promise.all([
      pool.query<object>(
        `SELECT table_name, column_name, data_type, is_nullable, collation_name FROM information_schema.columns
         WHERE table_schema = $1 ORDER BY 1, 2`,
        [schema],
      ),
      pool.query<object>('SELECT indexdef FROM pg_indexes WHERE schemaname = $1 ORDER BY 1', [schema]),
      pool.query<object>(
        `SELECT version, compatible_from FROM ${quoted(schema)}.payments_migrations ORDER BY 1`,
      ),
    ]);
    return [columns.rows, indexes.rows, versions.rows];
  }

  it('reads DATABASE_URL from the .env of the folder, or of --dotenv, and finds pg from there', async () => {
    const folder = mkdtempSync(join(process.cwd(), 'node_modules', '.cache', 'migrate-'));
    try {
      writeFileSync(join(folder, '.env'), `DATABASE_URL=${database.url}\n`);
      const args = ['migrate', '--status', '--schema', schema];
      expect((await runProcess(args, { folder })).stdout).toContain(place());
      writeFileSync(join(folder, 'other.env'), 'DATABASE_URL=postgres://127.0.0.1:1/shop\n');
      expect((await runProcess([...args, '--dotenv', 'other.env'], { folder })).stderr).toBe(
        'Nothing listens at the address of DATABASE_URL.\n',
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('says that pg is missing where the application has none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'migrate-'));
    const environment = { DATABASE_URL: database.url };
    expect(await runCommand(['migrate'], { environment, folder })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'The package pg is not installed here: run the command in the folder of the application, or npm install pg.\n',
    });
    rmSync(folder, { recursive: true });
  });

  it('says what to do for a role that may create nothing', async () => {
    const role = `payments_${randomBytes(6).toString('hex')}`;
    await pool.query(`CREATE ROLE ${role}`);
    const { code, stderr } = await withUrl(
      Object.assign(new URL(database.url), { search: `?options=-c%20role=${role}` }).href,
      '--schema',
      schema,
    );
    await pool.query(`DROP ROLE ${role}`);
    expect(code).toBe(1);
    expect(stderr).toBe(
      'The role of DATABASE_URL may not do that: hand the output of npx nestjs-payments migrate --sql to somebody who may.\n',
    );
  });

  it('says that a database does not exist', async () => {
    const { code, stdout, stderr } = await withUrl(
      Object.assign(new URL(database.url), { pathname: '/no_such_database' }).href,
    );
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The database of DATABASE_URL does not exist.\n',
    });
  });

  it('refuses to take over tables of somebody else', async () => {
    await pool.query(`CREATE SCHEMA ${quoted(schema)}; CREATE TABLE ${quoted(schema)}.payments_journal ()`);
    const { code, stderr } = await migrate();
    expect(code).toBe(1);
    expect(stderr).toContain('exists already, and is not its own: choose another --schema');
  });
});

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

describe('nestjs-payments migrate without its database', () => {
  let silent: string;
  const server = createServer((socket) => {
    // The text of an error of the server that repeats what it was sent.
    socket.on('data', () => socket.end(serverError(`password ${SECRET} of shop is wrong`)));
  });
  /** Has no TLS: it answers the first message, which asks for it, as PostgreSQL does. */
  const plain = createServer((socket) => socket.on('data', () => socket.write('N')));
  const closing = createServer((socket) => socket.on('data', () => socket.end()));
  const placeOf = async (listening: Server): Promise<string> => {
    await once(listening.listen(0, '127.0.0.1'), 'listening');
    return `127.0.0.1:${(listening.address() as AddressInfo).port}`;
  };
  let withoutTls: string;
  let closes: string;
  beforeAll(async () => {
    [silent, withoutTls, closes] = await Promise.all([placeOf(server), placeOf(plain), placeOf(closing)]);
  });
  afterAll(() => {
    for (const listening of [server, plain, closing]) listening.close();
  });

  it.each<[what: string, url: () => string, says: string]>([
    ['nothing listens', () => `postgres://shop:${SECRET}@127.0.0.1:1/shop`, 'Nothing listens at the address'],
    ['the host has no address', () => `postgres://shop:${SECRET}@nowhere.invalid/shop`, 'has no address'],
    ['it is no address', () => `postgres://shop:${SECRET}@ho st:x/shop`, 'DATABASE_URL is no address'],
    ['a special character is not escaped', () => `postgres://shop:${SECRET}%@h:1/shop`, 'DATABASE_URL'],
    [
      'the server repeats what it was sent',
      () => `postgres://shop:${SECRET}@${silent}/shop`,
      'or the password',
    ],
    [
      'it asks for TLS and the server has none',
      () => `postgres://shop:${SECRET}@${withoutTls}/shop?sslmode=require`,
      'DATABASE_URL asks for TLS, and the server has none: turn TLS on there, or',
    ],
    [
      'the server closes the connection',
      () => `postgres://shop:${SECRET}@${closes}/shop`,
      'The server of DATABASE_URL, or something before it, closed the connection',
    ],
    [
      'a certificate file is missing',
      () => `postgres://shop:${SECRET}@127.0.0.1:1/shop?sslrootcert=/${SECRET}`,
      'A certificate file that DATABASE_URL names does not exist.',
    ],
    [
      'a certificate file is a folder',
      () => `postgres://shop:${SECRET}@127.0.0.1:1/shop?sslkey=/`,
      'A certificate file that DATABASE_URL names is a folder.',
    ],
    [
      'no server has made its socket',
      () => `postgres://shop:${SECRET}@/shop?host=/${SECRET}`,
      'Nothing listens at the address of DATABASE_URL.',
    ],
  ])('prints no secret of DATABASE_URL if %s', async (_what, url, says) => {
    for (const args of [[], ['--status']]) {
      const { code, stdout, stderr } = await withUrl(url(), ...args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(says);
      expect(stderr).not.toContain(SECRET);
      expect(stderr.split('\n')).toHaveLength(2);
    }
  });

  it('says that the server does not answer, as a firewall leaves it', async () => {
    const mute = createServer();
    const connectionString = `postgres://shop:${SECRET}@${await placeOf(mute)}/shop`;
    // The command itself waits for ten seconds.
    const pool = new Pool({ connectionString, max: 1, connectionTimeoutMillis: 20 });
    const waits = await Promise.allSettled([pool.connect(), pool.connect()]);
    await pool.end();
    mute.close();
    const texts = waits.map((wait) => (wait.status === 'rejected' ? (wait.reason as Error).message : ''));
    expect(new Set(texts).size).toBe(2);
    for (const text of texts) {
      const folder = applicationWith('pg', failingPool(text));
      const environment = { DATABASE_URL: connectionString };
      expect(await runCommand(['migrate'], { environment, folder })).toEqual({
        code: 1,
        stdout: '',
        stderr:
          'The server of DATABASE_URL does not answer: check host and port, and whether a firewall is between.\n',
      });
    }
  });

  it('prints the statements of every dialect without a connection', async () => {
    const { code, stdout, stderr } = await runCommand(['migrate', '--sql', '--dialect', 'postgres']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^-- nestjs-payments: the tables from version 0 to 8\. Run all of it once, in one transaction\.\n/,
    );
    expect(stdout).toContain('CREATE TABLE "public".payments_journal (');
    expect(stdout).not.toContain('CREATE SCHEMA');
    const file = await runCommand(['migrate', '--sql', '--dialect', 'sqlite']);
    expect(file.stdout).toContain('CREATE TABLE payments_journal (');
    const mysql = await runCommand(['migrate', '--sql', '--dialect', 'mysql']);
    expect(mysql.stdout).toContain('CREATE TABLE IF NOT EXISTS payments_journal (');
    const last = await runCommand(['migrate', '--sql', '--dialect', 'postgres', '--from', String(OWN)]);
    expect(last.stdout).toBe(`-- nestjs-payments: version ${OWN} of the tables is the last one.\n`);
  });

  it.each<[args: readonly string[], url: string, says: string]>([
    [
      [],
      '',
      'Which database? DATABASE_URL is not set: set DATABASE_URL=postgres://…, or write --file <path>.',
    ],
    [
      [],
      `mongodb://shop:${SECRET}@h/shop`,
      'DATABASE_URL does not begin with postgres://, postgresql://, mysql:// or mariadb://',
    ],
    [['--sql'], '', 'write --dialect postgres, mysql or sqlite'],
    [['--sql', '--dialect', 'postgre'], '', "Did you mean 'postgres'?"],
    [['--dialect', 'postgres'], 'postgres://h/shop', '--dialect belongs to --sql'],
    [['--from', '1'], 'postgres://h/shop', '--from belongs to --sql'],
    [['--sql', '--from', '9'], 'postgres://h/shop', '--from must be a whole number from 0 to 8.'],
    [['--sql', '--status'], 'postgres://h/shop', 'Write only one of --status and --sql.'],
    [['--schema', ' '], 'postgres://h/shop', 'The option schema of migrate must be the name of a schema'],
    [['--schema', 'a', '--file', 'a.db'], '', '--schema has no meaning with sqlite'],
    [['--sql', '--dialect', 'postgres', '--file', 'a.db'], '', '--file has no meaning with postgres'],
  ])('refuses %j with DATABASE_URL=%s', async (args, url, says) => {
    const { code, stdout, stderr } = await withUrl(url, ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(says);
    expect(stderr).not.toContain(SECRET);
  });
});

/** The folder of an application that has a package of this source. */
function applicationWith(name: string, source: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'migrate-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  mkdirSync(join(folder, 'node_modules', name), { recursive: true });
  writeFileSync(join(folder, 'node_modules', name, 'index.js'), source);
  return folder;
}

/** A `pg` that never connects. */
function failingPool(message: string): string {
  return `exports.Pool = class {
    on() {}
    end() { return Promise.resolve(); }
    connect() { return Promise.reject(new Error(${JSON.stringify(message)})); }
  };`;
}

/** An error message of the protocol of PostgreSQL. */
function serverError(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C28P01\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeUInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

describeWithSqlite('nestjs-payments migrate with SQLite', () => {
  let file: SqliteTestFile;
  beforeEach(() => {
    file = sqliteFile();
  });
  afterEach(() => file.close());
  const migrate = (...args: readonly string[]): Promise<FinishedCli> =>
    runCommand(['migrate', '--file', file.file, ...args]);

  it('says what a file holds without making it, makes its tables, and leaves them to a storage', async () => {
    const missing = await migrate('--status');
    expect(missing).toMatchObject({ code: 1 });
    expect(missing.stdout).toContain(`✖ The file ${file.file} holds no tables`);
    expect(existsSync(file.file)).toBe(false);
    expect((await migrate()).stdout).toBe(
      `✔ The file ${file.file} was migrated from version 0 of the tables to 4.\n`,
    );
    expect(await migrate('--status')).toMatchObject({ code: 0 });
    const { journal } = file.open();
    expect((await journal.insert(journalRecord('order-1'), 0)).inserted).toBe(true);
    expect((await migrate()).stdout).toContain('nothing had to be done');
  });

  it('prints what makes the same tables as the storage does', async () => {
    const { stdout } = await migrate('--sql');
    file.connect().exec(stdout);
    expect(await migrate('--status')).toMatchObject({ code: 0 });
    const { journal } = file.open();
    expect((await journal.insert(journalRecord('order-1'), 0)).inserted).toBe(true);
  });

  it('says in one line that a newer version made the file, and that a file is no database', async () => {
    await migrate();
    file.connect().exec('INSERT INTO payments_migrations VALUES (9, 5, 0)');
    expect((await migrate()).stderr).toContain(
      'holds version 9 of the tables of nestjs-payments, which can be used',
    );
    const { code, stderr } = await runCommand(['migrate', '--file', process.execPath]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `SQLite cannot open ${process.execPath}: file is not a database (26). Name another file: this one is no database of SQLite.\n`,
    });
  });
});
