import 'reflect-metadata';
import { HttpService } from '@nestjs/axios';
import { NestFactory } from '@nestjs/core';
import { CollectionsService, getPaymentsToken, memoryStorage, PaymentsModule } from 'nestjs-payments';
import { writePayment } from '../stores/work.mjs';
import { paymentOf } from './request.mjs';

/**
 * The package, with its default storage.
 *
 * @param entries How many payments its journal holds before the first call, and then keeps; its own default where it is left out.
 * @param throughAxios Whether the application has reached for axios, as one with interceptors does.
 */
export async function start({ baseUrl, throughAxios = false, entries }) {
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
  return async (reference) => {
    const payment = await collections.mobileMoney(paymentOf(reference));
    if (payment.reference !== reference) throw new Error('another payment came back');
  };
}

async function storageOf(entries) {
  const storage = memoryStorage(entries === undefined ? {} : { maxEntries: entries });
  for (let index = 0; index < (entries ?? 0); index += 1) await writePayment(storage, `filled-${index}`);
  return storage;
}
