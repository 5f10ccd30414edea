// Boots what the skill's blocks make as `main.ts` does, with the keys of .env: a customer pays, a lost answer stays open, a
// declined order is paid once by its next payment, a supplier is paid once and under the right name only.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';

const phone = '255712345678';
const customer = { phone: '0712 345 678', name: 'Asha Mushi', email: 'asha@example.com' };
const supplier = { amount: '25000', bank: 'BSB', account: '0150234567801' };

const sandbox = await PaymentsSandbox.start();
const { baseUrl, apiKey, apiSecret } = sandbox.moduleOptions();
const variables = {
  PAYMENTS_BASE_URL: baseUrl,
  PAYMENTS_API_KEY: apiKey,
  PAYMENTS_API_SECRET: apiSecret,
  PAYMENTS_WEBHOOK_SECRET: sandbox.webhookSecret,
};
const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
writeFileSync('.env', lines.join(''));

await startsAndStops();
const { AppModule } = await import('../dist/app.module.js'); // reads .env
const { OrdersService } = await import('../dist/orders.service.js');
const { SuppliersService } = await import('../dist/suppliers.service.js');
const app = await NestFactory.create(AppModule, { logger: ['error'], abortOnError: false });
try {
  await app.listen(0, '127.0.0.1');
  sandbox.deliverTo(`${await app.getUrl()}/webhooks/payments`);
  const orders = app.get(OrdersService);
  const stateOf = (id) => orders.orders.get(id).state;
  for (const id of ['order-1', 'order-2', 'order-3'])
    orders.orders.set(id, { id, amount: '1180.50', paymentNumber: 1, state: 'placed' });

  await orders.pay('order-1', customer);
  assert.equal(stateOf('order-1'), 'waiting');
  await sandbox.customer(phone).approve('order-1');
  assert.equal(stateOf('order-1'), 'paid');

  sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
  await orders.pay('order-2', customer);
  await sandbox.customer(phone).approve('order-2');
  assert.equal(stateOf('order-2'), 'paid');

  await orders.pay('order-3', customer);
  await sandbox.customer(phone).decline('order-3');
  assert.equal(stateOf('order-3'), 'not-paid');
  await Promise.all([orders.pay('order-3', customer), orders.pay('order-3', customer)]);
  await sandbox.customer(phone).approve('order-3-2');
  assert.equal(stateOf('order-3'), 'paid');
  await orders.pay('order-3', customer);
  const asked = sandbox.payments().map(({ reference, status }) => `${reference} ${status}`);
  assert.deepEqual(asked.filter((payment) => payment.startsWith('order-3')).sort(), [
    'order-3 failed',
    'order-3-2 success',
  ]);

  const suppliers = app.get(SuppliersService);
  const invoice = { id: 'invoice-1', holder: 'Neema Massawe', ...supplier };
  sandbox.directory.register(supplier.account, 'Somebody Else');
  await assert.rejects(suppliers.pay(invoice), /another name/);
  assert.deepEqual(sandbox.payouts(), []);
  sandbox.directory.register(supplier.account, invoice.holder);
  await Promise.all([suppliers.pay(invoice), suppliers.pay(invoice)]);
  assert.deepEqual(
    sandbox.payouts().map(({ reference, amount }) => [reference, amount]),
    [['invoice-1', '25000.00']],
  );
} finally {
  await app.close();
  await sandbox.stop();
}

/** `main.ts` listens, and ends by itself at SIGTERM. */
async function startsAndStops() {
  const main = spawn(process.execPath, ['dist/main.js'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PORT: '0' },
  });
  const ended = once(main, 'exit');
  for await (const printed of main.stdout) {
    if (`${printed}`.includes('successfully started')) main.kill('SIGTERM');
  }
  const [code, signal] = await ended;
  assert.ok(code === 0 || signal === 'SIGTERM', `main.ts ended with ${signal ?? code}.`);
}
