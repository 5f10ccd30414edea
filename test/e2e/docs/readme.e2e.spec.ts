import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type INestApplication, Module, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { PaymentsTestingModule } from 'nestjs-payments/testing';

interface Checkout {
  pay(orderId: string): Promise<string>;
}

interface Suppliers {
  pay(
    invoice: Record<'id' | 'amount' | 'bank' | 'account' | 'holder', string>,
  ): Promise<{ readonly status: string }>;
}

type Classes = Readonly<Record<string, Type>>;

/** Inside the repository, where the packages that the snippets import are found. */
const folder = join(import.meta.dirname, `.readme-${process.pid}`);

/** The snippets of README.md, each written into the file that its first line names. */
function writeSnippets(): readonly string[] {
  const blocks = [...readFileSync('README.md', 'utf8').matchAll(/```ts\n\/\/ (\S+)\.ts\n([\s\S]*?)```/g)];
  return blocks.map(([, name, code]) => {
    writeFileSync(join(folder, `${name!}.ts`), code!);
    return name!;
  });
}

const load = (name: string): Promise<Classes> => import(join(folder, `${name}.ts`)) as Promise<Classes>;

let names: readonly string[];
let app: INestApplication;
let classes: Classes;

beforeAll(async () => {
  mkdirSync(folder);
  names = writeSnippets();
  // The specs in test/orms run handlers with TypeORM, which is installed there alone.
  const applicationSnippets = names.filter((name) => !name.endsWith('spec') && name !== 'shop.module');
  classes = Object.assign({}, ...(await Promise.all(applicationSnippets.map(load)))) as Classes;
  const { AppModule, CheckoutService, Orders, PaymentsController, SuppliersService } = classes;

  @Module({
    imports: [AppModule!],
    controllers: [PaymentsController!],
    providers: [CheckoutService!, Orders!, SuppliersService!],
  })
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
    'app.module',
    'checkout.service',
    'payments.controller',
    'suppliers.service',
    'shop.module',
    'checkout.e2e-spec',
  ]);
});

it('the snippets of README.md collect a payment and handle its success', async () => {
  expect(await app.get<Checkout>(classes['CheckoutService']!).pay('order-1')).toBe(
    'waiting for the customer',
  );
  await app.get(PaymentsSandbox).customer('255712345678').approve('order-1');
  expect(app.get<{ paid: string[] }>(classes['Orders']!).paid).toEqual(['order-1']);
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

it('the test of README.md meets a lost answer', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  await load('checkout.e2e-spec');
  expect(log).toHaveBeenCalledExactlyOnceWith('PaymentOutcomeUnknownError');
  log.mockRestore();
});
