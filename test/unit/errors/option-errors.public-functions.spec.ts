import { expect, it } from 'vitest';
import {
  customScheme,
  hmac,
  type HmacOptions,
  OnPayment,
  PaymentsConfigError,
  PaymentsErrorInterceptor,
  PaymentsWebhook,
  standardWebhooks,
  stripeStyle,
  verifyWebhook,
} from '../../../lib/index.js';
import { memoryStorage } from '../../../lib/storage/memory/memory-storage.js';
import { migratePayments } from '../../../lib/storage/postgres/migrate-payments.js';
import { migrateSqlStorage, type SqlExecutor } from '../../../lib/storage/executor/index.js';
import { redisStorage } from '../../../lib/storage/redis/index.js';
import { aesGcm } from '../../../lib/storage/sealed/aes-gcm.js';
import { envelope } from '../../../lib/storage/sealed/envelope.js';
import { NextCall } from '../../../lib/sandbox/faults/next-call.js';
import { PaymentsQueueModule } from '../../../lib/integrations/bullmq/index.js';
import { PayoutBatchesModule } from '../../../lib/batches/index.js';
import { ReconciliationModule } from '../../../lib/reconciliation/index.js';
import { PaymentsSandbox } from '../../../lib/sandbox/index.js';

const key = Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64');
const keys = { one: key };
const kms = { wrap: () => Promise.reject(new Error()), unwrap: () => Promise.reject(new Error()) };
const pool = { connect: () => Promise.reject(new Error('not asked')) };

const HMAC: HmacOptions = { header: 'x-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] };
const NEXT = new NextCall({} as never, 'GET /merchant-balance', {});
const FACTORY = { useFactory: () => ({}) };
const SECRET = 'a secret of the test';

/** Public functions, each with options that are right but for one name. The options have other types, so that the compiler is silent. */
const CALLS: readonly [what: string, meant: string, call: (options: object) => unknown, options?: object][] =
  [
    ['memoryStorage()', 'maxEntries', memoryStorage],
    [
      'redisStorage()',
      'keyPrefix',
      (given) => redisStorage(given as never),
      { client: { evalsha: () => 1 } },
    ],
    ['aesGcm()', 'requireSealed', (given) => aesGcm(given as never), { keys, current: 'one' }],
    [
      'envelope()',
      'maxAgeMs',
      (given) => envelope(given as never),
      { kms, keys: { one: 'alias/one' }, current: 'one', fingerprintKey: key },
    ],
    ['migratePayments(pool)', 'schema', (given) => migratePayments(pool, given)],
    [
      'migrateSqlStorage(executor)',
      'schema',
      (given) => migrateSqlStorage({ dialect: 'mysql' } as SqlExecutor, given),
    ],
    ['hmac()', 'timestamp', (given) => hmac(given as never), HMAC],
    [
      'hmac() in timestamp',
      'toleranceSeconds',
      (timestamp) => hmac({ ...HMAC, payload: ['body', 'timestamp'], timestamp: timestamp as never }),
      { header: 'x-time', unit: 's', toleranceSeconds: 5 },
    ],
    [
      'hmac() in id',
      'header',
      (id) => hmac({ ...HMAC, payload: ['body', 'id'], id: id as never }),
      { header: 'x-id' },
    ],
    [
      'hmac() in signatures',
      'separator',
      (signatures) => hmac({ ...HMAC, signatures: signatures as never }),
      { separator: ' ' },
    ],
    ['standardWebhooks()', 'toleranceSeconds', standardWebhooks],
    ['stripeStyle()', 'signatureKey', (given) => stripeStyle(given as never), { header: 'x-signature' }],
    [
      'customScheme()',
      'signsTime',
      (given) => customScheme(given as never),
      { name: 'own', verify: () => ({ ok: true }) },
    ],
    [
      'customScheme() in secretForm',
      'minBytes',
      (secretForm) =>
        customScheme({ name: 'own', verify: () => ({ ok: true }), secretForm: secretForm as never }),
      { encoding: 'utf8' },
    ],
    [
      'verifyWebhook()',
      'bodyLimit',
      (given) => verifyWebhook('', {}, given as never),
      { scheme: hmac(HMAC), secrets: [SECRET], leaseMs: 5 },
    ],
    ['@OnPayment()', 'account', (given) => OnPayment('*', given)],
    ['@PaymentsWebhook()', 'account', (given) => PaymentsWebhook('payments', given)],
    ['PaymentsErrorInterceptor', 'errorStatus', (given) => new PaymentsErrorInterceptor(given)],
    ['PaymentsQueueModule', 'queueName', (given) => PaymentsQueueModule.forRootAsync(given), FACTORY],
    ['PayoutBatchesModule', 'isGlobal', (given) => PayoutBatchesModule.forRootAsync(given), FACTORY],
    ['ReconciliationModule', 'isGlobal', (given) => ReconciliationModule.forRootAsync(given), FACTORY],
    ['next()', 'reference', (given) => new NextCall({} as never, 'GET /merchant-balance', given)],
    ['status()', 'retryAfter', (given) => NEXT.status(503, given)],
    ['html()', 'afterProcessing', (given) => NEXT.html(503, given)],
    ['PaymentsSandbox.start()', 'port', (given) => PaymentsSandbox.start(given)],
  ];

it.each(CALLS)('%s refuses a misspelled `%s`', async (_what, meant, call, options = {}) => {
  const misspelled = `${meant.slice(0, -2)}${meant.slice(-1)}`;
  for (const value of [1, undefined]) {
    const called = new Promise((resolve) => {
      resolve(call({ ...options, [misspelled]: value }));
    });
    await expect(called).rejects.toThrow(PaymentsConfigError);
    await expect(called).rejects.toThrow(misspelled);
    await expect(called).rejects.toThrow(
      new RegExp(`does not exist: did you mean \`(\\w+\\.)?${meant}\`\\?$`),
    );
    await expect(called).rejects.not.toThrow('options are wrong');
  }
});

it('the emulator refuses everything at once, also in a section', async () => {
  const options = { ports: 1, host: 'example.com', fees: { payouts: '5' } };
  await expect(PaymentsSandbox.start(options as object)).rejects.toThrow(
    '3 options are wrong:\n' +
      '- Sandbox option ports does not exist: did you mean `port`?\n' +
      '- Sandbox option fees.payouts does not exist: did you mean `fees.payout`?\n' +
      '- Sandbox option host must be a loopback address',
  );
});
