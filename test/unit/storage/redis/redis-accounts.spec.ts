import { expect, it } from 'vitest';
import { redisStorage, type RedisClient } from '../../../../lib/storage/redis/index.js';

/** How many steps a search takes on each server of the cluster, which finds its account in the last of them. */
const STEPS = 3;

/** A cluster of three servers without a list of accounts. Each server has one account. */
function cluster(): RedisClient {
  const listed = new Set<string>();

  const server = (account: string): RedisClient => ({
    status: 'ready',
    info: () => Promise.resolve(''),
    eval: () => Promise.reject(new Error('not asked')),
    evalsha: async (_sha1, _keys, cursor) => {
      await new Promise(setImmediate);
      const at = Number(cursor) + 1;
      return at === STEPS ? ['0', `nestjs-payments:{${account}:sandbox}:format`] : [String(at)];
    },
  });
  return {
    status: 'ready',
    info: () => Promise.resolve(''),
    nodes: () => ['shop-1', 'shop-2', 'shop-3'].map(server),
    evalsha: () => Promise.reject(Object.assign(new Error('NOSCRIPT none'), { name: 'ReplyError' })),
    eval: (source, _keys, key, ...names) => {
      if (source.includes('ZRANGEBYLEX')) return Promise.resolve([...listed].sort());
      if (!source.includes('ZADD')) return Promise.resolve(key);
      for (const name of names) listed.add(name);
      return Promise.resolve(1);
    },
  };
}

it.each([1, 2, 5])('every account is found if %i pages are read at once', async (pages) => {
  const { journal, inbox } = redisStorage({ client: cluster() });
  await Promise.all(
    Array.from({ length: pages }, async (_, index) => {
      for (let turn = 0; turn < index; turn += 1) await new Promise(setImmediate);
      return (index % 2 === 0 ? journal : inbox).accounts({ limit: 10 });
    }),
  );
  const { accounts } = await journal.accounts({ limit: 10 });
  expect(accounts.map(({ account }) => account)).toEqual(['shop-1', 'shop-2', 'shop-3']);
});
