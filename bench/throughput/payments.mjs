// Makes payments as an application does, and the same statements and requests by hand.
import 'reflect-metadata';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { NestFactory } from '@nestjs/core';
import { CollectionsService, PaymentsModule } from 'nestjs-payments';
import { paymentOf } from '../calls/request.mjs';
import { start as startBare } from '../calls/undici.client.mjs';
import { checkPayment } from './check.mjs';
import { countOf, replayOf } from './program.mjs';
import { LATE, underLoad } from './under-load.mjs';

/** So many payments before the sample: checks and compilations are over, and the server's numbers are like no others. */
const BEFORE_SAMPLE = 20;
/** So that no two processes ask for the same payment. */
const run = `${process.pid}-${Date.now().toString(36)}`;

export default async function open({ file, baseUrl, ...options }) {
  const { openStorage } = await import(`./storages/${file}.mjs`);
  const opened = await openStorage(options);
  const late = { written: 0 };
  const { app, pay } = await startShop(opened.storage, baseUrl, late);
  const bare = startBare({ baseUrl });
  const steps = opened.record ? await sampleOf(opened.record(), baseUrl) : [];
  const replay = opened.target && replayOf(steps, sampleName(), opened.target);
  if (replay) {
    await replay(`bench-check-${run}`, bare);
    await checkPayment(opened.storage, `bench-check-${run}`, 'accepted');
  }
  const subjects = { package: pay, floor: replay && ((reference) => replay(reference, bare)), bare };
  let made = 0;
  return {
    /** So many payments, so many at once, with one of the subjects. */
    async many(subject, times, concurrency) {
      late.written = 0;
      const result = await underLoad(times, concurrency, () =>
        subjects[subject](`bench-${run}-${(made += 1)}`),
      );
      if (late.written > 0) result.failures[LATE] = late.written;
      return result;
    },
    statements: () => countOf(steps),
    clear: async () => void (await opened.clear()),
    async close() {
      await app.close();
      await opened.close();
    },
  };
}

/** An application that makes payments. @param late Counts the results that the journal did not take in time: their payments succeed anyway. */
export async function startShop(storage, baseUrl, late) {
  const warn = (message, ...more) => {
    if (/could not be written .* in time/.test(message)) late.written += 1;
    else console.warn(message, ...more);
  };
  const app = await NestFactory.createApplicationContext(
    PaymentsModule.forRoot({ baseUrl, apiKey: 'pk_test_bench', apiSecret: 'sk_test_bench', storage }),
    { logger: { log() {}, warn, error: console.error } },
  );
  const collections = app.get(CollectionsService);
  const pay = async (reference) => {
    const payment = await collections.mobileMoney(paymentOf(reference));
    if (payment.reference !== reference) throw new Error('another payment came back');
  };
  return { app, pay };
}

function sampleName() {
  return `bench-sample-${run}`;
}

/** What the package sends for one payment. */
async function sampleOf({ recorder, storage, close }, baseUrl) {
  const { app, pay } = await startShop(storage, baseUrl, { written: 0 });
  for (let index = 0; index < BEFORE_SAMPLE; index += 1) await pay(`bench-before-${run}-${index}`);
  recorder.take();
  let request;
  const channels = {
    'undici:request:create': () => (request = recorder.enter('beside')),
    'undici:request:trailers': () => recorder.leave(request),
  };
  for (const [channel, heard] of Object.entries(channels)) subscribe(channel, heard);
  await pay(sampleName());
  for (const [channel, heard] of Object.entries(channels)) unsubscribe(channel, heard);
  const steps = recorder.take();
  await app.close();
  await close();
  if (steps.filter(({ beside }) => beside).length !== 1) throw new Error('The sample has not one request.');
  return steps;
}
