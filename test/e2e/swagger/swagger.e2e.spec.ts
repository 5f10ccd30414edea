import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { bankDisbursement, collectionPayment, mobileMoneyDisbursement } from 'nestjs-payments/testing';
import { ADAPTERS } from '../../support/adapters.js';
import { DocumentSchemas } from '../../support/document-schemas.js';
import { startSandbox } from '../../support/sandbox.js';
import { RECORDS, REQUESTS, startSwaggerApp, type SwaggerApp } from '../../support/swagger-app.js';

const SCHEMAS = [
  ...[...REQUESTS, ...RECORDS].map(({ name }) => name),
  'CheckoutDto',
  'PaymentsErrorBody',
].sort();

describe.each(ADAPTERS)("a host's OpenAPI document on %s", (_, adapter) => {
  let sandbox: PaymentsSandbox;
  let host: SwaggerApp;
  let schemas: DocumentSchemas;

  beforeAll(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    host = await startSwaggerApp(adapter(), sandbox.moduleOptions());
    schemas = new DocumentSchemas(host.document);
  });
  afterAll(() => host.app.close());

  async function call(path: string, body?: object): Promise<{ status: number; answer: unknown }> {
    const response = await fetch(`${await host.app.getUrl()}/${path}`, {
      ...(body && {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    });
    return { status: response.status, answer: await response.json() };
  }

  it('the document of a host names every class that the host uses', () => {
    expect([...schemas.names].sort()).toEqual(SCHEMAS);
  });

  it.each(SCHEMAS)('the document shows each field of %s with a type and an example', (name) => {
    const { properties } = schemas.get(name);
    const bare = Object.entries(properties).filter(([, schema]) => {
      const { type, anyOf, oneOf, example, enum: values } = schema;
      const typed = type === 'object' ? 'additionalProperties' in schema : (type ?? anyOf ?? oneOf);
      return !typed || (example ?? values) === undefined;
    });
    expect(Object.keys(properties).length).toBeGreaterThan(1);
    expect(bare).toEqual([]);
    expect(schemas.problems(name, schemas.example(name))).toEqual([]);
  });

  it.each([
    ['collections/mobile-money', 'MobileMoneyCollectionDto', 'CollectionPayment'],
    ['collections/partner-wallet', 'PartnerWalletCollectionDto', 'CollectionPayment'],
    ['payouts/mobile-money', 'MobileMoneyDisbursementDto', 'MobileMoneyDisbursement'],
  ])('the document describes the request and the answer of %s', async (path, request, record) => {
    const { status, answer } = await call(path, { ...schemas.example(request), reference: path });
    expect(status).toBe(201);
    expect(schemas.problems(record, answer)).toEqual([]);
  });

  it('the document describes the answers of a bank payout, the banks, the lookups and the wallet', async () => {
    const { answer: banks } = await call('banks');
    const [bank] = banks as [{ code: string }];
    expect(schemas.problems('Bank', bank)).toEqual([]);

    const account_number = '0150123456789';
    const lookup = { channel: 'BANK', account_number, bank_code: bank.code };
    const { answer: holder } = await call('lookup', lookup);
    expect(schemas.problems('BankNameLookup', holder)).toEqual([]);
    const { answer: owner } = await call('lookup', {
      channel: 'MOBILE_MONEY',
      account_number: '255700000000',
    });
    expect(schemas.problems('MobileMoneyNameLookup', owner)).toEqual([]);
    const { answer: customer } = await call('lookup', {
      channel: 'PARTNERPESA',
      account_number: '255700000000',
    });
    expect(schemas.problems('PartnerWalletNameLookup', customer)).toEqual([]);

    const { status, answer: payout } = await call('payouts/bank', {
      ...schemas.example('BankDisbursementDto'),
      ...{ account_number, bank_code: bank.code },
      account_name: (holder as { account_name: string }).account_name,
    });
    expect(status).toBe(201);
    expect(schemas.problems('BankDisbursement', payout)).toEqual([]);
    expect(schemas.problems('WalletBalance', (await call('wallet')).answer)).toEqual([]);
  });

  it('the document shows a class of the host that leaves out fields of a request', () => {
    const { amount, metadata, ...rest } = schemas.get('MobileMoneyCollectionDto').properties;
    expect([amount, metadata]).not.toContain(undefined);
    expect(schemas.get('CheckoutDto').properties).toEqual(rest);
  });

  it('the document describes the fields of the fixtures', () => {
    const fixtures = [
      ['CollectionPayment', collectionPayment],
      ['BankDisbursement', bankDisbursement],
      ['MobileMoneyDisbursement', mobileMoneyDisbursement],
    ] as const;
    for (const [name, fixture] of fixtures) {
      expect(schemas.problems(name, fixture())).toEqual([]);
      expect(Object.keys(fixture()).sort()).toEqual(Object.keys(schemas.get(name).properties).sort());
    }
  });

  it('the document describes the fields of an error', async () => {
    const wrong = await call('collections/mobile-money', { phone: 'x' });
    expect(wrong.status).toBe(400);
    expect(wrong.answer).toHaveProperty('errors.phone');
    expect(schemas.problems('PaymentsErrorBody', wrong.answer)).toEqual([]);

    const refused = await call('payouts/mobile-money', {
      ...schemas.example('MobileMoneyDisbursementDto'),
      amount: '9000000000',
      reference: 'too-much',
    });
    expect(refused.status).toBe(402);
    expect(refused.answer).toMatchObject({ code: 'INSUFFICIENT_BALANCE', reference: 'too-much' });
    expect(schemas.problems('PaymentsErrorBody', refused.answer)).toEqual([]);

    sandbox.next('POST /payments/mobile-money').status(422);
    const withoutCode = await call('collections/mobile-money', schemas.example('MobileMoneyCollectionDto'));
    expect(withoutCode.answer).toMatchObject({ code: 'HTTP_422', final: false });
    expect(schemas.problems('PaymentsErrorBody', withoutCode.answer)).toEqual([]);
  });
});
