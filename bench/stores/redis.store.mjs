import { Redis } from 'ioredis';
import { redisStorage } from 'nestjs-payments/redis';

const keyPrefix = `nestjs-payments-bench-${process.pid}:`;

export function openStore({ url }) {
  const client = connect(url);
  return {
    url,
    storage: redisStorage({ client, keyPrefix }),
    async plain(reference) {
      await client.set(`${keyPrefix}${reference}`, 'running', 'PX', 60_000, 'NX');
      await client.set(`${keyPrefix}${reference}`, 'done');
    },
    connect: (address) => {
      const other = connect(address);
      return { storage: redisStorage({ client: other, keyPrefix }), close: () => other.quit() };
    },
    async close() {
      for await (const keys of client.scanStream({ match: `${keyPrefix}*`, count: 1_000 })) {
        if (keys.length > 0) await client.unlink(keys);
      }
      await client.quit();
    },
  };
}

function connect(url) {
  return new Redis(url, { maxRetriesPerRequest: 0 });
}
