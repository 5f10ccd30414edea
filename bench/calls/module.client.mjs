import 'reflect-metadata';
import { HttpService } from '@nestjs/axios';
import { NestFactory } from '@nestjs/core';
import { CollectionsService, getPaymentsToken, PaymentsModule } from 'nestjs-payments';
import { paymentOf } from './request.mjs';

/**
 * The package, with its default storage.
 *
 * @param direct Whether the adapter below axios is called without axios: what one more path would gain.
 */
export async function start({ baseUrl, direct = false }) {
  const app = await NestFactory.createApplicationContext(
    PaymentsModule.forRoot({ baseUrl, apiKey: 'pk_test_bench', apiSecret: 'sk_test_bench' }),
    { logger: ['error', 'warn'] },
  );
  if (direct) passAxiosBy(app.get(getPaymentsToken(HttpService)).axiosRef);
  const collections = app.get(CollectionsService);
  return async (reference) => {
    const payment = await collections.mobileMoney(paymentOf(reference));
    if (payment.reference !== reference) throw new Error('another payment came back');
  };
}

function passAxiosBy(axios) {
  const { adapter } = axios.defaults;
  axios.request = (config) => adapter({ ...config, headers: { toJSON: () => config.headers } });
}
