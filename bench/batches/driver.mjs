// Loads and pays batches in PostgreSQL.
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PaymentsModule } from 'nestjs-payments';
import { inProcess, PayoutBatches, PayoutBatchesModule } from 'nestjs-payments/batches';
import { migratePayments, postgresStorage } from 'nestjs-payments/postgres';
import pg from 'pg';
import { median } from '../shared/statistics.mjs';

const CHUNK = 100;
const LOOKS = 50;
const UNLIMITED = 10_000;
/** Lines a second. */
const PACE = 100;
const TABLES = ['lines', 'chunks', 'counts', 'events'].map((name) => `payments_batch_${name}`);

/** @param keys Address and keys of the gateway. */
export default async function open({ url, keys }) {
  const schema = `payments_bench_${process.pid}`;
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  await migratePayments(pool, { schema });
  const storage = postgresStorage({ pool, schema });
  const start = (perSecond) =>
    NestFactory.createApplicationContext(moduleOf(storage, keys, perSecond), { logger: ['error', 'warn'] });
  const app = await start(UNLIMITED);
  const batches = app.get(PayoutBatches);
  let made = 0;
  const create = (lines, into = batches) =>
    into.create(`bench-${(made += 1)}`, linesOf(lines, made), { by: 'maker' });
  return {
    /** Milliseconds by the clock. */
    load: (lines) => clocked(() => create(lines)),
    bare: (lines) => clocked(() => loadByHand(pool, schema, linesOf(lines, (made += 1)))),
    /** Milliseconds of a look at the progress of the batch that was loaded last. */
    async progress() {
      const batch = await batches.open(`bench-${made}`);
      const samples = [];
      for (let look = 0; look < LOOKS; look += 1) samples.push(await clocked(() => batch.progress()));
      return median(samples);
    },
    /** Checks, approves and pays a batch; milliseconds of this process's CPU for a line that is checked, and for one that is paid. */
    async pay(lines) {
      const batch = await create(lines);
      const check = await cpuMs(() => batch.check({ by: 'maker' }));
      await batch.approve({ by: 'checker', withoutBlocked: true });
      const pay = await cpuMs(async () => {
        await batch.start({ by: 'maker' });
        const { state, byState } = await batch.finished();
        if (state !== 'ended' || byState.accepted?.lines !== lines)
          throw new Error(`The batch is ${state}: ${JSON.stringify(byState)}`);
      });
      return { check: check / lines, pay: pay / lines };
    },
    /** How many times as long a check and a payment take as the rate allows. */
    async paced(lines) {
      const slow = await start(PACE);
      const batch = await create(lines, slow.get(PayoutBatches));
      const check = await clocked(() => batch.check({ by: 'maker' }));
      await batch.approve({ by: 'checker' });
      const pay = await clocked(async () => {
        await batch.start({ by: 'maker' });
        await batch.finished();
      });
      await slow.close();
      const allowed = (lines * 1_000) / PACE;
      return { check: check / allowed, pay: pay / allowed };
    },
    /** Between two subjects: nobody finds the tables fuller than another. */
    async clear() {
      const tables = [...TABLES, 'payments_batches', 'payments_journal'];
      await pool.query(`TRUNCATE ${tables.map((name) => `${schema}.${name}`).join(', ')}`);
    },
    async close() {
      await app.close();
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await pool.end();
    },
  };
}

function moduleOf(storage, keys, perSecond) {
  class BenchModule {}
  Module({
    imports: [
      PaymentsModule.forRoot({ ...keys, environment: 'sandbox', storage, rate: { perSecond } }),
      PayoutBatchesModule.forRoot({
        engine: inProcess(),
        // The holders that the emulator invents have other names.
        policy: { acceptNames: ['same', 'similar', 'different'] },
      }),
    ],
  })(BenchModule);
  return BenchModule;
}

/** No ending of an account that the emulator gives a meaning to. */
function* linesOf(count, batch) {
  for (let line = 1; line <= count; line += 1) {
    const account_number = `0${String(batch).padStart(2, '0')}${String(line).padStart(7, '0')}999`;
    yield { key: `S-${line}`, name: 'Asha Mushi', amount: '1000', bank_code: 'BSB', account_number };
  }
}

/** The rows that a load leaves, with nothing checked, hashed or compared. */
async function loadByHand(pool, schema, lines) {
  const load = randomBytes(16).toString('hex');
  let chunk = [];
  let chunks = 0;
  for (const line of lines) {
    chunk.push(line);
    if (chunk.length < CHUNK) continue;
    await pool.query(insertOf(schema), parametersOf(load, (chunks += 1), chunk));
    chunk = [];
  }
  if (chunk.length > 0) await pool.query(insertOf(schema), parametersOf(load, chunks + 1, chunk));
}

function insertOf(schema) {
  return `WITH added AS (
    INSERT INTO ${schema}.payments_batch_lines
      (batch_load, line_number, line_key, state, cents, recipient, content, result, updated_at)
    SELECT $1, line_number, line_key, 'waiting', cents, recipient, content, '{}', now()
      FROM unnest($3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[])
        AS given (line_number, line_key, cents, recipient, content)
    RETURNING line_number, cents
  ), chunked AS (
    INSERT INTO ${schema}.payments_batch_chunks (batch_load, chunk, digest, first_line, last_line)
    SELECT $1, $2::bigint, $8, min(line_number), max(line_number) FROM added
  )
  INSERT INTO ${schema}.payments_batch_counts AS counts (batch_load, state, line_count, cents)
  SELECT $1, 'waiting', count(*), sum(cents) FROM added
  ON CONFLICT (batch_load, state) DO UPDATE
    SET line_count = counts.line_count + excluded.line_count, cents = counts.cents + excluded.cents`;
}

/** Texts as long as those of the package. */
function parametersOf(load, chunk, lines) {
  const first = (chunk - 1) * CHUNK;
  return [
    load,
    chunk,
    lines.map((_, index) => first + index + 1),
    lines.map(({ key }) => key),
    lines.map(() => 100_000),
    lines.map(({ account_number }) => account_number.padStart(64, '0')),
    lines.map(({ name, amount, bank_code, account_number: account }) =>
      JSON.stringify({ name, amount, recipient: { kind: 'bank', bankCode: bank_code, account } }),
    ),
    'd'.repeat(64),
  ];
}

async function clocked(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function cpuMs(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
