// Uses one storage through its port, as calls and webhooks do.
import { performance } from 'node:perf_hooks';
import { countRoundTrips } from './round-trips.mjs';

const LEASE_MS = 60_000;
const SCOPE = { account: 'default', environment: 'sandbox' };
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
    close: () => opened.close(),
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

async function handleWebhook({ inbox }, reference) {
  const key = { ...SCOPE, kind: 'outcome', reference };
  const { claim } = await inbox.claim(
    { key, event: 'payment.success', fingerprint: `f-${reference}`, replaces: [] },
    LEASE_MS,
  );
  if (!(await claim.finish())) throw new Error(`The claim of ${reference} was lost.`);
}

async function writePayment({ journal }, reference) {
  const key = { ...SCOPE, family: 'collection', reference };
  await journal.get(key);
  const record = {
    ...key,
    operation: 'collection.mobile-money',
    amount: '1180.50',
    currency: 'TZS',
    attempt: 1,
    idempotencyKey: `k-${reference}`,
    intent: `i-${reference}`,
    bodyHash: `1:${reference}`,
    state: 'in-flight',
  };
  const intent = { ...record, body: '{"amount":1180.5}', probe: 'after-silence' };
  const { stored } = await journal.insert(intent, LEASE_MS);
  const answered = { ...record, state: 'accepted', answer: '{"status":"pending"}' };
  await journal.replace(stored.version, answered, 0);
}
