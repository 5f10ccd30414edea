import { describe, expect, it, vi } from 'vitest';
import { Redis } from 'ioredis';
import { PaymentsConfigError } from 'nestjs-payments';
import {
  connectionOptions,
  producerConnection,
  workerConnection,
} from '../../../../lib/integrations/bullmq/queue-connection.js';

const error = (): never => {
  throw new Error('refused');
};

const refuse = (option: string, problem: string): PaymentsConfigError =>
  new PaymentsConfigError(`${option} ${problem}`);

describe('the connections of the queue', () => {
  it('take over the options of a client, and leave the client alone', () => {
    const client = new Redis({ host: 'redis.example', port: 7, db: 3, lazyConnect: true });
    const connect = vi.spyOn(client, 'connect');
    expect(connectionOptions(client, error)).toMatchObject({ host: 'redis.example', port: 7, db: 3 });
    expect(connect).not.toHaveBeenCalled();
    expect(client.status).toBe('wait');
  });

  it.each([
    ['a client of node-redis', { isOpen: true, options: { url: 'redis://h', socket: { host: 'h' } } }],
    ['a client of node-redis without options', { isReady: false }],
    ['the adapter of BullMQ for node-redis', { raw: {}, status: 'ready', options: { url: 'redis://h' } }],
    ['the adapter of BullMQ for another client', { status: 'ready', options: {} }],
  ])('refuse %s, which would lead to 127.0.0.1', (_, client) => {
    expect(() => connectionOptions({ ...client, duplicate: () => client }, refuse)).toThrow(
      'connection is of node-redis or of another kind: pass an ioredis client',
    );
  });

  it('refuse options of node-redis', () => {
    expect(() => connectionOptions({ socket: { host: 'h', port: 7 } }, refuse)).toThrow(
      'connection is of node-redis',
    );
  });

  it('take over a path instead of a host', () => {
    const client = new Redis({ path: '/run/redis.sock', lazyConnect: true });
    expect(connectionOptions(client, refuse)).toMatchObject({ path: '/run/redis.sock' });
  });

  it('keep every option that says where Redis is', () => {
    const given = { url: 'redis://h', tls: {}, family: 6, username: 'u' };
    expect(producerConnection(given)).toMatchObject(given);
    expect(workerConnection(given)).toMatchObject(given);
  });

  it('give up soon while storing, and never while working', () => {
    const given = { maxRetriesPerRequest: 9, enableOfflineQueue: true, commandTimeout: 5 };
    expect(producerConnection(given)).toMatchObject({ maxRetriesPerRequest: 1, enableOfflineQueue: false });
    const working = workerConnection({ ...given, enableOfflineQueue: false });
    expect(working).toMatchObject({ maxRetriesPerRequest: null, enableOfflineQueue: true });
    expect(working).not.toHaveProperty('commandTimeout');
  });

  it.each([producerConnection, workerConnection])('are made again without end, whatever was given', (of) => {
    const { retryStrategy } = of({ retryStrategy: () => null });
    expect([1, 2, 3, 1_000_000].map((times) => retryStrategy?.(times))).toEqual([100, 200, 400, 2_000]);
  });

  it.each([producerConnection, workerConnection])('leave a server that has become a replica', (of) => {
    const { reconnectOnError: decide } = of(connectionOptions(new Redis({ lazyConnect: true }), refuse)) as {
      readonly reconnectOnError?: (error: Error) => boolean;
    };
    const errors = ["READONLY You can't write against a read only replica.", 'OOM command not allowed'];
    expect(errors.map((text) => decide?.(new Error(text)))).toEqual([true, false]);
    const reconnectOnError = (): boolean => true;
    expect(of({ reconnectOnError })).toMatchObject({ reconnectOnError });
  });
});
