import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

const USUAL_SERVER = 'postgres://postgres@127.0.0.1:5432/test';
const ANSWERS_WITHIN_MS = 2_000;

/**
 * Vitest's `globalSetup`: creates a database for this run on the server of `DATABASE_URL`, and takes that variable out of the
 * environment. No spec, and no program that a spec starts, can then reach a database that somebody works with.
 */
export async function setUp() {
  const { DATABASE_URL } = process.env;
  const server = DATABASE_URL || USUAL_SERVER;
  const name = `nestjs_payments_test_${randomBytes(6).toString('hex')}`;
  const run = { server, name, DATABASE_URL };
  delete process.env.DATABASE_URL;
  delete process.env.TEST_DATABASE_URL;
  const problem = await onServer(server, `CREATE DATABASE ${name}`);
  process.env.TEST_DATABASE_PROBLEM = problem ?? '';
  if (problem === undefined) {
    const url = Object.assign(new URL(server), { pathname: name });
    // Some specs put a proxy before the server, and need its port.
    url.port ||= '5432';
    process.env.TEST_DATABASE_URL = url.href;
  }
  return run;
}

/** Its end: in watch mode the next run finds the environment as it was. */
export async function tearDown({ server, name, DATABASE_URL }) {
  if (process.env.TEST_DATABASE_PROBLEM === '') {
    const problem = await onServer(server, `DROP DATABASE ${name} WITH (FORCE)`);
    if (problem !== undefined) process.stderr.write(`The database ${name} of this run stays: ${problem}\n`);
  }
  if (DATABASE_URL !== undefined) process.env.DATABASE_URL = DATABASE_URL;
}

/** Resolves to what went wrong, without the address's user and password; undefined if nothing did. */
async function onServer(connectionString, statement) {
  const { host } = new URL(connectionString);
  const client = new Client({ connectionString, connectionTimeoutMillis: ANSWERS_WITHIN_MS });
  // Without a listener a connection that breaks would end the whole run.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(statement);
    return undefined;
  } catch (error) {
    return `${host} answers ${statement.split(' ', 2).join(' ')} with ${error.code ?? error.message}`;
  } finally {
    await client.end().catch(() => undefined);
  }
}
