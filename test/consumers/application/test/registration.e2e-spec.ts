import { ConfigModule, ConfigService } from '@nestjs/config';
import { Test } from '@nestjs/testing';
import { PaymentsModule, WalletService, type PaymentsModuleOptions } from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';

describe('the module', () => {
  let sandbox: PaymentsSandbox;

  beforeAll(async () => {
    sandbox = await PaymentsSandbox.start({ clock: 'manual' });
  });

  afterAll(() => sandbox?.stop());

  it("takes its options from a factory with the application's ConfigService", async () => {
    const { baseUrl, apiKey, apiSecret } = sandbox.moduleOptions();
    const payments = PaymentsModule.forRootAsync({
      imports: [ConfigModule.forRoot({ load: [() => ({ payments: { baseUrl, apiKey, apiSecret } })] })],
      inject: [ConfigService],
      useFactory: (config: ConfigService): PaymentsModuleOptions => config.getOrThrow('payments'),
    });
    const module = await Test.createTestingModule({ imports: [payments] }).compile();
    const { available_balance } = await module.get(WalletService, { strict: false }).balance();
    expect(available_balance).toBe(sandbox.balance().available_balance.toFixed(2));
    await module.close();
  });

  it('does not boot with a wrong option', async () => {
    const options = { ...sandbox.moduleOptions(), baseUrl: sandbox.url };
    const boot = Test.createTestingModule({ imports: [PaymentsModule.forRoot(options)] }).compile();
    await expect(boot).rejects.toMatchObject({ name: 'PaymentsConfigError' });
  });
});
