import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  CollectionsService,
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  paymentsConfig,
  PaymentsStorageError,
} from 'nestjs-payments';
import { collectionPayment, paymentEvent } from 'nestjs-payments/testing';
import { AppModule } from '../../src/app.module.js';
import { CheckoutService } from '../../src/orders/checkout.service.js';
import { OrdersService } from '../../src/orders/orders.service.js';
import { BUYER } from '../support/buyer.js';
import { testKeys } from '../support/test-keys.js';

describe('the checkout, with the service of the package replaced', () => {
  const mobileMoney = jest.fn<CollectionsService['mobileMoney']>();
  let module: TestingModule;
  let checkout: CheckoutService;

  beforeEach(async () => {
    mobileMoney.mockReset();
    module = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(paymentsConfig.KEY)
      .useValue(testKeys)
      .overrideProvider(CollectionsService)
      .useValue({ mobileMoney })
      .compile();
    checkout = module.get(CheckoutService);
  });
  afterEach(() => module.close());

  it('the checkout requests the price of the cakes under a reference of the order', async () => {
    mobileMoney.mockResolvedValue(collectionPayment());
    const { reference, status } = await checkout.place(BUYER);
    expect(status).toBe('awaiting-customer');
    expect(mobileMoney.mock.calls).toMatchObject([
      [{ reference, amount: '36000.00', phone: BUYER.phone }, {}],
    ]);
  });

  it('the checkout keeps an order open if its payment is unknown', async () => {
    mobileMoney.mockRejectedValue(new PaymentOutcomeUnknownError('no-answer', 'The gateway did not answer.'));
    expect(await checkout.place(BUYER)).toMatchObject({ status: 'awaiting-outcome' });
  });

  it.each([
    [new PaymentRejectedError('INVALID_PHONE', 'The phone is wrong.'), 'refused'],
    [new PaymentRejectedError('HTTP_422', 'No.', {}, {}, false), 'awaiting-outcome'],
    [new PaymentsStorageError('Redis did not answer.'), 'awaiting-outcome'],
  ])('the checkout throws %s, and the order is %s', async (error, status) => {
    mobileMoney.mockRejectedValue(error);
    await expect(checkout.place(BUYER)).rejects.toBe(error);
    const [payment] = mobileMoney.mock.calls[0]!;
    expect(module.get(OrdersService).find(payment.reference).status).toBe(status);
  });

  it('the checkout leaves an order paid if its webhook was faster than the answer', async () => {
    mobileMoney.mockImplementation(({ reference, amount }) => {
      module.get(OrdersService).paid(paymentEvent('payment.success', { reference, amount: String(amount) }));
      return Promise.resolve(collectionPayment({ reference }));
    });
    expect(await checkout.place(BUYER)).toMatchObject({ status: 'paid' });
  });
});
