import { randomUUID } from 'node:crypto';
import { type Server } from 'node:http';
import { type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { type PaymentWebhookEvent } from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { PaymentsTestingModule, postWebhook } from 'nestjs-payments/testing';
import request from 'supertest';
import { AppModule } from '../../src/app.module.js';
import { type Order } from '../../src/orders/order.js';
import { OvenService } from '../../src/orders/oven.service.js';
import { webhookScheme } from '../../src/webhook.scheme.js';

export const PHONE = '255712345678';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The whole application as its buyers see it, on a gateway of its own whose clock the test turns. */
export class Bakery {
  private constructor(
    readonly app: INestApplication<Server>,
    readonly gateway: PaymentsSandbox,
  ) {}

  static async open(): Promise<Bakery> {
    const module = await Test.createTestingModule({
      imports: [AppModule, PaymentsTestingModule.forApplication()],
    }).compile();
    const app = module.createNestApplication<INestApplication<Server>>({ logger: false });
    await app.listen(0, '127.0.0.1');
    return new Bakery(app, app.get(PaymentsSandbox));
  }

  /** What must happen once for each paid order. */
  get baked(): readonly string[] {
    return this.app.get(OvenService).baked;
  }

  order(change: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    const buyer = { cakes: 1, phone: '0712 345 678', name: 'Asha Mrema', email: 'asha@example.com' };
    return request(this.app.getHttpServer())
      .post('/orders')
      .send({ checkout: randomUUID(), ...buyer, ...change });
  }

  /** Orders, and gives the order that the buyer sees. */
  async ordered(change: Readonly<Record<string, unknown>> = {}): Promise<Order> {
    return (await this.order(change)).body as Order;
  }

  /** Delivers a webhook that the gateway would not send by itself, with its signature. */
  async deliver(event: PaymentWebhookEvent): Promise<void> {
    const { webhookSecret: secret } = this.gateway;
    await postWebhook(this.app, '/webhooks/payments', event, { scheme: webhookScheme, secret });
  }

  async statusOf({ reference }: Pick<Order, 'reference'>): Promise<string> {
    const answer = await request(this.app.getHttpServer()).get(`/orders/${reference}`);
    return (answer.body as Order).status;
  }

  /** Ends the gateway as well. */
  close(): Promise<void> {
    return this.app.close();
  }
}
