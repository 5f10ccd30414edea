import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Pool } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migratePayments, postgresStorage } from 'nestjs-payments/postgres';
import { bankRequest } from '../../../support/gateway-answers.js';
import { claimed, inboxDelivery } from '../../../support/inbox-contract.js';
import { journalRecord } from '../../../support/journal-contract.js';
import { startMisbehavingGateway } from '../../../support/misbehaving-gateway.js';
import { startPaymentsApp } from '../../../support/payments-app.js';
import { describeWith, postgresService } from '../../../support/services.js';
import { scheme, secret } from '../../../support/webhook-app.js';
import { accept } from '../../../support/working-gateway.js';

const [, GRANTS = ''] =
  /```sql\n(GRANT USAGE[\s\S]*?)```/.exec(readFileSync('docs/storage.md', 'utf8')) ?? [];
const SCOPE = { account: 'default', environment: 'sandbox' } as const;
const LOAD = 'a'.repeat(32);
const EVENT = { action: 'create', by: 'maker', details: '{}' };
const LINES = [{ number: 1, key: 'k', cents: 1, recipient: 'r', content: '{}' }];

describeWith([postgresService], 'a role that does not own the tables in PostgreSQL', () => {
  let owner: Pool;
  let pool: Pool;
  let role: string;
  let schema: string;

  beforeEach(async () => {
    const name = randomBytes(6).toString('hex');
    [role, schema] = [`app_${name}`, `granted_${name}`];
    owner = new Pool({ connectionString: postgresService.url, max: 1 });
    await owner.query(`CREATE ROLE ${role}; CREATE SCHEMA ${schema}`);
    pool = new Pool({ connectionString: postgresService.url, options: `-c role=${role}` });
  });
  afterEach(async () => {
    await pool.end();
    await owner.query(`DROP SCHEMA ${schema} CASCADE; DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await owner.end();
  });

  const grant = (): Promise<unknown> =>
    owner.query(GRANTS.replaceAll('SCHEMA payments', `SCHEMA ${schema}`).replaceAll('shop_app', role));
  const migrate = (): Promise<unknown> => migratePayments(owner, { schema });

  it.each([
    ['of tables that are there', [migrate, grant]],
    ['of tables that a later migration makes', [grant, migrate]],
  ])('pays and handles webhooks with the rights of the documents %s', async (_which, steps) => {
    for (const step of steps) await step();
    const gateway = await startMisbehavingGateway();
    gateway.answer(accept);
    const storage = postgresStorage({ pool, schema, transactional: true });
    const payments = await startPaymentsApp({
      baseUrl: gateway.baseUrl,
      apiKey: 'pk_test_demo',
      apiSecret: 'sk_test_demo',
      webhooks: { scheme, secrets: [secret] },
      limits: { disbursement: { perDay: { count: 100 } } },
      storage,
    });
    await payments.disbursements.bank(bankRequest);
    await claimed(await storage.inbox.claim(inboxDelivery('order-1'), 60_000)).finish();
    const { batches, conflicts, inbox, journal, reconciliation } = storage;
    await conflicts.setAside({
      ...SCOPE,
      kind: 'conflict',
      fingerprint: 'f',
      event: 'e',
      reference: 'r',
      payload: '{}',
    });
    await batches?.create({ ...SCOPE, batch: 'b', state: 'loading', load: LOAD, details: '{}' }, EVENT);
    await batches?.addChunk(LOAD, { chunk: 1, digest: 'd' }, LINES);
    await batches?.change(LOAD, [{ number: 1, from: ['waiting'], to: 'checked' }]);
    await reconciliation?.add([{ ...SCOPE, kind: 'exception', id: 'e', state: 'new', details: '{}' }]);
    await journal.insert(journalRecord('order-1', { state: 'settled', outcome: 'success' }), 0);
    expect(await journal.purge(SCOPE, 'settled', -1)).toBe(1);
    expect(await journal.purge(SCOPE, 'tombstones', -1)).toBe(1);
    expect(await inbox.purge(SCOPE, -1)).toBe(1);
    expect(await conflicts.purge(SCOPE, 'conflict', -1)).toBe(1);
    expect(await batches?.purge(-1)).toBe(1);
    expect(await reconciliation?.purge(SCOPE, 'exception', ['new'], -1)).toBe(1);
    await payments.app.close();
    await gateway.close();
  });

  it('is told where the rights are if it has none on the sequences', async () => {
    await migrate();
    await owner.query(
      `GRANT USAGE ON SCHEMA ${schema} TO ${role}; GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${role}`,
    );
    const { journal } = postgresStorage({ pool, schema });
    await expect(journal.insert(journalRecord('order-1'), 0)).rejects.toThrow('has the GRANT statements');
  });

  it('is told that row-level security may hide the rows, or refuse them', async () => {
    await migrate();
    await owner.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}; GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${role};
      GRANT ALL ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role};
      ALTER TABLE ${schema}.payments_migrations ENABLE ROW LEVEL SECURITY;
      ALTER TABLE ${schema}.payments_journal ENABLE ROW LEVEL SECURITY`);
    const { journal } = postgresStorage({ pool, schema });
    const inserting = (): Promise<unknown> => journal.insert(journalRecord('order-1'), 0);
    await expect(inserting()).rejects.toThrow('row-level security hides the rows of payments_migrations');
    await owner.query(`ALTER TABLE ${schema}.payments_migrations DISABLE ROW LEVEL SECURITY`);
    await expect(inserting()).rejects.toThrow('row-level security refuses its rows (42501)');
  });
});
