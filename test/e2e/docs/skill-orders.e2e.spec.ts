import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { type INestApplication, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { PaymentsJournal } from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { PaymentsTestingModule } from 'nestjs-payments/testing';
import { importBlock } from '../../support/skill.js';
import { eventually } from '../../support/eventually.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

interface Order {
  readonly id: string;
  readonly amount: string;
  paymentNumber: number;
  state: string;
}

interface Orders {
  readonly orders: Map<string, Order>;
  pay(id: string, customer: object): Promise<Order>;
  ended(event: object): void;
  lookUpOpenOrders(): Promise<void>;
}

const PHONE = '255712345678';
const asha = { phone: PHONE, name: 'Asha Mushi', email: 'asha@example.com' };
const folder = join(import.meta.dirname, `.skill-orders-${process.pid}`);
const { OrdersService } = await importBlock('src/orders.service.ts', folder);
const { RecoveryService } = await importBlock('src/recovery.service.ts', folder);

let app: INestApplication;
let orders: Orders;
let sandbox: PaymentsSandbox;

beforeEach(async () => {
  const testing = await Test.createTestingModule({
    imports: [PaymentsTestingModule.forRoot()],
    controllers: [WebhooksController],
    providers: [OrdersService as Type<Orders>, RecoveryService as Type<OnApplicationBootstrap>],
  }).compile();
  app = testing.createNestApplication({ logger: false });
  await app.listen(0, '127.0.0.1');
  sandbox = app.get(PaymentsSandbox);
  orders = app.get(OrdersService as Type<Orders>);
  orders.orders.set('order-1', { id: 'order-1', amount: '500.00', paymentNumber: 1, state: 'placed' });
});

afterEach(() => app.close());
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const pay = () => orders.pay('order-1', asha);
const state = () => orders.orders.get('order-1')?.state;
const payments = () => sandbox.payments().map(({ reference, status }) => `${reference} ${status}`);

it('the order of the skill is declined, and paid once by its next payment', async () => {
  await pay();
  await sandbox.customer(PHONE).decline('order-1');
  expect(state()).toBe('not-paid');
  await Promise.all([pay(), pay()]); // two clicks
  expect(state()).toBe('waiting');
  await sandbox.customer(PHONE).approve('order-1-2');
  expect(state()).toBe('paid');
  await pay();
  expect(payments().sort()).toEqual(['order-1 failed', 'order-1-2 success']);
});

it('the end of an earlier payment, reported again, does not end the next payment of the skill', async () => {
  await pay();
  await sandbox.customer(PHONE).decline('order-1');
  await pay();
  orders.ended({ data: { reference: 'order-1', status: 'cancelled' } });
  expect(state()).toBe('waiting');
  await pay();
  expect(payments()).toHaveLength(2);
});

it('a success pays the order of the skill only with its amount, whatever the journal knows', () => {
  const success = (amount: string) => ({ data: { reference: 'order-1', amount, status: 'success' } });
  expect(() => {
    orders.ended(success('1.00'));
  }).toThrow();
  expect(state()).toBe('placed');
  orders.ended(success('500.00'));
  expect(state()).toBe('paid');
});

it.each([
  ['success', 'paid'],
  ['expired', 'not-paid'],
] as const)(
  'the skill looks up an order whose payment ended without a webhook: %s is %s',
  async (outcome, end) => {
    await pay();
    await orders.lookUpOpenOrders();
    expect(state()).toBe('waiting');
    await app.get(PaymentsJournal).settle('collection', 'order-1', outcome);
    await orders.lookUpOpenOrders();
    expect(state()).toBe(end);
  },
);

it('the recovery service of the skill pays an order whose payment succeeded without a webhook', async () => {
  await pay();
  await app.get(PaymentsJournal).settle('collection', 'order-1', 'success');
  app.get(RecoveryService as Type<OnApplicationBootstrap>).onApplicationBootstrap();
  await eventually(() => {
    expect(state()).toBe('paid');
  });
});

it('a refused payment keeps its reference in the skill, and a lost answer stays open', async () => {
  sandbox.next('POST /payments/mobile-money').status(422, { code: 'INVALID_PHONE' });
  await expect(pay()).rejects.toThrow();
  sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
  await pay();
  expect(state()).toBe('unknown');
  await pay();
  expect(payments()).toEqual(['order-1 pending']);
});
