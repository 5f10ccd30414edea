import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { undoLater } from '../shared/cleanup.mjs';
import { MARIADB, POSTGRES } from '../shared/services.mjs';

/** Makes an empty database for one run, so that no other rows are in the way. */
export async function ownDatabase(service) {
  const name = `payments_bench_${process.pid}`;
  const run = { [POSTGRES.name]: onPostgres, [MARIADB.name]: onMariadb }[service.name];
  if (!run) return { url: service.url, drop() {} };
  await run(service.url, `CREATE DATABASE ${name}`);
  const url = new URL(service.url);
  url.pathname = `/${name}`;
  return { url: url.href, drop: undoLater(() => run(service.url, `DROP DATABASE ${name}`)) };
}

async function onPostgres(connectionString, statement) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(statement);
  await client.end();
}

async function onMariadb(uri, statement) {
  const connection = await createConnection({ uri });
  await connection.query(statement);
  await connection.end();
}
