// The emulator's handle.
import { PaymentsModule, type PaymentsModuleOptions } from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
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
  ];
}
