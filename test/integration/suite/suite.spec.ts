import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { describeWith, postgresService } from '../../support/services.js';

const A_RUN_MS = 120_000;

/** Rejects if the program fails. */
function node(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const env = { ...process.env, NO_COLOR: '1', ...environment };
  return promisify(execFile)(process.execPath, args, { env });
}

const RELATED = ['test/unit/common/money.spec.ts', 'sample/04-payroll/test/payroll.spec.ts'];
const UNRELATED = 'test/unit/docs/github.spec.ts';

/** Lists those of some specs that watch mode runs after a change. To read the imports of all would take long. */
const LIST_RELATED = `
  import { createVitest } from 'vitest/node';
  const [file, ...include] = process.argv.slice(1);
  const vitest = await createVitest('test', { watch: false, related: [file], include, globalSetup: [] });
  for (const { moduleId } of await vitest.getRelevantTestSpecifications()) console.log(moduleId);
  await vitest.close();
`;

describe('a changed file of lib/', () => {
  it(
    'leads to the specs that it can break, each listed once, and to no other',
    async () => {
      const file = `${process.cwd()}/lib/common/money.ts`;
      const words = [file, ...RELATED, UNRELATED];
      const { stdout } = await node(['--input-type=module', '--eval', LIST_RELATED, '--', ...words]);
      const specs = stdout.trim().split('\n').sort();
      expect(specs).toEqual(RELATED.map((spec) => `${process.cwd()}/${spec}`).sort());
    },
    A_RUN_MS,
  );
});

describe('the environment of a spec', () => {
  it('names no database but the one that this run created', () => {
    expect(process.env).not.toHaveProperty('DATABASE_URL');
    expect(process.env['TEST_DATABASE_URL'] ?? '/nestjs_payments_test_').toContain('/nestjs_payments_test_');
  });
});

describeWith([postgresService], 'the database that DATABASE_URL names', () => {
  const name = `canary_${randomBytes(6).toString('hex')}`;
  const url = Object.assign(new URL(postgresService.url), { pathname: name }).href;
  const server = new Client({ connectionString: postgresService.url });
  const canary = new Client({ connectionString: url });

  beforeAll(async () => {
    await server.connect();
    await server.query(`CREATE DATABASE ${name}`);
    await canary.connect();
    await canary.query(`
      CREATE TABLE watched (command text NOT NULL);
      CREATE FUNCTION watch() RETURNS event_trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO public.watched VALUES (tg_tag); END $$;
      CREATE EVENT TRIGGER watch ON ddl_command_end EXECUTE FUNCTION watch();
      CREATE SCHEMA payroll;
      CREATE TABLE payroll.payments_journal (reference text PRIMARY KEY, updated_at timestamptz NOT NULL);
      INSERT INTO payroll.payments_journal VALUES ('salary-1', 'epoch')`);
  });
  afterAll(async () => {
    await canary.end();
    await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await server.end();
  });

  const state = async (): Promise<unknown> =>
    (
      await canary.query(
        `SELECT (SELECT json_agg(command) FROM public.watched) AS commands, json_agg(j) AS journal FROM payroll.payments_journal j`,
      )
    ).rows;

  it(
    'is what it was after specs and samples ran that write to PostgreSQL',
    async () => {
      const before = await state();
      expect(before).toMatchObject([{ commands: ['CREATE SCHEMA', 'CREATE TABLE'], journal: [{}] }]);
      const specs = ['sample/04-payroll/test/restart', 'test/integration/storage/postgres/migrate'];
      const names = 'PostgreSQL server continues|keeps what is stored';
      const command = ['node_modules/vitest/vitest.mjs', 'run', '--maxWorkers=1', ...specs, '-t', names];
      const { stdout } = await node(command, { DATABASE_URL: url });
      expect(stdout).toMatch(/Tests .*2 passed/);
      expect(await state()).toEqual(before);
    },
    A_RUN_MS,
  );
});
