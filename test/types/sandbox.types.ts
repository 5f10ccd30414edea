// The emulator's handle.
import { PaymentsModule, type PaymentsModuleOptions } from 'nestjs-payments';
import { PaymentsSandbox, type SandboxMatchers } from 'nestjs-payments/sandbox';
import { type Equal, type Expect } from './expect.js';

export type Checks = [
  Expect<Equal<ReturnType<PaymentsSandbox['moduleOptions']>, PaymentsModuleOptions>>,
  Expect<Equal<Awaited<ReturnType<PaymentsSandbox['stop']>>, void>>,
];

export async function play(): Promise<unknown> {
  const sandbox = await PaymentsSandbox.start({ clock: 'manual', seed: 1 });
  PaymentsModule.forRoot(sandbox.moduleOptions());
  PaymentsModule.forRoot({ ...sandbox.moduleOptions(), isGlobal: true });
  sandbox.deliverTo('http://127.0.0.1:3000/webhooks/payments');
  const customer = sandbox.customer('255712345678');
  await customer.approve('order-1');
  await customer.decline('order-2');
  await customer.cancel('order-3');
  await customer.expire('order-4');
  await sandbox.payout('salary-1').pay();
  await sandbox.payout('salary-2').fail();
  await sandbox.payout('salary-3').cancel();
  const call = () => sandbox.next('POST /payments/mobile-money');
  call().dropAfterProcessing();
  call().dropBefore();
  call().status(429, { retryAfter: 2 });
  call().malformedJson();
  call().html(502);
  call().delay(500);
  call().hang();
  sandbox.next('GET /merchant-balance').status(503).times(2);
  sandbox.next('GET /merchant-balance').times(2).status(503).probability(0.5);
  call().reset();
  call().partialBody();
  call().drip('10ms');
  call().html(504, { afterProcessing: true });
  call().hang().probability(0.2).times(3);
  sandbox.next('POST /disbursements/bank', { reference: 'salary-1', merchant: 'shop' }).dropBefore();
  const shop = sandbox.merchant('shop');
  PaymentsModule.forRoot(shop.moduleOptions());
  shop.deliverTo('http://127.0.0.1:3000/webhooks/payments');
  await shop.customer('255712345678').approve('order-1');
  shop.next('GET /merchant-balance', { reference: 'order-1' }).delay('2s');
  await shop.reset();
  await PaymentsSandbox.start({ profile: 'adversarial', seed: 42 });
  const matchers = {} as SandboxMatchers;
  matchers.toHaveCollection('order-1', { status: 'success' });
  matchers.toHaveReceived('POST /payments/mobile-money', { times: 1, body: { reference: 'order-1' } });
  // @ts-expect-error -- no such field
  matchers.toHaveCollection('order-1', { state: 'success' });
  // @ts-expect-error -- no such profile
  await PaymentsSandbox.start({ profile: 'friendly' });
  for (const span of ['15m', '90s', '6h', 250] as const) await sandbox.clock.advance(span);
  // @ts-expect-error -- no such operation
  sandbox.next('POST /payments/card');
  // @ts-expect-error -- a month has no length
  await sandbox.clock.advance('1M');
  await sandbox.reset();
  await sandbox.stop();
  return [
    sandbox.payments().length,
    sandbox.payouts().length,
    sandbox.requests().length,
    sandbox.deliveries().length,
    sandbox.balance().available_balance,
    sandbox.explain('order-1').length + shop.explain('order-1').length,
  ];
}
