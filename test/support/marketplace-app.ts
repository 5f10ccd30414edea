import { Controller, Injectable } from '@nestjs/common';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  OnPayment,
  type PaymentEventContext,
  type PaymentsAccountsOptions,
  PaymentsModule,
  type PaymentsResolverOptions,
  PaymentsWebhook,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { keysOf, Merchants } from './merchants.js';
import {
  type AdapterName,
  type Answer,
  scheme,
  send,
  startWebhookApp,
  type WebhookApp,
  type WebhookAppOptions,
} from './webhook-app.js';

/** What the handlers of all accounts were given, as `account reference`. */
@Injectable()
export class Sales {
  readonly all: string[] = [];
  readonly ofShop: string[] = [];

  @OnPayment('payment.success')
  sold({ data }: PaymentWebhookEvent, { account }: PaymentEventContext): void {
    this.all.push(`${account} ${data.reference}`);
  }

  @OnPayment('payment.success', { account: 'shop' })
  soldByTheShop({ data }: PaymentWebhookEvent, { account }: PaymentEventContext): void {
    this.ofShop.push(`${account} ${data.reference}`);
  }
}

@Controller('webhooks')
export class PathController {
  @PaymentsWebhook('payments/:account')
  received(): void {}
}

export function secretOf(account: string): string {
  return `the-signing-secret-of-${account}`;
}

/** Adds a merchant with webhooks to the table. */
export function addMerchant(merchants: Merchants, name: string, secrets = [secretOf(name)]): void {
  merchants.rows.set(name, { ...keysOf(name), webhooks: { secrets } });
}

export interface Marketplace extends WebhookApp {
  readonly merchants: Merchants;
  readonly sales: Sales;
}

/** Options of the registration. The resolver is the table unless `accounts` has another. */
export type MarketplaceOptions = Partial<Omit<PaymentsResolverOptions, 'accounts'>> & {
  readonly accounts?: Partial<PaymentsAccountsOptions>;
};

/** An application whose accounts come from a table: `shop` and `school`. */
export async function startMarketplace(
  adapter: AdapterName,
  options: MarketplaceOptions = {},
  { imports = [], ...metadata }: WebhookAppOptions = {},
): Promise<Marketplace> {
  const merchants = new Merchants([]);
  for (const name of ['shop', 'school']) addMerchant(merchants, name);
  const { accounts, webhooks, ...more } = options;
  const app = await startWebhookApp(adapter, {
    controllers: [PathController],
    providers: [Sales],
    payments: [],
    imports: [
      ...imports,
      PaymentsModule.forRoot({
        isGlobal: true,
        baseUrl: 'http://127.0.0.1:9/api/v1',
        webhooks: { scheme, retentionDays: Infinity, ...webhooks },
        accounts: { resolve: merchants.keysOf, ...accounts },
        ...more,
      }),
    ],
    ...metadata,
  });
  return { ...app, merchants, sales: app.app.get(Sales, { strict: false }) };
}

export interface MarketplaceDelivery {
  readonly reference?: string;
  /** The account whose secret signs. @default the account of the path */
  readonly signedFor?: string;
  readonly secret?: string;
  /** The whole path. */
  readonly path?: string;
  /** Added to the body. */
  readonly note?: string;
}

/** Delivers a payment to the account that a path names. */
export function deliverTo(
  port: number,
  account: string,
  delivery: MarketplaceDelivery = {},
): Promise<Answer> {
  const { path = `/webhooks/payments/${account}` } = delivery;
  const { body, headers } = signedSale(account, delivery);
  return send(port, path, body, headers);
}

export function signedSale(
  account: string,
  {
    reference = 'order-1',
    signedFor = account,
    secret = secretOf(signedFor),
    note = '',
  }: MarketplaceDelivery,
): { readonly body: string; readonly headers: Record<string, string> } {
  const body = JSON.stringify({ ...paymentEvent('payment.success', { reference }), ...(note && { note }) });
  const headers = { 'content-type': 'application/json', ...signWebhook({ scheme, secret, body }) };
  return { body, headers };
}

/** Sends a request line that Node's own client would not send. Resolves with the status. */
export async function sendRaw(
  port: number,
  path: string,
  { body, headers }: ReturnType<typeof signedSale>,
): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  const lines = Object.entries({
    ...headers,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(Buffer.from(`POST ${path} HTTP/1.1\r\nhost: localhost\r\n${head}\r\n${body}`, 'utf8'));
  const answer = await text(socket);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
}
