// Uses one storage through its port, as calls and webhooks do.
import { performance } from 'node:perf_hooks';
import { countRoundTrips } from './round-trips.mjs';
import { handleWebhook, writePayment } from './work.mjs';

const run = `${process.pid}-${Date.now().toString(36)}`;

export default async function open({ store, ...options }) {
  const { openStore } = await import(`./${store}.store.mjs`);
  const opened = await openStore(options);
  let made = 0;
  const next = () => `bench-${run}-${(made += 1)}`;
  const handle = (storage) => handleWebhook(storage, next());
  return {
    fill: (entries) => opened.fill(entries, { insert: writePayment, handle: handleWebhook }),
    /** Payments written down and answered; resolves to how long each took, in microseconds. */
    payments: (times) => timed(times, () => writePayment(opened.storage, next())),
    /** Webhooks claimed and finished. */
    webhooks: (times) => timed(times, () => handle(opened.storage)),
    /** The plain commands of the same driver: one to take, one to finish. */
    plain: (times) => timed(times, () => opened.plain(next())),
    roundTrips: (times) =>
      countRoundTrips(opened.url, times, async (url) => {
        const { storage, close } = await opened.connect(url);
        await handle(storage);
        return { work: () => handle(storage), close };
      }),
    close: async () => opened.close?.(),
  };
}

async function timed(times, work) {
  const tookUs = [];
  for (let index = 0; index < times; index += 1) {
    const startedAt = performance.now();
    await work();
    tookUs.push((performance.now() - startedAt) * 1_000);
  }
  return tookUs;
}
