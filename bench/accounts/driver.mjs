// Makes calls for accounts that a resolver knows.
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { hmac, memoryStorage, PaymentsAccounts, PaymentsModule } from 'nestjs-payments';
import { paymentOf } from '../calls/request.mjs';

const DAY_MS = 86_400_000;
const AT_ONCE = 50;
/** So that no two processes ask for the same payment. */
const run = `${process.pid}-${Date.now().toString(36)}`;

/** @param accounts How many accounts the calls go to, in turn. */
export default async function open({ baseUrl, accounts }) {
  let resolutions = 0;
  const app = await NestFactory.createApplicationContext(
    PaymentsModule.forRoot({
      baseUrl,
      storage: memoryStorage(),
      webhooks: {
        scheme: hmac({ header: 'x-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] }),
        retentionDays: Infinity,
        expectRoute: false,
      },
      accounts: {
        cacheMs: DAY_MS,
        resolve: async (account) => {
          resolutions += 1;
          return {
            apiKey: `pk_test_${account}`,
            apiSecret: `sk_test_${account}`,
            webhooks: { secrets: [`a-secret-of-the-account-${account}`] },
          };
        },
      },
    }),
    { logger: ['error', 'warn'] },
  );
  const payments = app.get(PaymentsAccounts);
  let made = 0;
  const pay = async (account) => {
    const reference = `bench-${run}-${(made += 1)}`;
    const payment = await payments.for(account).collections.mobileMoney(paymentOf(reference));
    if (payment.reference !== reference) throw new Error('another payment came back');
  };
  return {
    /** This many payments, so many at once. */
    many: (calls, concurrency) => times(calls, concurrency, () => pay(`merchant-${made % accounts}`)),
    /**
     * Makes two calls at once for each account, which is cold, and leaves all of them idle.
     *
     * @returns What one holds in kB, and how often the resolver was asked for one.
     */
    async idle() {
      await times(AT_ONCE, AT_ONCE, () => pay('warm-up'));
      const before = heapKb();
      resolutions = 0;
      let next = 0;
      await times(accounts, AT_ONCE, async () => {
        const { wallet } = payments.for(`cold-${(next += 1)}`);
        await Promise.all([wallet.balance(), wallet.balance()]);
      });
      return { kb: (heapKb() - before) / accounts, resolutions: resolutions / accounts };
    },
  };
}

async function times(calls, concurrency, call) {
  let left = calls;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
}

function heapKb() {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed / 1_024;
}
