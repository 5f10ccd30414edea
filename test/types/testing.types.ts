// The testing kit.
import { type DynamicModule } from '@nestjs/common';
import { type TestingModule } from '@nestjs/testing';
import { memoryStorage, standardWebhooks } from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { type PaymentsTestingOptions, PaymentsTestingModule } from 'nestjs-payments/testing';
import { type Equal, type Expect } from './expect.js';

declare const module: TestingModule;
const sandbox = module.get(PaymentsSandbox);

export type Checks = [
  Expect<Equal<ReturnType<(typeof PaymentsTestingModule)['forRoot']>, DynamicModule>>,
  Expect<Equal<typeof sandbox, PaymentsSandbox>>,
];

export const everyOption: PaymentsTestingOptions = {
  accounts: ['default', 'payouts'],
  isGlobal: false,
  sandbox: { clock: 'real', seed: 7, auto: true, webhookScheme: standardWebhooks() },
  storage: memoryStorage(),
  probe: false,
  webhooks: { handlerTimeoutMs: 1_000 },
};

export function uses(): void {
  PaymentsTestingModule.forRoot();
  PaymentsTestingModule.forRoot(everyOption);
  PaymentsTestingModule.forRoot({ sandbox });
  PaymentsTestingModule.forApplication();
  PaymentsTestingModule.forApplication({ sandbox, limits: { collection: { max: '1000' } } });
  // @ts-expect-error -- the emulator has the keys
  PaymentsTestingModule.forRoot({ apiKey: 'pk_test_a' });
  // @ts-expect-error -- the emulator signs: write sandbox: { webhookScheme }
  PaymentsTestingModule.forRoot({ webhooks: { scheme: standardWebhooks() } });
  // @ts-expect-error -- no account, no module
  PaymentsTestingModule.forRoot({ accounts: [] });
  // @ts-expect-error -- the application names its accounts
  PaymentsTestingModule.forApplication({ accounts: ['default'] });
}
