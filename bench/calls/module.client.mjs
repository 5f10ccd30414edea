import 'reflect-metadata';
import { HttpService } from '@nestjs/axios';
import { NestFactory } from '@nestjs/core';
import {
  CollectionsService,
  DisbursementsService,
  getPaymentsToken,
  memoryStorage,
  PaymentsModule,
} from 'nestjs-payments';
import { writePayment } from '../stores/work.mjs';
import { paymentOf, payoutOf } from './request.mjs';

/**
 * The package, with its default storage.
 *
 * @param entries How many payments its journal holds before the first call, and then keeps; its own default where it is left out.
 * @param mix What it asks for, of `MIXES`.
 * @param throughAxios Whether the application has reached for axios, as one with interceptors does.
 */
export async function start({ baseUrl, mix = 'collections', throughAxios = false, entries }) {
  const app = await NestFactory.createApplicationContext(
    PaymentsModule.forRoot({
      baseUrl,
      apiKey: 'pk_test_bench',
      apiSecret: 'sk_test_bench',
      storage: await storageOf(entries),
    }),
    { logger: ['error', 'warn'] },
  );
  if (throughAxios) app.get(getPaymentsToken(HttpService)).axiosRef.getUri();
  const collections = app.get(CollectionsService);
  const disbursements = app.get(DisbursementsService);
  const ask =
    mix === 'payouts'
      ? (reference) => disbursements.bank(payoutOf(reference))
      : (reference) => collections.mobileMoney(paymentOf(reference));
  return async (reference) => {
    const payment = await ask(reference);
    if (payment.reference !== reference) throw new Error('another payment came back');
  };
}

async function storageOf(entries) {
  const storage = memoryStorage(entries === undefined ? {} : { maxEntries: entries });
  for (let index = 0; index < (entries ?? 0); index += 1) await writePayment(storage, `filled-${index}`);
  return storage;
}
