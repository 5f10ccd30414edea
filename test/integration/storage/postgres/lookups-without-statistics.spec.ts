import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PaymentsStorage } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';
import { journalRecord } from '../../../support/journal-contract.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';
import { readingOf } from '../../../support/statement-plan.js';
import { watchedPool } from '../../../support/watched-pool.js';

const ROWS = 4_000;
const SCOPE = { account: 'default', environment: 'sandbox' } as const;
const COLLECTIONS = { ...SCOPE, family: 'collection' } as const;
const NUMBERED = `generate_series(1, ${ROWS}) AS n`;
const TABLES = ['journal', 'tombstones', 'inbox', 'reconciliation', 'batches', 'set_aside'] as const;

/** A new table has none for a minute, and one after pg_upgrade until somebody calls ANALYZE. */
describeWith([postgresService], 'a lookup by key in PostgreSQL, without statistics', () => {
  let database: PaymentsDatabase;

  beforeAll(async () => {
    database = await openPaymentsDatabase(postgresService.url);
    await database.pool.query(`
      ${TABLES.map((table) => `ALTER TABLE payments_${table} SET (autovacuum_enabled = off);`).join('\n')}
      INSERT INTO payments_journal (account, environment, family, reference, state, attempt, record, version,
                                    created_at, updated_at, attempt_at, lease_until)
        SELECT 'default', 'sandbox', 'collection', 'order-' || n, 'accepted', 1, '{}', n,
          now() + n * interval '1 ms', now(), now(), now() FROM ${NUMBERED};
      INSERT INTO payments_tombstones (left_at, attempt, account, environment, payment, ended)
        SELECT now(), 1, 'default', 'sandbox', substring(sha256(n::text::bytea) FOR 16), 'settled' FROM ${NUMBERED};
      INSERT INTO payments_inbox
        SELECT 'default', 'sandbox', 'outcome', 'order-' || n, 'e', 'f', 'done', n, 1, '{}', now(), now() FROM ${NUMBERED};
      INSERT INTO payments_reconciliation
        SELECT 'default', 'sandbox', 'exception', 'order-' || n, 'open', '{}', 1, now(), now() FROM ${NUMBERED};
      INSERT INTO payments_batches (account, environment, name, batch_load, state, digest, details, version, events,
                                    created_at, updated_at)
        SELECT 'default', 'sandbox', 'batch-' || n, 'load-' || n, 'ended', 'digest-' || n, '{}', n, 1, now(), now()
        FROM ${NUMBERED};
      INSERT INTO payments_set_aside (account, environment, kind, fingerprint, event, reference, payload, seen, first_seen_at)
        SELECT 'default', 'sandbox', 'conflict', 'f-' || n, 'e', 'order-' || n, '{}', 1, now() FROM ${NUMBERED}`);
  });
  afterAll(() => database.close());

  /** The rows that the last statement of some work reads. */
  async function readBy(work: (storage: PaymentsStorage) => Promise<unknown>): Promise<number> {
    const { pool, asked } = watchedPool(database.pool);
    await work(postgresStorage({ pool, schema: database.schema }));
    let read = 0;
    for (const table of TABLES)
      read += (await readingOf(database.pool, asked.at(-1), `payments_${table}`)).rows;
    return read;
  }

  it.each<[what: string, work: (storage: PaymentsStorage) => Promise<unknown>, most: number]>([
    ['a payment', ({ journal }) => journal.get(journalRecord('order-7')), 1],
    ['what is left of a payment', ({ journal }) => journal.tombstone(journalRecord('order-7')), 0],
    ['a change', ({ journal }) => journal.replace(7, journalRecord('order-7'), 0), 1],
    ['a new payment', ({ journal }) => journal.insert(journalRecord('order-new'), 0), 1],
    ['a payment that is removed', ({ journal }) => journal.remove(journalRecord('order-8'), 8), 0],
    ['a page', ({ journal }) => journal.list(COLLECTIONS, [], { limit: 10 }), 13],
    ['a webhook', ({ inbox }) => inbox.claim(inboxDelivery('order-9'), 0), 1],
    [
      'the end of a webhook',
      async ({ inbox }) => claimed(await inbox.claim(inboxDelivery('order-new'), 60_000)).finish(),
      1,
    ],
    ['an exception', ({ reconciliation }) => reconciliation!.get(SCOPE, 'exception', 'order-7'), 1],
    [
      'a page of exceptions',
      ({ reconciliation }) => reconciliation!.list(SCOPE, 'exception', { states: ['open'], limit: 10 }),
      10,
    ],
    ['a batch', ({ batches }) => batches!.get({ ...SCOPE, batch: 'batch-7' }), 1],
    ['a webhook that was set aside', ({ conflicts }) => conflicts.get(SCOPE, '7'), 1],
    ['an old conflict', ({ conflicts }) => conflicts.purge(SCOPE, 'conflict', 60_000), 0],
    ['an old tombstone', ({ journal }) => journal.purge(SCOPE, 'tombstones', 60_000), 0],
  ])('reads for %s no more than it is about', async (_what, work, most) => {
    expect(await readBy(work)).toBeLessThanOrEqual(most);
  });
});
