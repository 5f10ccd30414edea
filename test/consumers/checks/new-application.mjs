// Boots what `init` set up with the keys of .env, lets a customer pay, and sees that the webhook is taken.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import { CollectionsService } from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';

const phone = '255712345678';
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

const { AppModule } = await import('../dist/app.module.js'); // reads .env
const application = await NestFactory.create(AppModule, { logger: ['error'], abortOnError: false });
try {
  await application.listen(0, '127.0.0.1');
  sandbox.deliverTo(`${await application.getUrl()}/webhooks/payments`);
  await application.get(CollectionsService, { strict: false }).mobileMoney({
    reference: 'order-1',
    amount: '1180.50',
    phone,
    customer_name: 'Asha Mushi',
    customer_email: 'asha@example.com',
  });
  await sandbox.customer(phone).approve('order-1');
  const answers = sandbox.deliveries().flatMap(({ attempts }) => attempts.map(({ status }) => status));
  assert.deepEqual(answers, [200]);
} finally {
  await application.close();
  await sandbox.stop();
}
