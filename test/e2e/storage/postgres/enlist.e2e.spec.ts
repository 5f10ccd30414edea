import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Injectable, Logger } from '@nestjs/common';
import {
  DisbursementsService,
  type EnlistedPayment,
  type BankDisbursement,
  type BankDisbursementDto,
  type JournalEntry,
  memoryStorage,
  OnPayment,
  type PaymentEventContext,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { Pool, type PoolClient } from 'pg';
import { bankRequest, collectionRequest } from '../../../support/gateway-answers.js';
import {
  type MisbehavingGateway,
  reset,
  startMisbehavingGateway,
} from '../../../support/misbehaving-gateway.js';
import { borrowPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { type PaymentsApp, startPaymentsApp } from '../../../support/payments-app.js';
import { describeWith, postgresService } from '../../../support/services.js';
import { scheme, secret } from '../../../support/webhook-app.js';
import { accept, bare, refuse } from '../../../support/working-gateway.js';

const REFERENCE = bankRequest.reference;
const OTHER = { ...bankRequest, amount: '999' };

/** What the handler of a webhook does. */
let handle: (client: PoolClient, payouts: DisbursementsService) => unknown;

@Injectable()
class Orders {
  constructor(private readonly payouts: DisbursementsService) {}

  @OnPayment('payment.success')
  async paid(_event: PaymentWebhookEvent, { transaction }: PaymentEventContext): Promise<void> {
    await handle(transaction as PoolClient, this.payouts);
  }
}

describeWith([postgresService], 'a payment that is enlisted in a transaction of the application', () => {
  let database: PaymentsDatabase;
  let gateway: MisbehavingGateway;
  let first: PaymentsApp;
  let second: PaymentsApp;
  let clients: PoolClient[];

  const startApp = (pool: Pool): Promise<PaymentsApp> =>
    startPaymentsApp(
      {
        baseUrl: gateway.baseUrl,
        apiKey: 'pk_test_demo',
        apiSecret: 'sk_test_demo',
        webhooks: { scheme, secrets: [secret] },
        retry: { maxAttempts: 1 },
        storage: postgresStorage({ pool, schema: database.schema, transactional: true }),
      },
      [Orders],
    );

  beforeEach(async () => {
    for (const level of ['log', 'warn', 'error'] as const)
      vi.spyOn(Logger.prototype, level).mockImplementation(() => {});
    clients = [];
    database = await borrowPaymentsDatabase(postgresService.url);
    await database.pool.query('CREATE TABLE invoices (reference text)');
    gateway = await startMisbehavingGateway();
    gateway.answer(accept);
    first = await startApp(database.pool);
    second = await startApp(database.connect());
  });
  afterEach(async () => {
    for (const client of clients) client.release(true);
    vi.restoreAllMocks();
    gateway.answer(accept);
    await Promise.all([first.app.close(), second.app.close()]);
    await gateway.close();
    await database.close();
  });

  /** A transaction of the application, with a row of its own. */
  async function begin(): Promise<PoolClient> {
    const client = await database.pool.connect();
    clients.push(client);
    await client.query('BEGIN');
    await client.query('INSERT INTO invoices VALUES ($1)', [REFERENCE]);
    return client;
  }
  const enlist = (
    client: unknown,
    request: BankDisbursementDto = bankRequest,
  ): Promise<EnlistedPayment<BankDisbursement>> => first.disbursements.enlistBank(client, request);
  async function commit(
    request: BankDisbursementDto = bankRequest,
  ): Promise<EnlistedPayment<BankDisbursement>> {
    const client = await begin();
    const planned = await enlist(client, request);
    await client.query('COMMIT');
    return planned;
  }
  const entry = (): Promise<JournalEntry | undefined> => second.journal.get('disbursement', REFERENCE);
  const sentKeys = (): unknown[] => gateway.seen.map(({ headers }) => headers['idempotency-key']);
  const invoices = async (): Promise<number> =>
    (await database.pool.query('SELECT FROM invoices')).rowCount ?? 0;

  describe('and committed', () => {
    it('is planned, is listed, and nothing is sent before send()', async () => {
      const planned = await commit();
      expect(planned).toMatchObject({
        state: 'planned',
        reference: REFERENCE,
        attempt: 1,
        family: 'disbursement',
      });
      expect(JSON.stringify(planned)).not.toContain(bankRequest.account_number);
      expect(await entry()).toMatchObject({ state: 'planned', idempotencyKey: planned.idempotencyKey });
      const listed: string[] = [];
      for await (const { reference } of second.journal.unresolved()) listed.push(reference);
      expect(listed).toEqual([REFERENCE]);
      expect(gateway.seen).toEqual([]);
    });

    it('is sent once by send(), under its key, and has its record from then on', async () => {
      const planned = await commit();
      expect(await planned.send()).toMatchObject({ reference: REFERENCE });
      expect(await planned.send()).toMatchObject({ reference: REFERENCE });
      expect(await first.disbursements.bank(bankRequest)).toMatchObject({ reference: REFERENCE });
      expect(sentKeys()).toEqual([planned.idempotencyKey]);
      expect(await entry()).toMatchObject({ state: 'accepted' });
      expect(await commit()).toMatchObject({ state: 'accepted' });
    });

    it('is sent by recover() of another process if this one dies, with the bytes that were enlisted', async () => {
      const { idempotencyKey } = await commit();
      first.crash();
      await database.pass(9_000);
      expect(await second.journal.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 0 });
      expect(gateway.seen).toEqual([]);
      await database.pass(1_001);
      expect(await second.journal.recover()).toEqual({ probed: 0, sent: 1, settled: 1, stillUnknown: 0 });
      expect(sentKeys()).toEqual([idempotencyKey]);
      expect(gateway.seen[0]).toMatchObject({ path: '/api/v1/disbursements/bank' });
      expect(JSON.parse(gateway.seen[0]!.body)).toMatchObject({ reference: REFERENCE, currency: 'TZS' });
      expect(await entry()).toMatchObject({ state: 'accepted' });
    });

    it('may be enlisted through a client of another pool of the same database', async () => {
      const client = await begin();
      const planned = await second.disbursements.enlistBank(client, bankRequest);
      await client.query('COMMIT');
      expect(await planned.send()).toMatchObject({ reference: REFERENCE });
    });

    it('is sent by one of many that try at once', async () => {
      const planned = await commit();
      await database.pass(11_000);
      await Promise.allSettled([
        first.journal.recover(),
        second.journal.recover(),
        planned.send(),
        first.disbursements.bank(bankRequest),
        second.disbursements.bank(bankRequest),
      ]);
      expect(sentKeys()).toEqual([planned.idempotencyKey]);
    });

    it('is sent by a call that repeats it, under the key that was enlisted', async () => {
      const { idempotencyKey } = await commit();
      expect(await second.disbursements.bank(bankRequest)).toMatchObject({ reference: REFERENCE });
      expect(sentKeys()).toEqual([idempotencyKey]);
    });

    it('refuses a call for another payment under its reference, and one with another key', async () => {
      await commit();
      const refused = { name: 'ReferenceReusedError', mayHaveBeenProcessed: true };
      await expect(second.disbursements.bank(OTHER)).rejects.toMatchObject(refused);
      await expect(second.disbursements.bank(bankRequest, { attempt: 2 })).rejects.toMatchObject(refused);
      expect(gateway.seen).toEqual([]);
      expect(await entry()).toMatchObject({ state: 'planned' });
    });

    it('stays planned while the gateway cannot be reached, which the error says', async () => {
      const planned = await commit();
      await gateway.close();
      await expect(planned.send()).rejects.toMatchObject({
        name: 'GatewayUnreachableError',
        mayHaveBeenProcessed: 'not-by-this-call',
        hint: expect.stringContaining('stays planned') as unknown,
      });
      expect(await entry()).toMatchObject({ state: 'planned', idempotencyKey: planned.idempotencyKey });
      gateway = await startMisbehavingGateway();
    });

    it.each([
      ['401', bare(401), 'PaymentsAuthenticationError'],
      ['401 and a code that nobody lists', refuse('TOKEN_EXPIRED', 401), 'PaymentsAuthenticationError'],
      ['429', bare(429), 'PaymentsRateLimitError'],
    ])('stays planned with its key if the gateway turns it away with %s', async (_, answer, name) => {
      gateway.answer(answer);
      const planned = await commit();
      const turnedAway = { name, mayHaveBeenProcessed: 'not-by-this-call' };
      await expect(planned.send({ retry: false })).rejects.toMatchObject(turnedAway);
      await expect(planned.send({ retry: false })).rejects.toMatchObject(turnedAway);
      expect(await entry()).toMatchObject({ state: 'planned' });
      gateway.answer(refuse('INSUFFICIENT_BALANCE'));
      await database.pass(11_000);
      await second.journal.recover();
      expect(sentKeys()).toEqual(Array.from({ length: 3 }, () => planned.idempotencyKey));
      // The first try may have been made: the refusal of the second one proves nothing, so the key stays.
      await expect(second.disbursements.bank(OTHER)).rejects.toMatchObject({ name: 'ReferenceReusedError' });
    });

    it('is refused for good if the gateway refuses it, and may be enlisted again as the next attempt', async () => {
      gateway.answer(refuse('INSUFFICIENT_BALANCE'));
      const planned = await commit();
      await expect(planned.send()).rejects.toMatchObject({
        code: 'INSUFFICIENT_BALANCE',
        mayHaveBeenProcessed: false,
      });
      gateway.answer(accept);
      await expect(planned.send()).rejects.toMatchObject({ name: 'PaymentRejectedError' });
      expect(gateway.seen).toHaveLength(1);
      const again = await commit();
      expect(again).toMatchObject({ state: 'planned', attempt: 2 });
      await again.send();
      expect(sentKeys()).toEqual([planned.idempotencyKey, again.idempotencyKey]);
      expect(again.idempotencyKey).not.toBe(planned.idempotencyKey);
    });

    it('is unknown if its answer is lost, and is never sent again', async () => {
      gateway.answer(reset);
      const planned = await commit();
      await expect(planned.send({ retry: false })).rejects.toMatchObject({
        name: 'PaymentOutcomeUnknownError',
      });
      await database.pass(200_000);
      await second.journal.recover();
      expect(gateway.seen).toHaveLength(1);
      expect(await entry()).toMatchObject({ state: 'unknown' });
      expect(await commit()).toMatchObject({ state: 'unknown' });
    });

    it('is not sent any more if somebody settles it as failed before', async () => {
      const planned = await commit();
      await second.journal.settle('disbursement', REFERENCE, 'failed');
      await database.pass(11_000);
      await first.journal.recover();
      await expect(planned.send()).rejects.toMatchObject({ name: 'ReferenceReusedError' });
      expect(gateway.seen).toEqual([]);
    });

    it('is never purged', async () => {
      await commit();
      await database.pass(400 * 86_400_000);
      await second.journal.purge({
        olderThanMs: 1,
        rejectedOlderThanMs: 1,
        acceptedPayoutsOlderThanMs: 1,
        tombstonesOlderThanMs: 1,
      });
      expect(await entry()).toMatchObject({ state: 'planned' });
      expect(await second.journal.oldestUnresolved()).toMatchObject({ entry: { reference: REFERENCE } });
    });
  });

  describe('and not committed', () => {
    it('leaves nothing behind if the transaction is rolled back', async () => {
      const client = await begin();
      const planned = await enlist(client);
      await client.query('ROLLBACK');
      expect(await entry()).toBeUndefined();
      await expect(planned.send()).rejects.toMatchObject({
        code: 'ENTRY_NOT_FOUND',
        mayHaveBeenProcessed: 'not-by-this-call',
      });
      await database.pass(11_000);
      await second.journal.recover();
      expect([gateway.seen, await invoices()]).toEqual([[], 0]);
      expect(await second.disbursements.bank(bankRequest)).toMatchObject({ reference: REFERENCE });
      expect(gateway.seen).toHaveLength(1);
    });

    it.each([
      ['the transaction is rolled back', 'BEGIN', 'ROLLBACK', 'COMMIT'],
      ['the savepoint is undone', 'SAVEPOINT part', 'ROLLBACK TO SAVEPOINT part', 'COMMIT'],
      ['another transaction has begun', 'SAVEPOINT part', 'ROLLBACK; BEGIN', 'COMMIT'],
    ])('is not written if it is still being enlisted when %s', async (_, begins, ends, last) => {
      const client = await database.pool.connect();
      clients.push(client);
      await client.query('BEGIN');
      await client.query(begins);
      const enlisting = enlist(client);
      const outcome = enlisting.then(() => 'enlisted', String);
      await expect(
        Promise.all([enlisting, enlist(client, { ...bankRequest, amount: '-5' })]),
      ).rejects.toThrow('amount');
      await client.query(ends);
      expect(await outcome).toContain('The transaction ended before the payment was written in it');
      await client.query(last);
      expect(await entry()).toBeUndefined();
    });

    it('is not written as the next attempt if the transaction ends meanwhile', async () => {
      gateway.answer(refuse('INSUFFICIENT_BALANCE'));
      await expect(first.disbursements.bank(bankRequest)).rejects.toThrow();
      const refused = await entry();
      const client = await begin();
      const send = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>;
      // The application's own ROLLBACK comes right before the UPDATE.
      client.query = (async (...given: unknown[]) => {
        if (String(given[0]).includes('UPDATE')) await send('ROLLBACK');
        return send(...given);
      }) as never;
      await expect(enlist(client)).rejects.toMatchObject({
        name: 'PaymentsStorageError',
        message: expect.stringContaining('The transaction ended before') as unknown,
      });
      expect(await entry()).toEqual(refused);
    });

    it('is not sent while the transaction is open, by send() neither', async () => {
      const client = await begin();
      const planned = await enlist(client);
      await expect(planned.send()).rejects.toMatchObject({ code: 'ENTRY_NOT_FOUND' });
      await database.pass(11_000);
      await second.journal.recover();
      expect(gateway.seen).toEqual([]);
      await client.query('COMMIT');
      expect(await planned.send()).toMatchObject({ reference: REFERENCE });
      expect(gateway.seen).toHaveLength(1);
    });

    it('makes a direct call wait for the end of the transaction, for two seconds at most', async () => {
      const client = await begin();
      const { idempotencyKey } = await enlist(client);
      await expect(second.disbursements.bank(bankRequest)).rejects.toMatchObject({
        name: 'PaymentsStorageError',
      });
      expect(gateway.seen).toEqual([]);
      const waiting = second.disbursements.bank(bankRequest);
      await client.query('COMMIT');
      expect(await waiting).toMatchObject({ reference: REFERENCE });
      expect(sentKeys()).toEqual([idempotencyKey]);
    });
  });

  describe('twice', () => {
    it('is the same payment in the same transaction', async () => {
      const client = await begin();
      const planned = await enlist(client);
      expect(await enlist(client)).toMatchObject({
        state: 'planned',
        idempotencyKey: planned.idempotencyKey,
      });
      await client.query('COMMIT');
      await planned.send();
      expect(gateway.seen).toHaveLength(1);
    });

    it('with another content is refused, and the transaction continues', async () => {
      const client = await begin();
      await enlist(client);
      await expect(enlist(client, OTHER)).rejects.toMatchObject({ name: 'ReferenceReusedError' });
      await client.query('COMMIT');
      expect([(await entry())?.amount, await invoices()]).toEqual([`${bankRequest.amount}.00`, 1]);
    });

    it('is the same payment in two transactions at once, and waits for the end of the first', async () => {
      const [one, two] = [await begin(), await begin()];
      const planned = await enlist(one);
      let isOver = false;
      const waiting = enlist(two).finally(() => (isOver = true));
      await database.pool.query('SELECT 1');
      expect(isOver).toBe(false);
      await one.query('COMMIT');
      expect(await waiting).toMatchObject({ state: 'planned', idempotencyKey: planned.idempotencyKey });
      await two.query('COMMIT');
      await Promise.all([planned.send(), (await waiting).send()]);
      expect(gateway.seen).toHaveLength(1);
    });

    it('is planned by the second transaction if the first is rolled back', async () => {
      const [one, two] = [await begin(), await begin()];
      await enlist(one);
      const waiting = enlist(two, OTHER);
      await one.query('ROLLBACK');
      expect(await waiting).toMatchObject({ state: 'planned', amount: '999.00' });
      await two.query('COMMIT');
      expect((await entry())?.amount).toBe('999.00');
    });
  });

  describe('in a transaction that sees the journal as it was when it began', () => {
    /** A payment that was made and is purged after the snapshot of the transaction, or made and purged after it. */
    async function payAndForget(client: PoolClient, seen: 'made before' | 'made after'): Promise<void> {
      const pay = async (): Promise<void> => {
        await second.disbursements.bank(bankRequest);
        await second.journal.settle('disbursement', REFERENCE, 'paid');
      };
      if (seen === 'made before') await pay();
      await client.query('SELECT FROM invoices');
      if (seen === 'made after') await pay();
      await database.pass(2_000);
      expect(await second.journal.purge({ olderThanMs: 1_000 })).toBe(1);
    }
    const beginAt = async (level: string): Promise<PoolClient> => {
      const client = await database.pool.connect();
      clients.push(client);
      await client.query(`BEGIN ISOLATION LEVEL ${level}`);
      return client;
    };

    it.each(['REPEATABLE READ', 'SERIALIZABLE'])(
      'is refused if a purge took its payment meanwhile, and leaves nothing (%s)',
      async (level) => {
        const client = await beginAt(level);
        await payAndForget(client, 'made before');
        await expect(enlist(client)).rejects.toMatchObject({
          name: 'PaymentsStorageError',
          mayHaveBeenProcessed: 'not-by-this-call',
          hint: expect.stringContaining('run the transaction again') as unknown,
        });
        // An application that commits anyway.
        await client.query('COMMIT');
        expect(await entry()).toBeUndefined();
        expect(gateway.seen).toHaveLength(1);
        await expect(commit()).rejects.toMatchObject({ name: 'ReferenceReusedError' });
      },
    );

    it.each([
      ['send()', (planned: EnlistedPayment<BankDisbursement>) => planned.send()],
      ['a direct call', () => second.disbursements.bank(bankRequest)],
    ])(
      'is given up by %s if the payment was made and forgotten since, and is not sent',
      async (_, sendsIt) => {
        const client = await beginAt('REPEATABLE READ');
        await payAndForget(client, 'made after');
        const planned = await enlist(client);
        await client.query('COMMIT');
        await expect(sendsIt(planned)).rejects.toMatchObject({
          name: 'ReferenceReusedError',
          mayHaveBeenProcessed: true,
          hint: expect.stringContaining('new reference') as unknown,
        });
        expect(gateway.seen).toHaveLength(1);
        expect(await entry()).toBeUndefined();
      },
    );

    it('is given up by recover(), too, which logs it', async () => {
      const logged = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
      const client = await beginAt('REPEATABLE READ');
      await payAndForget(client, 'made after');
      await enlist(client);
      await client.query('COMMIT');
      await database.pass(11_000);
      expect(await second.journal.recover()).toEqual({ probed: 0, settled: 0, stillUnknown: 0 });
      expect(gateway.seen).toHaveLength(1);
      expect(await entry()).toBeUndefined();
      expect(logged.mock.calls.map(String).join()).toContain('belongs to an earlier payment that was made');
    });
  });

  describe('in a handler', () => {
    async function deliver(): Promise<number> {
      const { reference, amount } = collectionRequest;
      const body = JSON.stringify(paymentEvent('payment.success', { reference, amount: amount }));
      const headers = { 'content-type': 'application/json', ...signWebhook({ scheme, secret, body }) };
      return (await fetch(first.webhookUrl, { method: 'POST', headers, body })).status;
    }

    it('is sent after the commit of the delivery, once however often it is delivered', async () => {
      let sentBefore = -1;
      handle = async (client, payouts) => {
        await payouts.enlistBank(client, bankRequest);
        sentBefore = gateway.seen.length;
      };
      expect(await deliver()).toBe(200);
      await gateway.arrived(1);
      expect(await deliver()).toBe(200);
      await database.pass(11_000);
      await second.journal.recover();
      expect([sentBefore, gateway.seen.length]).toEqual([0, 1]);
    });

    it('leaves nothing behind if the handler throws, and is made by the next delivery', async () => {
      handle = async (client, payouts) => {
        await payouts.enlistBank(client, bankRequest);
        throw new Error('after it was enlisted');
      };
      expect(await deliver()).toBe(500);
      expect([await entry(), gateway.seen]).toEqual([undefined, []]);
      handle = (client, payouts) => payouts.enlistBank(client, bankRequest);
      expect(await deliver()).toBe(200);
      await gateway.arrived(1);
    });

    it('leaves nothing behind if the handler undoes its savepoint while the payment is being enlisted', async () => {
      let outcome: Promise<string> | undefined;
      handle = async (client, payouts) => {
        await client.query('SAVEPOINT part');
        outcome = payouts.enlistBank(client, bankRequest).then(() => 'enlisted', String);
        await client.query('ROLLBACK TO SAVEPOINT part');
        await outcome;
      };
      expect(await deliver()).toBe(200);
      expect(await outcome).toContain('The transaction ended before the payment was written in it');
      expect([await entry(), gateway.seen]).toEqual([undefined, []]);
    });

    it('is refused after the handler has ended', async () => {
      let late: PoolClient | undefined;
      handle = (client) => {
        late = client;
      };
      expect(await deliver()).toBe(200);
      await expect(enlist(late)).rejects.toMatchObject({
        name: 'PaymentsStorageError',
        message: expect.stringContaining('The webhook transaction is over') as unknown,
      });
      expect(await entry()).toBeUndefined();
    });
  });

  describe('is refused with a sentence', () => {
    it.each([
      ['nothing', () => undefined, 'must be the client of pg'],
      ['a text', () => 'BEGIN', 'must be the client of pg'],
      ['an object of an ORM', () => ({ query: () => Promise.resolve([]) }), 'must be the client of pg'],
      ['a pool', () => database.pool, 'is a pool'],
    ])('if the transaction is %s', async (_, transaction, message) => {
      await expect(enlist(transaction())).rejects.toMatchObject({
        name: 'PaymentsConfigError',
        message: expect.stringContaining(message) as unknown,
      });
      expect(await entry()).toBeUndefined();
    });

    it('if the client has no open transaction', async () => {
      const client = await begin();
      await client.query('COMMIT');
      await expect(enlist(client)).rejects.toMatchObject({
        name: 'PaymentsConfigError',
        message: expect.stringContaining('send BEGIN') as unknown,
      });
      expect(await entry()).toBeUndefined();
    });

    it('if the transaction is of another database, or has failed before', async () => {
      const elsewhere = new Pool({
        connectionString: postgresService.url.replace(/\/[^/]*$/, '/postgres'),
        max: 1,
      });
      const other = await elsewhere.connect();
      await other.query('BEGIN');
      await expect(enlist(other)).rejects.toMatchObject({
        name: 'PaymentsConfigError',
        message: expect.stringContaining('another database') as unknown,
      });
      other.release(true);
      await elsewhere.end();
      const client = await begin();
      await client.query('SELECT 1 / 0').catch(() => undefined);
      await expect(enlist(client)).rejects.toMatchObject({
        name: 'PaymentsStorageError',
        message: expect.stringContaining('25P02') as unknown,
      });
    });

    it('if the key is that of an attempt that the gateway has refused', async () => {
      gateway.answer(refuse('INSUFFICIENT_BALANCE'));
      const { idempotencyKey, ...planned } = await commit();
      await expect(planned.send()).rejects.toMatchObject({ name: 'PaymentRejectedError', final: true });
      const client = await begin();
      await expect(
        first.disbursements.enlistBank(client, bankRequest, { idempotencyKey }),
      ).rejects.toMatchObject({
        name: 'PaymentsValidationError',
        errors: { idempotencyKey: [expect.stringContaining('leave it out') as unknown] },
      });
      await client.query('ROLLBACK');
      expect(await entry()).toMatchObject({ state: 'rejected', attempt: 1 });
    });

    it('if the request or an option is wrong, before anything is written', async () => {
      const client = await begin();
      await expect(enlist(client, { ...bankRequest, amount: '-1' })).rejects.toMatchObject({
        name: 'PaymentsValidationError',
      });
      await expect(
        first.disbursements.enlistBank(client, bankRequest, {
          signal: new AbortController().signal,
        } as object),
      ).rejects.toMatchObject({ name: 'PaymentsValidationError' });
      await client.query('COMMIT');
      expect(await entry()).toBeUndefined();
    });

    it('if the storage has no transactions', async () => {
      const app = await startPaymentsApp({
        baseUrl: gateway.baseUrl,
        apiKey: 'pk_test_demo',
        apiSecret: 'sk_test_demo',
        storage: memoryStorage(),
        webhooks: { scheme, secrets: [secret] },
      });
      await expect(app.disbursements.enlistBank(await begin(), bankRequest)).rejects.toMatchObject({
        name: 'PaymentsConfigError',
        message: expect.stringContaining('postgresStorage({ pool })') as unknown,
      });
      await app.app.close();
    });
  });

  it('says that the transaction is to be run again if another one keeps it from going on, and with which code', async () => {
    const [one, two] = [await database.pool.connect(), await database.pool.connect()];
    clients.push(one, two);
    await one.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await one.query('SELECT FROM invoices');
    await two.query('BEGIN');
    await enlist(two);
    await two.query('COMMIT');
    await expect(enlist(one)).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      message: expect.stringContaining('roll it back, and run the whole transaction again') as unknown,
      mayHaveBeenProcessed: 'not-by-this-call',
      reference: REFERENCE,
      cause: { code: '40001' },
    });
  });

  it('leaves the settings of the transaction as they were', async () => {
    const client = await begin();
    await client.query("SET LOCAL lock_timeout = '7s'; SET LOCAL synchronous_commit = off");
    await enlist(client);
    const { rows } = await client.query(
      "SELECT current_setting('lock_timeout') AS lock, current_setting('synchronous_commit') AS sync",
    );
    expect(rows).toEqual([{ lock: '7s', sync: 'off' }]);
    await client.query('ROLLBACK');
  });

  it('needs no second connection of the pool', async () => {
    const pool = database.connect({ max: 1 });
    const app = await startApp(pool);
    await app.journal.get('disbursement', 'none');
    handle = (client, payouts) => payouts.enlistBank(client, bankRequest);
    const body = JSON.stringify(paymentEvent('payment.success', { reference: 'order-9', amount: '1180.50' }));
    const headers = { 'content-type': 'application/json', ...signWebhook({ scheme, secret, body }) };
    expect((await fetch(app.webhookUrl, { method: 'POST', headers, body })).status).toBe(200);
    await gateway.arrived(1);
    await app.app.close();
  });
});
