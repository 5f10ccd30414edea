// What a PostgreSQL server has used, as it and its machine (Linux) count it.
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const NS_PER_MS = 1_000_000;
/** PostgreSQL adds what a connection has counted to its statistics once a second. */
const STATISTICS_MS = 1_500;
const COMMITS = 300;

/** Watches one database through a connection of its own. */
export async function watchServer(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const one = async (text) => (await client.query(text)).rows[0];
  return {
    run: one,
    close: () => client.end(),
    /** Its connections but this one: CPU in ms, and the commits and bytes of WAL of the server. */
    async used() {
      await delay(STATISTICS_MS);
      const { rows } = await client.query(
        'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
      const { commits, wal } = await one(
        `SELECT xact_commit::float8 AS commits, (pg_current_wal_lsn() - '0/0')::float8 AS wal
         FROM pg_stat_database WHERE datname = current_database()`,
      );
      return { cpuMs: rows.reduce((sum, { pid }) => sum + cpuMsOf(pid), 0), commits, walBytes: wal };
    },
    /** Bytes of the tables of payments and webhooks with their indexes, and of the tombstones. */
    sizes: () =>
      one(`SELECT (pg_total_relation_size('payments_journal') + pg_total_relation_size('payments_inbox'))::float8 AS payments,
             pg_total_relation_size('payments_tombstones')::float8 AS tombstones`),
    vacuum: () => client.query('VACUUM payments_journal, payments_inbox'),
    /** The time for which one small commit waits for the disk: its p50 less that of a statement which writes nothing. */
    async flushMs() {
      await client.query('CREATE TABLE capacity_flush (number integer)');
      const asked = await medianMs(() => client.query('SELECT 1'));
      const written = await medianMs(() => client.query('INSERT INTO capacity_flush VALUES (1)'));
      await client.query('DROP TABLE capacity_flush');
      return { flushMs: written - asked, roundTripMs: asked };
    },
  };
}

/** Time on a processor. */
function cpuMsOf(pid) {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / NS_PER_MS;
}

/** Milliseconds that all processors of the machine were busy, and that there were. */
export function machineMs() {
  const [user, nice, system, idle, iowait, irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]
    .split(/\s+/)
    .slice(1)
    .map((ticks) => Number(ticks) * 10);
  const busy = user + nice + system + irq + softirq + steal;
  return { busy, all: busy + idle + iowait };
}

async function medianMs(work) {
  const took = [];
  for (let index = 0; index < COMMITS; index += 1) {
    const startedAt = performance.now();
    await work();
    took.push(performance.now() - startedAt);
  }
  return took.sort((one, other) => one - other)[COMMITS / 2];
}
