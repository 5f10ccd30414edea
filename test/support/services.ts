import { describe } from 'vitest';
import { connect } from 'node:net';
import { describeSkipped } from './describe-skipped.js';

/** A server that a spec needs and that a user's machine may lack. */
export interface Service {
  readonly name: string;
  readonly url: string;
  readonly reachable: boolean;
  /** Why it is not. */
  readonly absence: string;
}

const ANSWERS_WITHIN_MS = 2_000;

/** `REDIS_URL`, or the usual port of this machine. */
export const redisService = await look('Redis', process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379');

/** `MYSQL_URL`, or the usual port of this machine: a server on which the specs of MySQL create databases of their own. */
export const mysqlService = await look(
  'MariaDB',
  process.env['MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306/test',
);

/**
 * The database that this run created on the server of `DATABASE_URL`, or on the usual port of this machine
 * (`own-database.mjs`). It is the only database that specs may write to.
 */
export const postgresService = ownDatabase(process.env);

/**
 * A `describe` that needs services. Without one of them its specs are skipped, and say why; with `REQUIRE_SERVICES=1` they
 * run and fail.
 */
export function describeWith(services: readonly Service[], name: string, specs: () => void): void {
  const missing = services.filter(({ reachable }) => !reachable);
  if (missing.length === 0 || process.env['REQUIRE_SERVICES'] === '1') {
    describe(name, specs);
    return;
  }
  describeSkipped(name, missing.map(({ absence }) => absence).join(', '), specs);
}

async function look(name: string, url: string): Promise<Service> {
  const absence = `${name} does not answer at ${place(url)}`;
  return { name, url, reachable: await accepts(url), absence };
}

function ownDatabase({
  TEST_DATABASE_URL = 'postgres://127.0.0.1:1',
  TEST_DATABASE_PROBLEM = 'it was not asked',
}: NodeJS.ProcessEnv): Service {
  const absence = `PostgreSQL gave this run no database: ${TEST_DATABASE_PROBLEM}`;
  return {
    name: 'PostgreSQL',
    url: TEST_DATABASE_URL,
    reachable: TEST_DATABASE_PROBLEM === '',
    absence,
  };
}

function accepts(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), timeout: ANSWERS_WITHIN_MS });
    const end = (reachable: boolean): void => {
      socket.destroy();
      resolve(reachable);
    };
    socket.once('connect', () => {
      end(true);
    });
    socket.once('timeout', () => {
      end(false);
    });
    socket.once('error', () => {
      end(false);
    });
  });
}

/** An address without its user and password. */
function place(url: string): string {
  return new URL(url).host;
}
