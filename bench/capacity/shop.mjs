// One process of a shop: it makes payments, hears their webhooks, and purges both.
import { startShop } from '../throughput/payments.mjs';
import { openStorage } from '../throughput/storages/postgres.mjs';
import { underLoad } from '../throughput/under-load.mjs';
import { start as startReceiver } from '../webhooks/module.receiver.mjs';

const SCOPE = { account: 'default', environment: 'sandbox' };
const run = `${process.pid}-${Date.now().toString(36)}`;

/** @param options `baseUrl` of the gateway, `url` of the database and `poolSize`. */
export default async function open({ baseUrl, ...options }) {
  const opened = await openStorage(options);
  const { storage } = opened;
  const late = { written: 0 };
  const { app, pay } = await startShop(storage, baseUrl, late);
  const receiver = await startReceiver({ adapter: 'express', storage });
  let made = 0;
  return {
    port: () => receiver.port,
    /** So many payments, so many at once: their references, and how it went. */
    async pay(times, concurrency) {
      const references = Array.from({ length: times }, () => `bench-${run}-${(made += 1)}`);
      const result = await underLoad(times, concurrency, (index) => pay(references[index]));
      return { ...result, references };
    },
    /** Forgets all payments that are settled, and their webhooks; how many payments. Tombstones stay. */
    async purge() {
      const forgotten = await all(() => storage.journal.purge(SCOPE, 'settled', 0));
      await all(() => storage.inbox.purge(SCOPE, 0));
      return forgotten;
    },
    async close() {
      await app.close();
      await opened.close();
    },
  };
}

/** Does it again until nothing is left. */
async function all(purge) {
  let sum = 0;
  for (let gone = await purge(); gone > 0; gone = await purge()) sum += gone;
  return sum;
}
