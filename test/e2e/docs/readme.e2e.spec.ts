import { afterAll, beforeAll, expect, it } from 'vitest';
import { type INestApplication, Module, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { hmac, PaymentsJournal } from 'nestjs-payments';
import { paymentEvent, PaymentsTestingModule, postWebhook } from 'nestjs-payments/testing';
import { eventually } from '../../support/eventually.js';
import { readmeSnippets } from '../../support/document-pages.js';

interface Suppliers {
  pay(
    invoice: Record<'id' | 'amount' | 'bank' | 'account' | 'holder', string>,
  ): Promise<{ readonly status: string }>;
}

interface OrdersOfReadme {
  readonly paid: ReadonlySet<string>;
}

/** As README.md registers it. */
const scheme = hmac({
  header: 'x-webhook-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  payload: ['body'],
});

type Classes = Readonly<Record<string, Type>>;

/** Inside the repository, where the packages that the snippets import are found. */
const folder = join(import.meta.dirname, `.readme-${process.pid}`);

/** Writes the snippets of README.md into the files that they name, beside those that `nest new` makes. */
function writeSnippets(): readonly string[] {
  const snippets = readmeSnippets('.');
  const generated = [
    [
      'src/app.controller.ts',
      "import { Controller } from '@nestjs/common';\n@Controller()\nexport class AppController {}",
    ],
    ['src/app.service.ts', 'export class AppService {}'],
  ] as const;
  for (const [file, code] of [...snippets, ...generated]) writeFileSync(join(folder, file), code);
  return [...snippets.keys()].map((file) => basename(file, '.ts'));
}

const load = (name: string): Promise<Classes> =>
  import(join(folder, 'src', `${name}.ts`)) as Promise<Classes>;

let names: readonly string[];
let app: INestApplication;
let classes: Classes;

beforeAll(async () => {
  mkdirSync(join(folder, 'src'), { recursive: true });
  names = writeSnippets();
  // Its test needs a framework's globals: `npm run test:consumers` runs it in Jest and in Vitest.
  const applicationSnippets = names.filter((name) => !name.endsWith('spec'));
  classes = Object.assign({}, ...(await Promise.all(applicationSnippets.map(load)))) as Classes;

  @Module({ imports: [classes['AppModule']!], providers: [classes['SuppliersService']!] })
  class Shop {}

  const testing = await Test.createTestingModule({
    imports: [Shop, PaymentsTestingModule.forApplication()],
  }).compile();
  app = testing.createNestApplication({ logger: false });
  await app.listen(0, '127.0.0.1');
});

afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

it('README.md shows six snippets', () => {
  expect(names).toEqual([
    'checkout.service',
    'orders.service',
    'payments.controller',
    'app.module',
    'suppliers.service',
    'checkout.spec',
  ]);
});

const call = async (path: string, phone?: string, order = 'order-1'): Promise<unknown> => {
  const body = phone === undefined ? {} : { method: 'POST', body: new URLSearchParams({ phone }) };
  return (await fetch(`${await app.getUrl()}/orders/${order}${path}`, body)).json();
};

const success = async (reference: string, amount: string): Promise<number> => {
  const { webhookSecret: secret } = app.get(PaymentsSandbox);
  const event = paymentEvent('payment.success', { reference, amount });
  return (await postWebhook(app, '/webhooks/payments', event, { scheme, secret })).status;
};

it('the snippets of README.md collect a payment by HTTP, hear the webhook and show the order paid', async () => {
  expect(await call('/payment', '0712')).toMatchObject({ statusCode: 400 });
  expect(await call('/payment', '0712 345 678')).toEqual({ payment: 'waiting for the customer' });
  expect(await call('')).toEqual({ id: 'order-1', paid: false });
  await app.get(PaymentsSandbox).customer('255712345678').approve('order-1');
  expect(await call('')).toEqual({ id: 'order-1', paid: true });
  expect(await call('/payment', '0712 345 678')).toEqual({ payment: 'paid' });
});

it('the snippets of README.md take a success that the journal does not know only with the price of the order', async () => {
  expect(await success('order-2', '1.00')).toBe(500);
  expect(await success('order-3', '1180.50')).toBe(200);
  expect(app.get<OrdersOfReadme>(classes['Orders']!).paid).toEqual(new Set(['order-1', 'order-3']));
});

it('the snippets of README.md compare the amount of a payment whose tombstone knows none', async () => {
  app.get(PaymentsSandbox).next('POST /payments/mobile-money').status(422, { code: 'INVALID_PHONE' });
  await call('/payment', '0712 345 678', 'order-4');
  const journal = app.get(PaymentsJournal);
  await eventually(async () => {
    await journal.purge({ olderThanMs: 1, rejectedOlderThanMs: 1 });
    expect(await journal.get('collection', 'order-4')).toBeUndefined();
  });
  expect(await success('order-4', '1.00')).toBe(500);
  expect(await success('order-4', '1180.50')).toBe(200);
});

it('the snippets of README.md pay a supplier, and nobody of another name', async () => {
  const suppliers = app.get<Suppliers>(classes['SuppliersService']!);
  const account = { bank: 'ACB', account: '0150123456' };
  app.get(PaymentsSandbox).directory.register(account.account, 'Asha Mushi');
  const invoice = { ...account, amount: '500', holder: 'ASHA MUSHI' };
  expect(await suppliers.pay({ ...invoice, id: 'invoice-1' })).toMatchObject({ status: 'processing' });
  await expect(suppliers.pay({ ...invoice, id: 'invoice-2', holder: 'Somebody Else' })).rejects.toThrow(
    'Ask the supplier',
  );
  expect(
    app
      .get(PaymentsSandbox)
      .payouts()
      .map(({ reference }) => reference),
  ).toEqual(['invoice-1']);
});
