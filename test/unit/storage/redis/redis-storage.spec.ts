import { describe, expect, it } from 'vitest';
import { PaymentsConfigError } from '../../../../lib/errors/payments-errors.js';
import { redisStorage, type RedisStorageOptions } from '../../../../lib/storage/redis/index.js';

const client = { evalsha: () => {} };

describe('redisStorage()', () => {
  it.each([
    [{}, 'a client or a url'],
    [{ client, url: 'redis://127.0.0.1' }, 'a client or a url'],
    [{ client: null }, 'option client'],
    [{ client: {} }, 'option client'],
    [{ client: 'redis://127.0.0.1' }, 'option client'],
    [{ url: '' }, 'option url'],
    [{ url: 'http://user:correct-horse@127.0.0.1' }, 'option url'],
    [{ url: 'see redis://user:correct-horse@127.0.0.1' }, 'option url'],
    [{ url: 'redis://' }, 'option url'],
    [{ client, keyPrefix: '{shop}:' }, 'option keyPrefix'],
    [{ client, keyPrefix: 7 }, 'option keyPrefix'],
  ])('names what is wrong with its options (%#)', (options, problem) => {
    const make = (): unknown => redisStorage(options as unknown as RedisStorageOptions);
    expect(make).toThrow(PaymentsConfigError);
    expect(make).toThrow(problem);
    expect(make).not.toThrow('correct-horse');
  });

  it('tells its name, whoever made the client', async () => {
    expect(redisStorage({ client: client as never }).name).toBe('redis');
    const own = redisStorage({ url: 'redis://127.0.0.1:1' });
    expect(own.name).toBe('redis');
    await own.close?.();
  });

  it('closes only a client of its own', async () => {
    expect(redisStorage({ client: client as never })).not.toHaveProperty('close');
    // Nothing was asked, so nothing was opened.
    await redisStorage({ url: 'redis://127.0.0.1:1' }).close?.();
  });
});
