import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import {
  type BankDisbursement,
  type BankDisbursementDto,
  type DailyCapStore,
  isPaymentsError,
  type JournalStore,
  type PaymentsStorage,
} from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { redisStorage } from 'nestjs-payments/redis';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { bankRequest as request } from '../../support/gateway-answers.js';
import { journalRecord } from '../../support/journal-contract.js';
import { patientLibrary } from '../../support/patient-library.js';
import { borrowPaymentsDatabase, type PaymentsDatabase } from '../../support/payments-database.js';
import { type PaymentsApp, startPaymentsApp } from '../../support/payments-app.js';
import { connectRedis, ownPrefix } from '../../support/redis.js';
import { redisOfSpecs } from '../../support/redis-of-specs.js';
import { startSandbox } from '../../support/sandbox.js';
import { describeWith, postgresService, redisService } from '../../support/services.js';
import { eventually } from '../../support/eventually.js';

/** One of the emulator's banks. */
const bankRequest = { ...request, bank_code: 'BSB' };
const CALLS = 50;
const CAP = 17;

let sandbox: PaymentsSandbox;
let apps: PaymentsApp[];

beforeEach(async () => {
  vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
  sandbox = await startSandbox({ clock: 'manual', seed: 1 });
  apps = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(apps.map(({ app }) => app.close()));
  await sandbox.stop();
});

async function start(storage: PaymentsStorage, count: number): Promise<PaymentsApp> {
  const limits = { disbursement: { perDay: { count } } };
  const app = await startPaymentsApp({ ...sandbox.moduleOptions(), storage, limits });
  apps.push(app);
  return app;
}

/** Resolves when a statement waits for a lock. */
async function whileLocked({ pool, schema }: PaymentsDatabase): Promise<void> {
  await eventually(async () => {
    const { rows } = await pool.query(
      `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND strpos(query, $1) > 0`,
      [schema],
    );
    expect(rows).toHaveLength(1);
  });
}

function journalOf({
  journal,
}: PaymentsStorage): Pick<JournalStore, 'insert'> & { dailyCaps: DailyCapStore } {
  const { dailyCaps } = journal;
  if (!dailyCaps) throw new Error('The journal has no dailyCaps.');
  return { insert: journal.insert.bind(journal), dailyCaps };
}

/** Fifty payouts at once over two replicas. */
async function race(...replicas: readonly [PaymentsStorage, PaymentsStorage]): Promise<void> {
  const [first, second] = replicas;
  const started = [await start(first, CAP), await start(second, CAP)] as const;
  const calls = Array.from({ length: CALLS }, (_, index) =>
    started[index % 2 === 0 ? 0 : 1].disbursements.bank({
      ...bankRequest,
      reference: `salary-${index}`,
      amount: '10.00',
    }),
  );
  const ended = await Promise.allSettled(calls);
  const refused = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  expect(refused.map((error) => isPaymentsError(error) && error.code)).toEqual(
    Array.from({ length: CALLS - CAP }, () => 'DAILY_CAP_REACHED'),
  );
  expect(sandbox.payouts()).toHaveLength(CAP);
  const listed = await Promise.all(
    calls.map((_, index) => started[0].journal.get('disbursement', `salary-${index}`)),
  );
  expect(listed.filter((entry) => entry !== undefined)).toHaveLength(CAP);
}

describeWith([redisService], 'replicas on one Redis', () => {
  const { prefix, client } = redisOfSpecs();

  it('share the cap of a day: of fifty payouts at once the gateway sees as many as the cap says', async () => {
    const keyPrefix = `${prefix}${ownPrefix()}`;
    const other = connectRedis();
    await race(redisStorage({ client: client(), keyPrefix }), redisStorage({ client: other, keyPrefix }));
    other.disconnect();
  });
});

