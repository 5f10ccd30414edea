import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { PaymentOutcomeUnknownError } from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { PaymentsTestingModule } from 'nestjs-payments/testing';
import { AppModule } from './../src/app.module.js';
import { httpAdapter } from './../src/http-adapter.js';
import { OrdersService } from './../src/orders/orders.service.js';

const phone = '255712345678';
const order = (reference: string) => ({
  reference,
  amount: '1180.50',
  phone,
  customer_name: 'Asha Mushi',
  customer_email: 'asha@example.com',
});

describe("the package's testing module", () => {
  let app: INestApplication | undefined;

  afterEach(async () => {
    await app?.close();
    app = undefined;
  });

  it('gives a part of the application the real services on an emulator', async () => {
    const module = await Test.createTestingModule({
      imports: [PaymentsTestingModule.forRoot()],
      providers: [OrdersService],
    }).compile();
    const sandbox = module.get(PaymentsSandbox);
    sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
    await expect(module.get(OrdersService).collect(order('order-1'))).rejects.toBeInstanceOf(
      PaymentOutcomeUnknownError,
    );
    expect(sandbox.payments()).toHaveLength(1);
    await module.close();
  });

  it('takes the whole application to the emulator, whatever its keys are', async () => {
    Object.assign(process.env, {
      PAYMENTS_BASE_URL: 'https://gateway.example/api/v1',
      PAYMENTS_API_KEY: 'pk_live_a',
      PAYMENTS_API_SECRET: 'sk_live_a',
      PAYMENTS_WEBHOOK_SECRET: 'a-secret-of-some-length',
    });
    const module = await Test.createTestingModule({
      imports: [AppModule, PaymentsTestingModule.forApplication()],
    }).compile();
    app = module.createNestApplication(httpAdapter());
    await app.listen(0, '127.0.0.1');
    const orders = app.get(OrdersService);
    await orders.collect(order('order-2'));
    await app.get(PaymentsSandbox).customer(phone).approve('order-2');
    expect(orders.find('order-2')).toMatchObject({ timesPaid: 1, events: ['payment.success'] });
  });
});
