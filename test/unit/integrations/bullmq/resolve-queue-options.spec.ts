import { describe, expect, it } from 'vitest';
import { inspect } from 'node:util';
import { resolveQueueOptions } from '../../../../lib/integrations/bullmq/resolve-queue-options.js';
import { PaymentsConfigError } from '../../../../lib/errors/payments-errors.js';

const connection = { host: '127.0.0.1', password: 'the-password-of-redis' };
const resolve = (raw: unknown, name: unknown = 'payments-webhooks', shared?: unknown) =>
  resolveQueueOptions(raw, name, shared);

describe('the options of PaymentsQueueModule', () => {
  it('have defaults for everything but the connection', () => {
    const resolved = resolve({ connection });
    expect(resolved).toEqual({
      queueName: 'payments-webhooks',
      prefix: undefined,
      accounts: undefined,
      worker: { concurrency: 5, lockMs: 30_000 },
      retry: { maxAttempts: 20, baseDelayMs: 1_000, maxDelayMs: 300_000 },
      keepFinishedMs: 3_600_000,
      shutdownTimeoutMs: 30_000,
    });
    expect(resolved.connection).toEqual(connection);
  });

  it('take what they are given', () => {
    const given = {
      prefix: 'shop',
      accounts: ['default', 'payouts', 'default'],
      worker: { concurrency: 1, lockMs: 100 },
      retry: { maxAttempts: 1, baseDelayMs: 7, maxDelayMs: 7 },
      keepFinishedMs: 0,
      shutdownTimeoutMs: 0,
    };
    expect(resolve({ connection, ...given }, 'mine')).toEqual({
      ...given,
      queueName: 'mine',
      accounts: ['default', 'payouts'],
    });
    expect(resolve({ connection, worker: false }).worker).toBeUndefined();
  });

  it('take connection and prefix from BullModule.forRoot if they have none of their own', () => {
    const shared = { connection, prefix: 'shared' };
    expect(resolve(undefined, 'q', shared)).toMatchObject({ prefix: 'shared' });
    expect(resolve({}, 'q', shared).connection).toEqual(connection);
    const own = resolve({ connection: { port: 1 }, prefix: 'own' }, 'q', shared);
    expect([own.connection, own.prefix]).toEqual([{ port: 1 }, 'own']);
  });

  it('do not show the password of Redis when they are printed', () => {
    const resolved = resolve({ connection });
    expect(inspect(resolved, { depth: Infinity }) + JSON.stringify(resolved)).not.toContain('the-password');
  });

  it.each<[string, unknown, string]>([
    ['connection', {}, "write { host, port }, { url: 'redis://…' } or an ioredis client"],
    ['connection', { connection: 'redis://:the-password-of-redis@h' }, 'is missing or no object'],
    ['connection', { connection: { ...connection, keyPrefix: 'shop:' } }, 'write `prefix`'],
    ['connection', { connection: { isCluster: true, duplicate: () => 0 } }, 'Redis Cluster'],
    ['connection', { connection: { duplicate: () => 0 } }, 'pass an ioredis client'],
    ['prefix', { prefix: ' ' }, "write for example 'bull'"],
    ['prefix', { prefix: 7 }, "write for example 'bull'"],
    ['accounts', { accounts: [] }, "write for example ['default']"],
    ['accounts', { accounts: [''] }, "write for example ['default']"],
    ['accounts', { accounts: 'default' }, "write for example ['default']"],
    ['worker', { worker: true }, 'write { concurrency: 5 }'],
    ['worker', { worker: 3 }, 'must be an object'],
    ['worker.concurrency', { worker: { concurrency: 0 } }, 'from 1 to 10000'],
    ['worker.lockMs', { worker: { lockMs: 99 } }, 'from 100 to'],
    ['worker.lock', { worker: { lock: 1 } }, 'did you mean `worker.lockMs`?'],
    ['retry', { retry: false }, 'must be an object'],
    ['retry.maxAttempts', { retry: { maxAttempts: 0 } }, 'from 1 to'],
    ['retry.baseDelayMs', { retry: { baseDelayMs: 0 } }, 'from 1 to'],
    ['retry.maxDelayMs', { retry: { baseDelayMs: 2, maxDelayMs: 1 } }, 'is shorter than `retry.baseDelayMs`'],
    ['retry.attempts', { retry: { attempts: 3 } }, 'does not exist'],
    ['keepFinishedMs', { keepFinishedMs: -1 }, 'from 0 to'],
    ['shutdownTimeoutMs', { shutdownTimeoutMs: 1.5 }, 'must be a whole number'],
    ['concurrency', { concurrency: 3 }, 'does not exist'],
    ['options', [], 'must be an object'],
  ])('stop the boot if `%s` is wrong: %j', (option, raw, message) => {
    const given = Array.isArray(raw) ? raw : { connection, ...(raw as object) };
    const broken = option === 'connection' ? raw : given;
    expect(() => resolve(broken)).toThrow(PaymentsConfigError);
    expect(() => resolve(broken)).toThrow(`PaymentsQueueModule option \`${option}\` `);
    expect(() => resolve(broken)).toThrow(message);
    expect(() => resolve(broken)).not.toThrow(/the-password/);
  });

  it.each(['', ' ', 'a:b', 7])('stop the boot if the queue is called %j', (name) => {
    expect(() => resolve({ connection }, name)).toThrow('option `queueName` must be a name without a colon');
  });
});
