import { expect, it } from 'vitest';
import { redisStorage, type RedisClient } from '../../../../lib/storage/redis/index.js';

/** How many steps a search takes on each server of the cluster, which finds its account in the last of them. */
const STEPS = 3;

type Search = RedisClient['evalsha'];

/** The search on a server with one account. */
function searchFor(account: string): Search {
  return async (_sha1, _keys, cursor) => {
    await new Promise(setImmediate);
    const at = Number(cursor) + 1;
    return at === STEPS ? ['0', `nestjs-payments:{${account}:sandbox}:format`] : [String(at)];
  };
}

/** The search on a server that answers its first step alone. */
function endsAfterFirstStep(search: Search): Search {
  return (sha1, keys, cursor = '') =>
    cursor === '0' ? search(sha1, keys, cursor) : Promise.reject(new Error('Connection is closed.'));
}

/** A cluster of three servers without a list of accounts. Each server has one account. */
function cluster(searches = () => ['shop-1', 'shop-2', 'shop-3'].map(searchFor)): RedisClient {
  const listed = new Set<string>();

  const server = (search: Search): RedisClient => ({
    status: 'ready',
    info: () => Promise.resolve(''),
    eval: () => Promise.reject(new Error('not asked')),
    evalsha: search,
  });
  return {
    status: 'ready',
    info: () => Promise.resolve(''),
    nodes: () => searches().map(server),
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

it('every account is found although a server left the cluster in the middle of a search', async () => {
  const searches = ['shop-1', 'shop-2', 'shop-3'].map(searchFor);
  const [first, ended, last] = searches as [Search, Search, Search];
  let servers = [first, endsAfterFirstStep(ended), last];
  const { journal } = redisStorage({ client: cluster(() => servers) });
  await expect(journal.accounts({ limit: 10 })).rejects.toThrow('Redis did not carry out an operation');
  servers = searches;
  const { accounts } = await journal.accounts({ limit: 10 });
  expect(accounts.map(({ account }) => account)).toEqual(['shop-1', 'shop-2', 'shop-3']);
});

it('a search on a single server continues where an error left it', async () => {
  const search = searchFor('shop-1');
  const { nodes: _, ...client } = cluster();
  const cursors: string[] = [];
  let isLost = true;
  const runScript = client.eval.bind(client);
  client.eval = (source, keys, ...args) => {
    if (!source.includes("'SCAN'")) return runScript(source, keys, ...args);
    const [cursor = ''] = args;
    cursors.push(cursor);
    if (cursor !== '2' || !isLost) return search('', keys, cursor);
    isLost = false;
    return Promise.reject(new Error('Connection is closed.'));
  };
  const { journal } = redisStorage({ client });
  await expect(journal.accounts({ limit: 10 })).rejects.toThrow('Redis did not carry out an operation');
  const { accounts } = await journal.accounts({ limit: 10 });
  expect(accounts).toEqual([{ account: 'shop-1', environment: 'sandbox' }]);
  expect(cursors).toEqual(['0', '1', '2', '2']);
});
