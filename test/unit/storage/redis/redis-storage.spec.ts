import { Cluster, Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { PaymentsConfigError } from '../../../../lib/errors/payments-errors.js';
import { redisStorage, type RedisStorageOptions } from '../../../../lib/storage/redis/index.js';

const client = { evalsha: () => {} };
const NEITHER = 'redisStorage() takes a client or a url: write { client } or { url }.';
const NO_URL =
  'The option url of redisStorage() is not an address of Redis: write redis://host:6379, and encode special characters of a ' +
  'password, a slash as %2F: encodeURIComponent(password).';
const NO_CLIENT = 'The option client of redisStorage() is not a client of ioredis: write new Redis(url).';
const NO_PREFIX =
  "The option keyPrefix of redisStorage() must be a text without braces, because the package adds the cluster's hash " +
  "tag itself: write 'shop:'.";

describe('redisStorage()', () => {
  it.each([
    ['neither a client nor a url', {}, NEITHER],
    ['a client and a url', { client, url: 'redis://127.0.0.1' }, NEITHER],
    ['a client that is null', { client: null }, NO_CLIENT],
    ['a client without evalsha', { client: {} }, NO_CLIENT],
    ['an address as the client', { client: 'redis://127.0.0.1' }, NO_CLIENT],
    ['an empty url', { url: '' }, NO_URL],
    ['a url of another protocol', { url: 'http://user:correct-horse@127.0.0.1' }, NO_URL],
    ['a url within a text', { url: 'see redis://user:correct-horse@127.0.0.1' }, NO_URL],
    ['a url without a host', { url: 'redis://' }, NO_URL],
    ['a url with a slash in its password', { url: 'redis://:correct/horse==@127.0.0.1:6379/0' }, NO_URL],
    [
      'a url with a question mark in its password',
      { url: 'redis://:correct?horse@127.0.0.1:6379/0' },
      NO_URL,
    ],
    ['a url with a port that is none', { url: 'redis://:correct-horse@127.0.0.1:99999/0' }, NO_URL],
    ['a url that is an object', { url: new URL('redis://user:correct-horse@127.0.0.1') }, NO_URL],
    ['a key prefix with braces', { client, keyPrefix: '{shop}:' }, NO_PREFIX],
    ['a key prefix that is a number', { client, keyPrefix: 7 }, NO_PREFIX],
  ])('refuses %s, and says what to write', (_, options, message) => {
    const make = (): unknown => redisStorage(options as unknown as RedisStorageOptions);
    expect(make).toThrow(new PaymentsConfigError(message));
  });

  it.each([
    { url: 'redis://127.0.0.1' },
    { url: 'rediss://127.0.0.1' },
    { client },
    { client, keyPrefix: '' },
    { client, keyPrefix: 'shop:' },
  ])('takes %j', (options) => {
    expect(() => redisStorage(options as unknown as RedisStorageOptions)).not.toThrow();
  });

  it('tells its name, whether it made the client or got it', async () => {
    expect(redisStorage({ client: client as never }).name).toBe('redis');
    const own = redisStorage({ url: 'redis://127.0.0.1:1' });
    expect(own.name).toBe('redis');
    await own.close?.();
  });

  it.each<[string, object, string | undefined]>([
    ['the recommended options', { maxRetriesPerRequest: 0, socketTimeout: 5_000 }, undefined],
    ['no limit for an answer', { maxRetriesPerRequest: 0 }, 'a client without a socketTimeout:'],
    ['retries', { socketTimeout: 5_000 }, 'a client without maxRetriesPerRequest: 0:'],
    ['no end of retries', { socketTimeout: 5_000, maxRetriesPerRequest: null }, 'maxRetriesPerRequest: 0:'],
    [
      "only ioredis' own options",
      {},
      'a client without maxRetriesPerRequest: 0 and without a socketTimeout:',
    ],
  ])('knows what the application should change about a client with %s', (_what, options, warning) => {
    const given = new Redis({ ...options, lazyConnect: true });
    const { warnings } = redisStorage({ client: given });
    expect(warnings).toEqual(warning === undefined ? [] : [expect.stringContaining(warning)]);
  });

  it('suggests a client with everything that the documents ask for', () => {
    const { warnings } = redisStorage({ client: new Redis({ lazyConnect: true }) });
    expect(warnings?.join()).toContain(
      'Write new Redis(url, { maxRetriesPerRequest: 0, socketTimeout: 5_000, ' +
        "reconnectOnError: (error) => error.message.includes('READONLY') }).",
    );
  });

  it.each([
    ['a cluster', new Cluster([], { lazyConnect: true })],
    ['something that has no options', client as never],
  ])('warns of nothing about %s', (_what, given) => {
    expect(redisStorage({ client: given }).warnings).toEqual([]);
  });

  it('closes only a client of its own', async () => {
    expect(redisStorage({ client: client as never })).not.toHaveProperty('close');
    // Nothing was asked, so nothing was opened.
    await redisStorage({ url: 'redis://127.0.0.1:1' }).close?.();
  });
});
