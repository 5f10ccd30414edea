// Makes calls with one of the clients beside this file.
import { performance } from 'node:perf_hooks';

/** So that no two processes ask for the same payment. */
const run = `${process.pid}-${Date.now().toString(36)}`;

export default async function open({ client, ...options }) {
  const { start } = await import(`./${client}.client.mjs`);
  const call = await start(options);
  let made = 0;
  const next = () => call(`bench-${run}-${(made += 1)}`);
  return {
    /** This many calls, so many at once. */
    async many(calls, concurrency) {
      const last = made + calls;
      const caller = async () => {
        while (made < last) await next();
      };
      await Promise.all(Array.from({ length: concurrency }, caller));
    },
    /** One call after the other; resolves to how long each took, in microseconds. */
    async oneByOne(calls) {
      const tookUs = [];
      for (let index = 0; index < calls; index += 1) {
        const startedAt = performance.now();
        await next();
        tookUs.push((performance.now() - startedAt) * 1_000);
      }
      return tookUs;
    },
    heapMb() {
      globalThis.gc();
      globalThis.gc();
      return process.memoryUsage().heapUsed / 1_048_576;
    },
  };
}
