import { expect, it } from 'vitest';
import { PaymentsConfigError } from '../../../lib/errors/payments-errors.js';
import { memoryStorage } from '../../../lib/storage/memory/memory-storage.js';
import { migratePayments } from '../../../lib/storage/postgres/migrate-payments.js';
import { migrateSqlStorage, type SqlExecutor } from '../../../lib/storage/executor/index.js';
import { redisStorage } from '../../../lib/storage/redis/index.js';
import { aesGcm } from '../../../lib/storage/sealed/aes-gcm.js';
import { envelope } from '../../../lib/storage/sealed/envelope.js';
import { PaymentsSandbox } from '../../../lib/sandbox/index.js';

const key = Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64');
const keys = { one: key };
const kms = { wrap: () => Promise.reject(new Error()), unwrap: () => Promise.reject(new Error()) };
const pool = { connect: () => Promise.reject(new Error('not asked')) };

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
    await expect(called).rejects.toThrow(`does not exist: did you mean \`${meant}\`?`);
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
