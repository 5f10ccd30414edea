// Starts the built application with plain node against the emulator, lets a customer pay, and stops it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';

const phone = '255712345678';
const sandbox = await PaymentsSandbox.start();
const { baseUrl, apiKey, apiSecret } = sandbox.moduleOptions();
const application = spawn(process.execPath, ['dist/main'], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: {
    ...process.env,
    NODE_ENV: 'production',
    PORT: '0',
    PAYMENTS_BASE_URL: baseUrl,
    PAYMENTS_API_KEY: apiKey,
    PAYMENTS_API_SECRET: apiSecret,
    PAYMENTS_WEBHOOK_SECRET: sandbox.webhookSecret,
  },
});
const ended = once(application, 'exit');
try {
  const address = await listening(application);
  sandbox.deliverTo(`${address}/webhooks/payments`);
  const asked = await fetch(`${address}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      reference: 'order-1',
      amount: '1180.50',
      phone,
      customer_name: 'Asha Mushi',
      customer_email: 'asha@example.com',
    }),
  });
  assert.equal(asked.status, 201, await asked.text());
  const express = asked.headers.get('x-powered-by') === 'Express';
  assert.equal(express ? 'express' : 'fastify', process.env.HTTP_ADAPTER);
  assert.equal(process.versions.node.split('.')[0], process.env.NODE_MAJOR);
  await sandbox.customer(phone).approve('order-1');
  const order = await (await fetch(`${address}/orders/order-1`)).json();
  assert.equal(order.timesPaid, 1);
} finally {
  application.kill('SIGTERM');
  await ended;
  await sandbox.stop();
}
const [code, signal] = await ended;
assert.ok(code === 0 || signal === 'SIGTERM', `The application ended with ${signal ?? code}.`);

/** Resolves to the address that the application prints, rejects with what it printed if it ended before. */
function listening({ stdout }) {
  return new Promise((resolve, reject) => {
    let printed = '';
    stdout.setEncoding('utf8');
    stdout.on('data', (text) => {
      printed += text;
      const address = /Listening on (http:\/\/\S+)/.exec(printed)?.[1];
      if (address !== undefined) resolve(address);
    });
    stdout.once('end', () => reject(new Error(`The application did not start:\n${printed}`)));
  });
}
