import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PayoutLine } from 'nestjs-payments/batches';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import {
  bundleCli,
  CliProcess,
  type CliSurroundings,
  environmentOf,
  type FinishedCli,
  runCommand,
} from '../../support/cli-process.js';
import '../../support/pglite-template.js';
import { knownLines } from '../../support/known-lines.js';
import { describeWithSqlite } from '../../support/sqlite-file.js';

beforeAll(bundleCli);

let sandbox: PaymentsSandbox;
let folder: string;

beforeEach(async () => {
  sandbox = await PaymentsSandbox.start();
  folder = mkdtempSync(join(tmpdir(), 'payout-'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  write('salaries.csv', knownLines(sandbox, 3));
});
afterEach(async () => {
  await sandbox.stop();
  rmSync(folder, { recursive: true });
});

function write(name: string, lines: readonly PayoutLine[]): void {
  const rows = lines.map(({ key, name: person, amount, bank_code, account_number }) =>
    [key, person, String(amount), bank_code, account_number].join(','),
  );
  writeFileSync(join(folder, name), `key,name,amount,bank_code,account_number\n${rows.join('\n')}\n`);
}

const surroundings = (environment: NodeJS.ProcessEnv = {}): CliSurroundings => ({
  environment: { ...environmentOf(sandbox), ...environment },
  folder,
});
const words = (...args: readonly string[]): readonly string[] => ['payout', 'salaries.csv', ...args];
const payout = (...args: readonly string[]): Promise<FinishedCli> =>
  runCommand(words(...args), surroundings());
const start = (...args: readonly string[]): CliProcess => new CliProcess(words(...args), surroundings());
const made = (): readonly string[] => readdirSync(folder).filter((name) => name.startsWith('payouts'));
const references = (): readonly string[] => sandbox.payouts().map(({ reference }) => reference);

async function approve(...where: readonly string[]): Promise<void> {
  const { stdout } = await payout('--check', '--by', 'john', '--json', ...where);
  const { digest } = JSON.parse(stdout) as { readonly digest: string };
  expect(await payout('--approve', '--by', 'mary', '--digest', digest, ...where)).toMatchObject({ code: 0 });
}

/** What holds for a storage that one process has alone. */
function oneAtATime(database: string): void {
  const where = ['--database', database];

  it('keeps a batch from one command to the next, and pays each line once', async () => {
    await approve(...where);
    expect(await payout('--run', '--by', 'john', ...where)).toMatchObject({ code: 0 });
    expect(await payout('--run', '--by', 'john', ...where)).toMatchObject({ code: 0 });
    expect([...references()].sort()).toEqual(['salaries.S-1', 'salaries.S-2', 'salaries.S-3']);
  });

  it('lets no second process in, until the first one is dead', async () => {
    await approve(...where);
    // The gateway takes it, and never answers.
    sandbox.next('POST /disbursements/bank', { reference: 'salaries.S-2' }).hang();
    const isTaken = new Promise<void>((resolve) => {
      sandbox.on('payout', ({ reference }) => {
        if (reference === 'salaries.S-2') resolve();
      });
    });
    const run = start('--run', '--by', 'john', ...where);
    await isTaken;
    const second = await payout('--report', ...where);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toMatch(
      /uses the folder .* already: stop that nestjs-payments command|in use by another process/,
    );
    expect(await run.stop('SIGKILL')).toMatchObject({ code: null });
    const report = await payout('--report', '--json', ...where);
    expect(report).toMatchObject({ code: 4, stderr: '' });
    expect(JSON.parse(report.stdout)).toMatchObject({ state: 'running', total: { lines: 3 } });
  });
}

describe('nestjs-payments payout in a folder of PGlite', () => {
  oneAtATime('own.pglite');

  it('says where it cannot write, in one sentence', async () => {
    write('file', []);
    const refused = await payout('--check', '--by', 'john', '--database', join('file', 'own.pglite'));
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /own\.pglite cannot be written \(ENOTDIR\): write --database <path> .*\.\n$/,
    );
    expect(refused.stderr.split('\n')).toHaveLength(2);
  });
});

describeWithSqlite('nestjs-payments payout in a file of SQLite', () => {
  oneAtATime('own.db');

  it('makes payouts.db, which only its owner can read', async () => {
    expect(await payout('--check', '--by', 'john')).toMatchObject({ code: 0 });
    expect(made()).toContain('payouts.db');
    expect(statSync(join(folder, 'payouts.db')).mode & 0o777).toBe(0o600);
  });

  it('stays with the PGlite that is there', async () => {
    await approve('--database', 'payouts.pglite');
    expect(await payout('--run', '--by', 'john')).toMatchObject({ code: 0 });
    expect(made()).toEqual(['payouts.pglite']);
  });
});

describe('the place of nestjs-payments payout', () => {
  it('is nowhere before the check, and no report makes one', async () => {
    const report = await payout('--report');
    expect(report).toMatchObject({ code: 1, stdout: '' });
    expect(report.stderr).toContain('nothing was checked in this folder');
    expect(made()).toEqual([]);
  });

  it('is a folder of PGlite for its owner alone, if that is named', async () => {
    expect(await payout('--check', '--by', 'john', '--database', 'own.pglite')).toMatchObject({ code: 0 });
    expect(statSync(join(folder, 'own.pglite')).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['', 2, '--database is empty: write its value, or leave it out.'],
    ['.', 1, ''],
  ])('is not the working folder with --database %j, also beside a server', async (database, code, says) => {
    const before = readdirSync(folder);
    const environment = { DATABASE_URL: 'postgres://127.0.0.1:1/none' };
    const refused = await runCommand(
      words('--check', '--by', 'john', '--database', database),
      surroundings(environment),
    );
    expect(refused).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toContain(says);
    expect(readdirSync(folder)).toEqual(before);
  });

  it('has to be said if there are two', async () => {
    writeFileSync(join(folder, 'payouts.db'), '');
    mkdirSync(join(folder, 'payouts.pglite'));
    const refused = await payout('--report');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('There are payouts.db and payouts.pglite here');
  });

  it.each([
    [['--database', 'postgres://me:hush@db/shop'], {}, '--database takes a path: set DATABASE_URL'],
    [[], { DATABASE_URL: 'file:./hush.db' }, 'DATABASE_URL begins with neither postgres:// nor mysql://'],
    [['--schema', 'pay'], {}, '--schema has no meaning without PostgreSQL.'],
    [[], { DATABASE_URL: '' }, 'DATABASE_URL is set, but empty'],
    [[], { DATABASE_URL: ' ' }, 'DATABASE_URL is set, but empty'],
  ])('is not understood from %j and %j', async (args, environment, says) => {
    const refused = await runCommand(words('--report', ...args), surroundings(environment));
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(says);
    expect(refused.stderr).not.toContain('hush');
  });

  it('is no second one if an empty DATABASE_URL hides that of .env', async () => {
    writeFileSync(join(folder, '.env'), 'DATABASE_URL=postgres://127.0.0.1:1/none\n');
    const refused = await runCommand(words('--check', '--by', 'john'), surroundings({ DATABASE_URL: '' }));
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('give it its value, unset it, or write --database <path>.');
    expect(made()).toEqual([]);
    const named = words('--check', '--by', 'john', '--database', 'own.pglite');
    expect(await runCommand(named, surroundings({ DATABASE_URL: '' }))).toMatchObject({ code: 0 });
  });

  it('names what to install if there is nothing to write with', async () => {
    rmSync(join(folder, 'node_modules'));
    const refused = await payout('--check', '--by', 'john', '--database', 'own.pglite');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('npm install @electric-sql/pglite pg');
  });

  it('needs the keys of the gateway', async () => {
    const refused = await runCommand(words('--check', '--by', 'john', '--database', 'own.pglite'), {
      folder,
    });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('PAYMENTS_API_KEY');
  });
});