describeWith([postgresService], 'replicas on one PostgreSQL', () => {
  let database: PaymentsDatabase;
  const storage = (pool = database.pool): PaymentsStorage =>
    postgresStorage({ pool, schema: database.schema, transactional: true });

  beforeEach(async () => {
    database = await borrowPaymentsDatabase(postgresService.url);
  });
  afterEach(() => database.close());

  describe('that has time', () => {
    patientLibrary();
    /** A storage whose statements wait for a lock of the counter while fifty others have their turn. */
    const patientStorage = (): PaymentsStorage =>
      storage(database.connect({ options: `${database.options} -c nestjs_payments.lock_within=60000` }));

    it('share the cap of a day: of fifty payouts at once the gateway sees as many as the cap says', async () => {
      await race(patientStorage(), patientStorage());
    });

    it('keep nobody waiting at the counter of the day while one waits for an open transaction', async () => {
      const [first, second] = [await start(patientStorage(), 5), await start(patientStorage(), 5)];
      const request = (reference: string): BankDisbursementDto => ({
        ...bankRequest,
        reference,
        amount: '10.00',
      });
      const transaction = await database.pool.connect();
      await transaction.query('BEGIN');
      await first.disbursements.enlistBank(transaction, request('planned'));
      const waiting = second.disbursements.bank(request('planned'));
      await whileLocked(database);
      await second.disbursements.bank(request('other'));
      await first.disbursements.bank(request('third'));
      await transaction.query('COMMIT');
      transaction.release();
      expect(await waiting).toMatchObject({ reference: 'planned' });
      expect(sandbox.payouts()).toHaveLength(3);
    });
  });

  it('count a reference once that both pay at the same time', async () => {
    const [first, second] = [await start(storage(), 2), await start(storage(database.connect()), 2)];
    const request = { ...bankRequest, reference: 'one', amount: '10.00' };
    await Promise.allSettled([first, second].map(({ disbursements }) => disbursements.bank(request)));
    await second.disbursements.bank({ ...request, reference: 'two' });
    expect(sandbox.payouts()).toHaveLength(2);
  });

  it('count exactly whatever isolation level the server begins with', async () => {
    const pool = database.connect({ options: '-c default_transaction_isolation=serializable' });
    const { dailyCaps } = journalOf(storage(pool));
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        dailyCaps.insert(journalRecord(`order-${index}`), 60_000, { cents: 1, maxCount: 7 }),
      ),
    );
    expect(results.filter((result) => 'reachedOn' in result)).toHaveLength(13);
  });

  it('wait no longer for a locked payment than for any other lock', async () => {
    const { dailyCaps, insert } = journalOf(storage());
    const planned = await insert(journalRecord('order-1', { state: 'planned' }), 0);
    const version = planned.stored?.version ?? 0;
    const other = await database.pool.connect();
    await other.query('BEGIN');
    await other.query('SELECT FROM payments_journal FOR UPDATE');
    const share = { cents: 1, maxCount: 5 };
    const sending = dailyCaps.replace(
      version,
      journalRecord('order-1', { intent: 'another' }),
      60_000,
      share,
    );
    await expect(sending).rejects.toThrow('55P03');
    await other.query('ROLLBACK');
    other.release();
  });

  describe('and an enlisted payment', () => {
    let app: PaymentsApp;
    const enlist = async (
      reference: string,
      end: 'COMMIT' | 'ROLLBACK',
    ): Promise<{ send(): Promise<BankDisbursement> }> => {
      const transaction = await database.pool.connect();
      await transaction.query('BEGIN');
      const request = { ...bankRequest, reference, amount: '10.00' };
      const enlisted = await app.disbursements.enlistBank(transaction, request);
      await transaction.query(end);
      transaction.release();
      return enlisted;
    };
    const failureOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
    const stateOf = async (reference: string): Promise<string | undefined> =>
      (await app.journal.get('disbursement', reference))?.state;

    beforeEach(async () => {
      app = await start(storage(), 1);
    });

    it('counts when it is sent, whatever else was planned or rolled back', async () => {
      await enlist('rolled-back', 'ROLLBACK');
      const one = await enlist('one', 'COMMIT');
      const two = await enlist('two', 'COMMIT');
      await one.send();
      expect(await one.send()).toMatchObject({ reference: 'one' });
      expect(await failureOf(two.send())).toMatchObject({
        code: 'DAILY_CAP_REACHED',
        mayHaveBeenProcessed: 'not-by-this-call',
        hint: expect.stringContaining('stays planned') as string,
      });
      expect(await stateOf('two')).toBe('planned');
      expect(sandbox.payouts()).toHaveLength(1);
    });

    it('waits in recover() for the next day, and is sent then', async () => {
      await enlist('one', 'COMMIT');
      await enlist('two', 'COMMIT');
      await database.pass(60_000);
      await app.journal.recover();
      await app.journal.recover();
      const states = await Promise.all(['one', 'two'].map(stateOf));
      expect([...states].sort()).toEqual(['accepted', 'planned']);
      expect(sandbox.payouts()).toHaveLength(1);
      const lines = vi.mocked(Logger.prototype.warn).mock.calls.flat().map(String);
      expect(lines.filter((line) => line.includes('stay planned until'))).toHaveLength(1);
      await database.pass(86_400_000);
      await app.journal.recover();
      expect(await Promise.all(['one', 'two'].map(stateOf))).toEqual(['accepted', 'accepted']);
    });

    it('stands beside a direct payment in the same handler, which waits for no transaction', async () => {
      const transaction = await database.pool.connect();
      await transaction.query('BEGIN');
      await app.disbursements.enlistBank(transaction, { ...bankRequest, reference: 'one', amount: '10.00' });
      await app.disbursements.bank({ ...bankRequest, reference: 'two', amount: '10.00' });
      await transaction.query('COMMIT');
      transaction.release();
      expect(await Promise.all(['one', 'two'].map(stateOf))).toEqual(['planned', 'accepted']);
    });
  });
});
