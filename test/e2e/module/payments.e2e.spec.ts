import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Controller, type INestApplication, Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  BanksService,
  CollectionsService,
  DisbursementsService,
  NameLookupService,
  OnPayment,
  PaymentEvent,
  PaymentsModule,
  PaymentsWebhook,
  type PaymentWebhookEvent,
  WalletService,
} from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { ADAPTERS } from '../../support/adapters.js';
import { startSandbox } from '../../support/sandbox.js';

@Injectable()
class Orders {
  readonly seen: string[] = [];

  @OnPayment('*')
  settled(event: PaymentWebhookEvent): void {
    this.seen.push(`${event.event} ${event.data.reference} ${event.data.amount}`);
  }
}

@Controller('webhooks')
class WebhooksController {
  readonly received: string[] = [];

  @PaymentsWebhook('payments')
  receive(@PaymentEvent() event: PaymentWebhookEvent): void {
    this.received.push(event.data.reference);
  }
}

const customer = {
  phone: '255712345678',
  customer_name: 'Asha Mushi',
  customer_email: 'asha@example.com',
};

describe.each(ADAPTERS)('a Nest application on %s', (_, adapter) => {
  let sandbox: PaymentsSandbox;
  let app: INestApplication;

  beforeAll(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    const module = await Test.createTestingModule({
      imports: [PaymentsModule.forRoot(sandbox.moduleOptions())],
      controllers: [WebhooksController],
      providers: [Orders],
    }).compile();
    app = module.createNestApplication(adapter(), { logger: ['error', 'warn'] });
    await app.listen(0, '127.0.0.1');
    sandbox.deliverTo(`${await app.getUrl()}/webhooks/payments`);
  });
  afterAll(() => app.close());

  it('takes money: request, approval on the phone, signed webhook, paid once', async () => {
    const payment = await app
      .get(CollectionsService)
      .mobileMoney({ reference: 'order-1', amount: 1180.5, ...customer });

    expect(payment).toMatchObject({
      reference: 'order-1',
      amount: '1180.50',
      status: 'pending',
      payment_method: 'mobile_money',
    });
    expect(payment.lastResponse).toMatchObject({ code: 'PAYMENT_INITIATED', httpStatus: 200, warnings: [] });
    expect(payment.lastResponse.attempts).toHaveLength(1);

    await sandbox.customer(customer.phone).approve('order-1');

    expect(app.get(Orders).seen).toEqual(['payment.success order-1 1180.50']);
    expect(app.get(WebhooksController).received).toEqual(['order-1']);
    expect(sandbox.deliveries()).toHaveLength(1);
  });

  it.each([
    ['decline', 'payment.failed'],
    ['cancel', 'payment.cancelled'],
    ['expire', 'payment.expired'],
  ] as const)('receives the outcome of a push to the partner wallet: %s', async (answer, event) => {
    const reference = `wallet-${answer}`;
    await app.get(CollectionsService).partnerWallet({ reference, amount: '500', ...customer });
    await sandbox.customer(customer.phone)[answer](reference);
    expect(app.get(Orders).seen.at(-1)).toBe(`${event} ${reference} 500.00`);
  });

  it('pays money out: lookup, bank transfer, mobile transfer, balance', async () => {
    const wallet = app.get(WalletService);
    const before = await wallet.balance();
    const [bank] = await app.get(BanksService).list();
    const recipient = await app
      .get(NameLookupService)
      .lookup({ channel: 'BANK', account_number: '0150123456', bank_code: bank!.code });

    const transfer = await app.get(DisbursementsService).bank({
      reference: 'invoice-1',
      amount: '2000.00',
      bank_code: bank!.code,
      account_number: '0150123456',
      account_name: recipient.account_name,
      remarks: 'Invoice 1',
    });
    expect(transfer).toMatchObject({ reference: 'invoice-1', amount: '2000.00', status: 'processing' });
    await sandbox.payout('invoice-1').pay();

    const mobile = await app.get(DisbursementsService).mobileMoney({
      reference: 'salary-1',
      amount: '300.00',
      recipient_name: 'Juma Ali',
      recipient_phone: '255754000111',
      network: 'NET_ONE',
      remarks: 'Salary',
    });
    expect(mobile).toMatchObject({ network: 'NET_ONE', status: 'processing' });
    await sandbox.payout('salary-1').fail();

    const after = await wallet.balance();
    const cents = (amount: string): number => Math.round(Number(amount) * 100);
    expect(cents(after.balance)).toBe(cents(before.balance) - cents(transfer.total_amount ?? ''));
    expect(after.locked_balance).toBe('0.00');
  });
});
