import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Pool } from 'pg';
import { type JournalRecord, type PaymentsStorage } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';
import { allBut, journalRecord, storedBy } from '../../../support/journal-contract.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';
import { watchedPool } from '../../../support/watched-pool.js';

const TEXT_OID = 25;
const LEASE_MS = 60_000;
const SCOPE = { account: 'default', environment: 'sandbox' } as const;
/** Texts that PostgreSQL refuses, or that a driver would make equal. */
const ODD_TEXTS = [
  'a\0b',
  'a',
  'ab',
  '\ud800',
  '\udc00',
  '\ufffd',
  '\\',
  '\\u0000',
  '"',
  "'",
  "\\'); COMMIT; --",
  '$1',
  '{}',
  ' ',
  'ä',
  'a\u0308',
];

describeWith([postgresService], 'what PostgreSQL stores', () => {
  let database: PaymentsDatabase;
  const storage = (pool: Pool = database.pool, transactional = false): PaymentsStorage =>
    postgresStorage({ pool, schema: database.schema, transactional });

  beforeAll(async () => {
    database = await openPaymentsDatabase(postgresService.url);
  });
  afterEach(() => database.clear());
  afterAll(() => database.close());

  it('keeps every text as a reference apart from every other', async () => {
    const { inbox, journal } = storage();
    for (const reference of ODD_TEXTS) {
      const claim = claimed(await inbox.claim(inboxDelivery(reference), LEASE_MS));
      expect(claim.attempt).toBe(1);
      await claim.finish();
      expect((await journal.insert(journalRecord(reference), 0)).inserted).toBe(true);
    }
    const { entries } = await journal.list({ ...SCOPE, family: 'collection' }, allBut('in-flight'), {
      limit: 99,
    });
    expect(entries.map(({ record }) => record.reference)).toEqual(ODD_TEXTS);
  });

  it.each(['on', 'off'])(
    'finishes the entry of every text in its transaction, with standard_conforming_strings = %s',
    async (setting) => {
      const path = database.schema.replaceAll(' ', '\\ ');
      const options = `-c search_path="${path}",pg_catalog -c standard_conforming_strings=${setting}`;
      const { inbox } = storage(database.connect({ options }), true);
      for (const reference of ODD_TEXTS) {
        expect(await claimed(await inbox.claim(inboxDelivery(reference), LEASE_MS)).finish()).toBe(true);
        expect((await inbox.claim(inboxDelivery(reference), LEASE_MS)).result).toBe('done');
      }
      const done = "SELECT FROM payments_inbox WHERE state = 'done'";
      expect((await database.pool.query(done)).rowCount).toBe(ODD_TEXTS.length);
    },
  );

  it('keeps every text as an event, a payload and the name of a handler', async () => {
    const { inbox, conflicts } = storage();
    for (const text of ODD_TEXTS) {
      const event = { event: text, fingerprint: text === 'a\0b' ? 'x' : 'y' };
      await conflicts.setAside({ ...SCOPE, kind: 'conflict', ...event, reference: text, payload: text });
      const [stored] = await conflicts.list(SCOPE, { limit: 9 });
      expect(stored).toMatchObject({ event: text, reference: text, payload: text });
      await conflicts.remove(SCOPE, stored?.id ?? '');
      expect(await conflicts.list(SCOPE, { limit: 9 })).toEqual([]);
      const first = claimed(await inbox.claim(inboxDelivery(text, event), LEASE_MS));
      await first.mark(text);
      await first.fail();
      expect(claimed(await inbox.claim(inboxDelivery(text, event), LEASE_MS)).finished).toEqual([text]);
      await database.clear();
    }
  });

  it('takes no harm from an id that was never given out', async () => {
    const { conflicts } = storage();
    await conflicts.setAside({
      ...SCOPE,
      kind: 'mismatch',
      event: 'payment.failed',
      reference: 'order-1',
      fingerprint: 'f1',
      payload: '{}',
    });
    for (const id of ['', '0', "1' OR '1'='1", '99999999999999999999', 'a\0b'])
      await conflicts.remove(SCOPE, id);
    expect(await conflicts.list(SCOPE, { limit: 9 })).toHaveLength(1);
  });

  it('keeps fields of a record that this version does not know', async () => {
    const { journal } = storage();
    const later = { ...journalRecord('order-1'), fee: { cents: '1', 'a\0b': [null, true] } } as JournalRecord;
    await journal.insert(later, 0);
    expect((await journal.get(later))?.record).toEqual(later);
  });

  it('reads the same if the application changed how its driver reads numbers, times, booleans and JSON', async () => {
    const pool = database.connect({
      types: {
        getTypeParser: ((oid: number) => (oid === TEXT_OID ? String : () => ({ odd: true }))) as never,
      },
    });
    const { inbox, journal } = storage(pool);
    const insertion = await journal.insert(journalRecord('order-1'), LEASE_MS);
    const stored = storedBy(insertion);
    expect(insertion.inserted).toBe(true);
    expect(stored).toEqual(
      await storage()
        .journal.get(stored.record)
        .then((seen) => ({ ...seen, ...times(stored) })),
    );
    expect((await journal.replace(stored.version, stored.record, 0))?.version).toBeGreaterThan(
      stored.version,
    );
    const claim = claimed(await inbox.claim(inboxDelivery('order-1'), LEASE_MS));
    expect([claim.attempt, claim.finished]).toEqual([1, []]);
    expect((await inbox.claim(inboxDelivery('order-1'), LEASE_MS)).result).toBe('busy');
    expect(await claim.finish()).toBe(true);
  });

  it('is purged in batches until nothing old is left', async () => {
    const { pool, schema, pass } = database;
    await pool.query(`
      INSERT INTO payments_inbox SELECT 'default', 'sandbox', 'outcome', 'order-' || n, 'e', 'f', 'done', n, 1, '{}',
        clock_timestamp(), clock_timestamp() FROM generate_series(1, 2500) AS n;
      INSERT INTO payments_journal (account, environment, family, reference, state, attempt, record, version, created_at,
        updated_at, attempt_at, lease_until)
      SELECT 'default', 'sandbox', 'collection', 'order-' || n, 'settled', 1, '{}', n, t, t, t, t
      FROM generate_series(1, 2000) AS n, clock_timestamp() AS t`);
    await pass(60_000);
    const watched = watchedPool(pool);
    const { inbox, journal } = postgresStorage({ pool: watched.pool, schema });
    expect(await inbox.purge(SCOPE, 30_000)).toBe(2_500);
    expect(await journal.purge(SCOPE, 'settled', 30_000)).toBe(2_000);
    const purges = watched.asked.slice(1);
    expect(purges.map(({ rowCount }) => rowCount)).toEqual([1_000, 1_000, 500, 0, 1_000, 1_000, 0]);
  });

  it.each([
    ['inbox', 'changed_at', undefined],
    ['journal', 'updated_at', 'settled'],
    ['journal', 'updated_at', 'rejected'],
    ['journal', 'updated_at', 'accepted-payouts'],
    ['journal', 'left_at', 'tombstones'],
  ] as const)('is purged from the %s without a look at what stays', async (_store, time, what) => {
    const { pool, asked } = watchedPool(database.pool);
    const { inbox, journal } = postgresStorage({ pool, schema: database.schema });
    await (what ? journal.purge(SCOPE, what, 1) : inbox.purge(SCOPE, 1));
    const purge = asked.at(-1)!;
    const client = await database.pool.connect();
    // A table of a few rows would be read whole.
    await client.query('BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off');
    const { rows } = await client.query<Record<string, string>>(`EXPLAIN ${purge.text}`, purge.values);
    await client.query('ROLLBACK');
    client.release();
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(new RegExp(`Index Cond: .*${time} <`));
    expect(plan).not.toContain('Sort');
  });

  function times({
    ageMs,
    idleMs,
    leaseLeftMs,
  }: {
    ageMs: number;
    idleMs: number;
    leaseLeftMs: number;
  }): object {
    return { ageMs, idleMs, leaseLeftMs };
  }
});
