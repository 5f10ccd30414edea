import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Test, type TestingModule } from '@nestjs/testing';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { PaymentsTestingModule } from 'nestjs-payments/testing';
import { CheckoutService } from '../../src/orders/checkout.service.js';
import { OrdersService } from '../../src/orders/orders.service.js';
import { OvenService } from '../../src/orders/oven.service.js';
import '../support/matchers.js';

// No HTTP of our own and no AppModule: the module replaces `PaymentsModule`, the services are the real ones.
describe('the checkout alone, on the emulator', () => {
  let module: TestingModule;

  beforeEach(async () => {
    module = await Test.createTestingModule({
      imports: [PaymentsTestingModule.forRoot()],
      providers: [CheckoutService, OrdersService, OvenService],
    }).compile();
    await module.init();
  });
  afterEach(() => module.close());

  it('the checkout requests the price of the cakes from the gateway', async () => {
    const buyer = {
      checkout: randomUUID(),
      cakes: 4,
      phone: '255712345678',
      name: 'Asha Mrema',
      email: 'asha@example.com',
    };
    const { reference } = await module.get(CheckoutService).place(buyer);
    expect(module.get(PaymentsSandbox)).toHaveCollection(reference, {
      amount: '72000.00',
      status: 'pending',
    });
  });
});
