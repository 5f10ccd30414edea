import { afterEach, beforeEach, expect, it } from 'vitest';
import { memoryStorage, PaymentsAccounts, type PaymentsAccount } from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { collectionRequest } from '../../support/gateway-answers.js';
import {
  addMerchant,
  deliverTo,
  type Marketplace,
  secretOf,
  startMarketplace,
} from '../../support/marketplace-app.js';
import { keysOf } from '../../support/merchants.js';
import { startSandbox } from '../../support/sandbox.js';

let sandbox: PaymentsSandbox;
let place: Marketplace;
let shop: PaymentsAccount;

beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', seed: 1 });
  const { baseUrl } = sandbox.moduleOptions();
  place = await startMarketplace('express', { baseUrl, storage: memoryStorage() });
  shop = place.app.get(PaymentsAccounts).for('shop');
});
afterEach(async () => {
  await place.app.close();
  await sandbox.stop();
});

const pay = (reference: string): Promise<unknown> =>
  shop.collections.mobileMoney({ ...collectionRequest, reference });
const endSecret = (account: string): void => {
  const secrets = [{ value: secretOf(account), notAfter: '2020-01-01' }];
  place.merchants.rows.set(account, { ...keysOf(account), webhooks: { secrets } });
  place.app.get(PaymentsAccounts).forget(account);
};
const errors = (): string[] => place.logs.of('error').filter((line) => line.includes('PaymentsAccounts'));

it('an account whose last webhook secret ends while the application runs pays, reads and recovers as before', async () => {
  await pay('order-1');
  endSecret('shop');
  await pay('order-2');
  expect(await shop.wallet.balance()).toHaveProperty('available_balance');
  const report = await place.app.get(PaymentsAccounts).all.journal.recover();
  expect(report).toMatchObject({ accounts: 1, skipped: [] });
  expect(sandbox.merchant('shop').payments()).toHaveLength(2);
});

it('its webhooks are refused like forged ones until resolve returns the current secret', async () => {
  expect((await deliverTo(place.port, 'shop')).status).toBe(200);
  endSecret('shop');
  const refused = await deliverTo(place.port, 'shop', { reference: 'order-2' });
  const forged = await deliverTo(place.port, 'school', { signedFor: 'shop' });
  expect(refused.status).toBe(401);
  expect(refused.text).toBe(forged.text);
  expect((await deliverTo(place.port, 'school')).status).toBe(200);
  addMerchant(place.merchants, 'shop', ['the-next-secret-of-the-shop']);
  place.app.get(PaymentsAccounts).forget('shop');
  const delivery = { reference: 'order-2', secret: 'the-next-secret-of-the-shop' };
  expect((await deliverTo(place.port, 'shop', delivery)).status).toBe(200);
  expect(place.sales.all).toEqual(['shop order-1', 'school order-1', 'shop order-2']);
});

it('the log names it and says what to do, once a minute', async () => {
  for (const account of ['shop', 'school', 'shop']) {
    endSecret(account);
    await deliverTo(place.port, account);
  }
  expect(errors()).toEqual([
    expect.stringContaining(
      "Webhooks of the account 'shop' are answered 401, because the `notAfter` of each of its secrets has passed: return " +
        'the current one in webhooks.secrets of accounts.resolve, and call PaymentsAccounts.forget() with its name.',
    ),
  ]);
});
