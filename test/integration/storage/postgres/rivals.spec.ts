import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type PoolClient } from 'pg';
import { type PaymentsStorage } from 'nestjs-payments';
import { type PostgresPool, type PostgresResult, postgresStorage } from 'nestjs-payments/postgres';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';
import { allBut, journalRecord } from '../../../support/journal-contract.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';
import { type AskedStatement, watchedPool } from '../../../support/watched-pool.js';

const LEASE_MS = 60_000;

describeWith([postgresService], 'a statement that waits for somebody else at the same entry', () => {
  let database: PaymentsDatabase;
  let rival: PoolClient;
  let storage: PaymentsStorage;

  beforeAll(async () => {
    database = await openPaymentsDatabase(postgresService.url);
    rival = await database.pool.connect();
    storage = postgresStorage({ pool: database.pool, schema: database.schema });
  });
  afterEach(() => database.clear());
  afterAll(() => database.close());

  /** Resolves when somebody waits for the rival's transaction. */
  async function blocked(): Promise<void> {
    const waiting = 'SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))';
    while ((await rival.query(waiting)).rowCount === 0);
  }

  /** What the journal asks for a purge. Nothing is old enough yet, so it purges nothing. */
  async function purgeStatement(): Promise<AskedStatement> {
    const { pool, asked } = watchedPool(database.pool);
    const { journal } = postgresStorage({ pool, schema: database.schema });
    await journal.purge({ account: 'default', environment: 'sandbox' }, 'settled', 1_000);
    return asked.at(-1)!;
  }

  it.each(['running', 'done'] as const)('sees that a failed delivery is %s meanwhile', async (state) => {
    await claimed(await storage.inbox.claim(inboxDelivery('order-1'), LEASE_MS)).fail();
    await rival.query(`BEGIN; UPDATE payments_inbox SET state = '${state}'`);
    const late = storage.inbox.claim(inboxDelivery('order-1'), LEASE_MS);
    await blocked();
    await rival.query('COMMIT');
    expect((await late).result).toBe(state === 'running' ? 'busy' : 'done');
  });

  it('takes a charge for another one whose provider reference was written down meanwhile', async () => {
    await claimed(await storage.inbox.claim(inboxDelivery('order-1'), LEASE_MS)).finish();
    await rival.query("BEGIN; UPDATE payments_inbox SET provider_reference = 'p1'");
    const late = storage.inbox.claim(inboxDelivery('order-1', { providerReference: 'p2' }), LEASE_MS);
    await blocked();
    await rival.query('COMMIT');
    expect(await late).toEqual({ result: 'conflict', existingEvent: 'payment.success' });
  });

  it('makes no entry again that had to be there and is purged meanwhile', async () => {
    await claimed(await storage.inbox.claim(inboxDelivery('order-1'), LEASE_MS)).finish();
    await rival.query('BEGIN; DELETE FROM payments_inbox');
    const replacing = { fingerprint: 'f2', replaces: ['f1'], mustExist: true };
    const late = storage.inbox.claim(inboxDelivery('order-1', replacing), LEASE_MS);
    await blocked();
    await rival.query('COMMIT');
    expect(await late).toEqual({ result: 'missing' });
    expect((await rival.query('SELECT FROM payments_inbox')).rowCount).toBe(0);
  });

  it.each([
    ['COMMIT', false, 'theirs'],
    ['ROLLBACK', true, 'ours'],
  ])('writes a payment down or finds it, after the %s of another writer', async (end, inserted, key) => {
    await rival.query('BEGIN');
    await rival.query(
      `INSERT INTO payments_journal (account, environment, family, reference, state, attempt, record, version, created_at,
         updated_at, attempt_at, lease_until)
       VALUES ('default', 'sandbox', 'collection', 'order-1', 'in-flight', 1, $1, 1, now(), now(), now(), now())`,
      [JSON.stringify(journalRecord('order-1', { idempotencyKey: 'theirs' }))],
    );
    const late = storage.journal.insert(journalRecord('order-1', { idempotencyKey: 'ours' }), LEASE_MS);
    await blocked();
    await rival.query(end);
    const found = await late;
    expect(found.inserted).toBe(inserted);
    expect(found.stored?.record.idempotencyKey).toBe(key);
  });

  it.each([
    ['COMMIT', { inserted: false, tombstone: { attempt: 2, end: 'paid', settledBy: 'operator' } }],
    ['ROLLBACK', { inserted: false, stored: expect.objectContaining({ leaseLeftMs: 0 }) as unknown }],
  ])('writes nothing over a payment that a purge forgets meanwhile, after its %s', async (end, told) => {
    const ended = { state: 'settled', outcome: 'paid', settledBy: 'operator', attempt: 2 } as const;
    const purge = await purgeStatement();
    await storage.journal.insert(journalRecord('order-1', ended), 0);
    await database.pass(60_000);
    await rival.query('BEGIN');
    expect((await rival.query(purge.text, purge.values)).rowCount).toBe(1);
    const late = storage.journal.insert(journalRecord('order-1'), LEASE_MS);
    await blocked();
    await rival.query(end);
    expect(await late).toEqual(told);
    const { entries } = await storage.journal.list(journalRecord(''), allBut('in-flight'), { limit: 9 });
    expect(entries).toEqual([]);
  });

  it('gives the entry back if its transaction cannot begin', async () => {
    const connect: PostgresPool['connect'] = async () => {
      const client = await database.pool.connect();
      const ask = (text: string, values?: unknown[]): Promise<PostgresResult> => client.query(text, values);
      return {
        query: (text, values) => (text.startsWith('BEGIN') ? ask('SELECT 1 / 0') : ask(text, values)),
        release: client.release,
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
      };
    };
    const { inbox } = postgresStorage({ pool: { connect }, schema: database.schema, transactional: true });
    await expect(inbox.claim(inboxDelivery('order-1'), LEASE_MS)).rejects.toThrow('22012');
    expect(claimed(await storage.inbox.claim(inboxDelivery('order-1'), LEASE_MS)).attempt).toBe(2);
  });
});
