import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { type PoolClient } from 'pg';
import { type PaymentsStorage } from '../../../lib/common/storage-port.js';
import { type PostgresPool, type PostgresResult } from '../../../lib/postgres/postgres-pool.js';
import { postgresStorage } from '../../../lib/postgres/postgres.storage.js';
import { claimed, inboxDelivery } from '../../support/inbox-contract.js';
import { journalRecord } from '../../support/journal-contract.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../support/payments-database.js';
import { describeWith, postgresService } from '../../support/services.js';

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

  it.each(['running', 'done'] as const)('sees that a failed delivery is %s meanwhile', async (state) => {
    await claimed(await storage.inbox.claim(inboxDelivery('order-1'), LEASE_MS)).fail();
    await rival.query(`BEGIN; UPDATE payments_inbox SET state = '${state}'`);
    const late = storage.inbox.claim(inboxDelivery('order-1'), LEASE_MS);
    await blocked();
    await rival.query('COMMIT');
    expect((await late).result).toBe(state === 'running' ? 'busy' : 'done');
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
    expect(found.stored.record.idempotencyKey).toBe(key);
  });

  it('gives the entry back where its transaction cannot begin', async () => {
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
