import { expect, it } from 'vitest';
import { Test } from '@nestjs/testing';
import { PaymentsAccounts, PaymentsModule } from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { PaymentsTestingModule } from 'nestjs-payments/testing';

it('an application whose accounts come from a resolver runs on the emulator, each account as the merchant of its name', async () => {
  const resolve = (account: string) =>
    account === 'shop' ? { apiKey: 'pk_live_shop', apiSecret: 'sk_live_shop' } : undefined;
  const module = await Test.createTestingModule({
    imports: [
      PaymentsModule.forRoot({ baseUrl: 'https://gateway.example/api/v1', accounts: { resolve } }),
      PaymentsTestingModule.forApplication(),
    ],
  }).compile();
  await module.init();
  const accounts = module.get(PaymentsAccounts);
  await accounts.for('shop').wallet.balance();
  await expect(accounts.for('nobody').wallet.balance()).rejects.toMatchObject({ code: 'ACCOUNT_UNKNOWN' });
  const requests = module.get(PaymentsSandbox).merchant('shop').requests();
  await module.close();
  expect(requests).toHaveLength(1);
});
