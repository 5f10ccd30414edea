// Closes a day of many payments in PostgreSQL with a statement of as many rows.
import 'reflect-metadata';
import { performance } from 'node:perf_hooks';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CollectionsService, DisbursementsService, PaymentsJournal, PaymentsModule } from 'nestjs-payments';
import { csvStatement, Reconciliation, ReconciliationModule } from 'nestjs-payments/reconciliation';
import { migratePayments, postgresStorage } from 'nestjs-payments/postgres';
import pg from 'pg';

const DAY_MS = 86_400_000;
const ZONE = 'UTC';
const TEMPLATES = [
  { family: 'collection', reference: 'template-c', prefix: 'order' },
  { family: 'disbursement', reference: 'template-d', prefix: 'supplier' },
];
const HEADER = 'Date,Type,Reference,Amount,Fee,Recipient,Currency,Status\n';
const ROWS_A_PIECE = 500;

/**
 * @param keys Address and keys of the gateway.
 * @param schema Where the payments are; another process may have filled it.
 */
export default async function open({ url, keys, schema }) {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  await migratePayments(pool, { schema });
  const storage = postgresStorage({ pool, schema });
  const app = await NestFactory.createApplicationContext(moduleOf(storage, keys), {
    logger: ['error', 'warn'],
  });
  const reconciliation = app.get(Reconciliation);
  const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
  const from = Date.parse(yesterday);
  return {
    /** Writes payments of yesterday: settled collections, and accepted payouts. */
    async fill(payments) {
      await makeTemplates(app);
      for (const template of TEMPLATES) await copyTemplate(pool, schema, template, payments / 2, from);
      await pool.query(`ANALYZE ${schema}.payments_journal`);
    },
    /** Milliseconds by the clock, and what was found. */
    async close(payments) {
      const statement = csvStatement({ stream: statementOf(payments / 2, from), name: 'bench' });
      const startedAt = performance.now();
      const close = await reconciliation.close({ day: yesterday, timeZone: ZONE, statement, by: 'bench' });
      const ms = performance.now() - startedAt;
      const { matched } = close.summary.statement;
      if (matched !== payments || close.proposals.length !== payments / 2)
        throw new Error(`${matched} rows matched, with ${close.proposals.length} proposals.`);
      return { ms, exceptions: close.exceptions.length };
    },
    /** Milliseconds to read the same payments and the same rows, with nothing compared or kept. */
    async bare(payments) {
      const startedAt = performance.now();
      const { entries } = await pagesByHand(pool, schema);
      let rows = 0;
      for await (const text of statementOf(payments / 2, from)) rows += text.split('\n').length;
      if (entries < payments || rows < payments)
        throw new Error(`${entries} entries and ${rows} rows were read.`);
      return performance.now() - startedAt;
    },
    /** So that the same day can be closed once more. */
    async clear() {
      await pool.query(`TRUNCATE ${schema}.payments_reconciliation`);
    },
    async drop() {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    },
    async stop() {
      await app.close();
      await pool.end();
    },
  };
}

function moduleOf(storage, keys) {
  class BenchModule {}
  Module({
    imports: [
      PaymentsModule.forRoot({ ...keys, environment: 'sandbox', storage }),
      ReconciliationModule.forRoot({ policy: { timeZone: ZONE } }),
    ],
  })(BenchModule);
  return BenchModule;
}

/** One payment of each family, as the package writes it. */
async function makeTemplates(app) {
  const [collection, payout] = TEMPLATES;
  await app.get(CollectionsService).mobileMoney({
    reference: collection.reference,
    amount: '1000',
    phone: '255712345678',
    customer_name: 'Asha Mushi',
    customer_email: 'asha@example.com',
  });
  await app.get(PaymentsJournal).settle('collection', collection.reference, 'success');
  await app.get(DisbursementsService).bank({
    reference: payout.reference,
    amount: '1000',
    bank_code: 'BSB',
    account_number: '0150000000999',
    account_name: 'Asha Mushi',
    remarks: 'Supplier',
  });
}

async function copyTemplate(pool, schema, { family, reference, prefix }, count, from) {
  const table = `${schema}.payments_journal`;
  const { rows } = await pool.query(
    "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = $1 AND table_name = 'payments_journal'",
    [schema],
  );
  const own = new Map([
    ['reference', `'${prefix}-' || number`],
    ['record', `replace(record::text, '${reference}', '${prefix}-' || number)::json`],
    ['created_at', "to_timestamp($1 / 1000.0) + number * $2::float8 * interval '1 millisecond'"],
    ['updated_at', "to_timestamp($1 / 1000.0) + number * $2::float8 * interval '1 millisecond'"],
    ['attempt_at', "to_timestamp($1 / 1000.0) + number * $2::float8 * interval '1 millisecond'"],
  ]);
  const columns = rows.map(({ name }) => name).filter((name) => name !== 'id');
  const values = columns.map((name) => own.get(name) ?? name);
  // All of them are made in the first twenty hours.
  await pool.query(
    `INSERT INTO ${table} (${columns.join(', ')})
     SELECT ${values.join(', ')} FROM ${table}, generate_series(1, ${count}) AS number
      WHERE family = '${family}' AND reference = '${reference}'`,
    [from, (20 * 3_600_000) / count],
  );
}

/** Rows in another order than that of the payments. */
async function* statementOf(count, from) {
  yield HEADER;
  let piece = '';
  for (let index = 0; index < count; index += 1) {
    const number = ((index * 7_919) % count) + 1;
    const at = new Date(from + 20 * 3_600_000 + (index % 3_600_000)).toISOString();
    piece += `${at},Collection,order-${number},1000.00,20.00,255712345678,TZS,success\n`;
    piece += `${at},Payout,supplier-${number},1000.00,500.00,0150000000999,TZS,paid\n`;
    if (index % ROWS_A_PIECE !== ROWS_A_PIECE - 1) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

async function pagesByHand(pool, schema) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(
      `DECLARE payments CURSOR FOR SELECT record::text AS record FROM ${schema}.payments_journal`,
    );
    for (let entries = 0; ;) {
      const { rows } = await client.query('FETCH 1000 FROM payments');
      if (rows.length === 0) return { entries };
      entries += rows.length;
      for (const { record } of rows) JSON.parse(record);
    }
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}
