import { randomUUID } from 'node:crypto';
import { type AddressInfo } from 'node:net';
import { type NestApplicationOptions, type Type } from '@nestjs/common';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent, postWebhook } from 'nestjs-payments/testing';
import { type EventStream, listenTo } from '../../../test/support/event-stream.js';
import { Database } from '../src/database/database.js';
import { type Order, type OrderView } from '../src/orders/order.js';
import { createShop } from '../src/shop.js';

export const PHONE = '255712345678';

export interface Answer<Body = OrderView> {
  readonly status: number;
  readonly body: Body;
}

export interface RunOptions extends NestApplicationOptions {
  /** What is started instead of the shop's own module. */
  readonly module?: Type;
  /** A free one if it is left out. */
  readonly port?: number;
}

/** One instance of the shop, as its pages and the gateway use it. */
export class RunningShop {
  private constructor(
    readonly app: NestExpressApplication,
    readonly url: string,
    private readonly sandbox: PaymentsSandbox,
  ) {}

  static async start(
    databaseUrl: string,
    sandbox: PaymentsSandbox,
    { module, port = 0, ...options }: RunOptions = {},
  ): Promise<RunningShop> {
    Object.assign(process.env, {
      DATABASE_URL: databaseUrl,
      DATABASE_DIR: '',
      PAYMENTS_BASE_URL: sandbox.baseUrl,
      PAYMENTS_API_KEY: 'pk_test_demo',
      PAYMENTS_API_SECRET: 'sk_test_demo',
      PAYMENTS_WEBHOOK_SECRET: sandbox.webhookSecret,
      OFFICE_PASSWORD: 'open-sesame',
    });
    const app = await createShop({ logger: false, abortOnError: false, ...options }, module);
    await app.listen(port, '127.0.0.1');
    const url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
    sandbox.deliverTo(`${url}/webhooks/payments`);
    return new RunningShop(app, url, sandbox);
  }

  /** Places an order for a kanga and asks for its money. */
  order(change: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const customer = { name: 'Asha Mrema', phone: '0712 345 678', email: 'asha@example.com' };
    return this.send('/api/orders', { checkout: randomUUID(), product: 'kanga', ...customer, ...change });
  }

  /** The number of an order that its customer has on the phone. */
  async ordered(): Promise<string> {
    return (await this.order()).body.number;
  }

  pay(number: string, body: object = {}): Promise<Answer> {
    return this.send(`/api/orders/${number}/pay`, body);
  }

  async send<Body = OrderView>(path: string, body: object, headers: object = {}): Promise<Answer<Body>> {
    return answerOf(
      await fetch(`${this.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    );
  }

  async read<Body = OrderView>(path: string, headers: Record<string, string> = {}): Promise<Answer<Body>> {
    return answerOf(await fetch(`${this.url}${path}`, { headers }));
  }

  async stateOf(number: string): Promise<string> {
    const { state, reason } = (await this.read(`/api/orders/${number}`)).body;
    return reason === null ? state : `${state}: ${reason}`;
  }

  /** The states that the order's page receives. */
  async follow(number: string): Promise<OrderPage> {
    return new OrderPage(await listenTo(`${this.url}/api/orders/${number}/events`));
  }

  /** A signed webhook without a payment of the emulator. */
  async deliver(
    event: Parameters<typeof paymentEvent>[0],
    data: Pick<Order, 'amount'> & { reference: string; provider_reference?: string },
  ) {
    const { scheme } = this.sandbox.moduleOptions().webhooks!;
    const signing = { scheme, secret: this.sandbox.webhookSecret };
    return (await postWebhook(this.app, '/webhooks/payments', paymentEvent(event, data), signing)).status;
  }

  async query<Row extends object>(
    statement: string,
    values: readonly unknown[] = [],
  ): Promise<readonly Row[]> {
    return (await this.app.get(Database).pool.query<Row>(statement, [...values])).rows;
  }

  /** How often an article was sold: not idempotent, so it shows what happened twice. */
  async sold(product = 'kanga'): Promise<number> {
    const [row] = await this.query<{ sold: number }>('SELECT sold FROM products WHERE id = $1', [product]);
    return row!.sold;
  }

  /** Lets every order and payment be older than it is: the database's clock cannot be turned. */
  async age(by: string): Promise<void> {
    await this.query('ALTER TABLE orders DISABLE TRIGGER order_changes');
    await this.query('UPDATE orders SET changed_at = changed_at - $1::interval', [by]);
    await this.query('ALTER TABLE orders ENABLE TRIGGER order_changes');
    await this.query(
      `UPDATE payments_journal SET created_at = created_at - $1::interval,
         updated_at = updated_at - $1::interval, attempt_at = attempt_at - $1::interval`,
      [by],
    );
  }

  /** Forgets every order and payment. */
  async clear(): Promise<void> {
    await this.query(
      'TRUNCATE orders, order_payments, further_charges, payments_journal, payments_inbox, payments_set_aside',
    );
    await this.query('UPDATE products SET sold = 0');
    this.sandbox.deliverTo(`${this.url}/webhooks/payments`);
  }

  close(): Promise<void> {
    return this.app.close();
  }
}

/** The page of an order, as far as it listens. */
export class OrderPage {
  constructor(private readonly stream: EventStream) {}

  /** The next state that it receives. Rejects if the stream has ended. */
  async next(): Promise<string> {
    const events = await this.stream.until('order');
    return (events.at(-1)!.data as OrderView).state;
  }

  close(): void {
    this.stream.close();
  }
}

async function answerOf<Body>(response: Response): Promise<Answer<Body>> {
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Body };
}
