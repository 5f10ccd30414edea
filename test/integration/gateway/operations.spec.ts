import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  bankRecord,
  bankRequest,
  collectionRecord,
  collectionRequest,
  envelope,
  mobileRecord,
  mobileRequest,
} from '../../support/gateway-answers.js';
import { API_KEY, API_SECRET, startMerchant, type Merchant } from '../../support/merchant.js';
import { json, startMisbehavingGateway, type MisbehavingGateway } from '../../support/misbehaving-gateway.js';

const UUID_V5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('the seven operations', () => {
  let gateway: MisbehavingGateway;
  let merchant: Merchant;

  beforeEach(async () => {
    gateway = await startMisbehavingGateway();
    merchant = await startMerchant({ baseUrl: gateway.baseUrl });
  });

  afterEach(async () => {
    await merchant.close();
    await gateway.close();
  });

  it('asks for mobile money with every header and field of the specification', async () => {
    gateway.answer(json(envelope(collectionRecord, 'PAYMENT_INITIATED')));
    await merchant.collections.mobileMoney({ ...collectionRequest, metadata: { order: 1 } });
    const [request] = gateway.seen;
    expect(request).toMatchObject({ method: 'POST', path: '/api/v1/payments/mobile-money' });
    expect(request?.headers).toMatchObject({
      'x-api-key': API_KEY,
      'x-api-secret': API_SECRET,
      'idempotency-key': expect.stringMatching(UUID_V5) as unknown,
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
    });
    expect(request?.headers).not.toHaveProperty('authorization');
    expect(JSON.parse(request?.body ?? '')).toEqual({
      amount: 1180.5,
      currency: 'TZS',
      reference: 'order-1',
      phone: '255712345678',
      customer_name: 'Asha Juma',
      customer_email: 'asha@example.com',
      metadata: { order: 1 },
    });
  });

  it('returns the record with two-decimal strings and the envelope beside it', async () => {
    gateway.answer(json(envelope({ ...collectionRecord, brand_new: 1 }, 'PAYMENT_INITIATED')));
    const payment = await merchant.collections.mobileMoney(collectionRequest);
    expect(payment).toEqual({
      ...collectionRecord,
      amount: '1180.50',
      fee: '17.70',
      net_amount: '1162.80',
      brand_new: 1,
    });
    expect(Object.keys(payment)).not.toContain('lastResponse');
    expect(payment.lastResponse).toEqual({
      requestId: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
      code: 'PAYMENT_INITIATED',
      message: 'Done',
      httpStatus: 200,
      idempotencyKey: gateway.seen[0]?.headers['idempotency-key'],
      attempts: [
        {
          number: 1,
          phase: 'answered',
          httpStatus: 200,
          code: 'PAYMENT_INITIATED',
          durationMs: expect.any(Number) as unknown,
        },
      ],
      warnings: [],
    });
  });

  it('asks a partner wallet', async () => {
    gateway.answer(
      json(envelope({ ...collectionRecord, payment_method: 'partnerpesa' }, 'PAYMENT_INITIATED')),
    );
    const payment = await merchant.collections.partnerWallet(collectionRequest);
    expect(gateway.seen[0]).toMatchObject({ method: 'POST', path: '/api/v1/payments/partnerpesa' });
    expect(payment.lastResponse.warnings).toEqual([]);
  });

  it('warns of a collection that was asked for in another way', async () => {
    const warnings = ['payment_method has a value that the specification does not list'];
    gateway.answer(json(envelope(collectionRecord, 'PAYMENT_INITIATED')));
    const byWallet = await merchant.collections.partnerWallet(collectionRequest);
    expect(byWallet.lastResponse.warnings).toEqual(warnings);

    const record = { ...collectionRecord, reference: 'order-2', payment_method: 'partnerpesa' };
    gateway.answer(json(envelope(record, 'PAYMENT_INITIATED')));
    const byPhone = await merchant.collections.mobileMoney({ ...collectionRequest, reference: 'order-2' });
    expect(byPhone.lastResponse.warnings).toEqual(warnings);
  });

  it('pays a bank account', async () => {
    gateway.answer(json(envelope(bankRecord, 'DISBURSEMENT_INITIATED'), 201));
    const payout = await merchant.disbursements.bank(bankRequest);
    expect(gateway.seen[0]).toMatchObject({ method: 'POST', path: '/api/v1/disbursements/bank' });
    expect(gateway.seen[0]?.headers['idempotency-key']).toMatch(UUID_V5);
    expect(JSON.parse(gateway.seen[0]?.body ?? '')).toEqual({
      ...bankRequest,
      amount: 250000,
      currency: 'TZS',
    });
    expect(payout).toEqual({ ...bankRecord, metadata: {} });
    expect(payout.lastResponse.httpStatus).toBe(201);
  });

  it('pays a mobile money wallet', async () => {
    gateway.answer(json(envelope(mobileRecord, 'DISBURSEMENT_INITIATED')));
    const payout = await merchant.disbursements.mobileMoney(mobileRequest);
    expect(gateway.seen[0]).toMatchObject({ method: 'POST', path: '/api/v1/disbursements/mobile-money' });
    expect(JSON.parse(gateway.seen[0]?.body ?? '')).toEqual({
      ...mobileRequest,
      amount: 5000,
      currency: 'TZS',
    });
    expect(payout).toEqual(mobileRecord);
  });

  it('turns numbers of a payout into exact strings, and warns about what is not listed', async () => {
    const numbers = { amount: 250000, fee: 1500, total_amount: 251500, status: 'resting' };
    gateway.answer(json(envelope({ ...bankRecord, ...numbers }, 'DISBURSEMENT_INITIATED')));
    const payout = await merchant.disbursements.bank(bankRequest);
    expect(payout).toEqual({ ...bankRecord, status: 'resting', metadata: {} });
    expect(payout.lastResponse.warnings).toEqual(['status has a value that the specification does not list']);

    gateway.answer(json(envelope({ ...mobileRecord, channel: 'CASH' }, 'DISBURSEMENT_INITIATED')));
    const mobile = await merchant.disbursements.mobileMoney(mobileRequest);
    expect(mobile.lastResponse.warnings).toEqual([
      'channel has a value that the specification does not list',
    ]);
  });

  it.each([[['x']], ['x'], [17], [true]])('leaves a payment unknown whose record is %j', async (data) => {
    gateway.answer(json(envelope(data)));
    const { collections, disbursements } = merchant;
    const once = { retry: false } as const;
    for (const call of [
      () => collections.mobileMoney(collectionRequest, once),
      () => collections.partnerWallet({ ...collectionRequest, reference: 'order-2' }, once),
      () => disbursements.bank(bankRequest, once),
      () => disbursements.mobileMoney(mobileRequest, once),
    ]) {
      await expect(call()).rejects.toMatchObject({
        name: 'PaymentOutcomeUnknownError',
        evidence: 'bad-answer',
      });
    }
  });

  it('looks a name up, without an idempotency key', async () => {
    const request = { channel: 'BANK', account_number: '0150123456789', bank_code: 'ABC' } as const;
    const answer = { ...request, account_name: 'Juma Hamisi', bank_name: 'Able Bank' };
    gateway.answer(json(envelope(answer, 'ACCOUNT_VERIFIED')));
    const result = await merchant.names.lookup(request);
    expect(gateway.seen[0]).toMatchObject({ method: 'POST', path: '/api/v1/disbursements/name-lookup' });
    expect(gateway.seen[0]?.headers).not.toHaveProperty('idempotency-key');
    expect(result).toEqual(answer);
    expect(result.lastResponse).not.toHaveProperty('idempotencyKey');
    expect(result.lastResponse.warnings).toEqual([]);
  });

  it('compares the answer to a lookup with what was asked for only', async () => {
    const request = { channel: 'PARTNERPESA', account_number: '17' } as const;
    const answer = { ...request, account_name: 'Juma Hamisi' };
    gateway.answer(json(envelope({ ...answer, bank_code: 'ABC' })));
    expect((await merchant.names.lookup(request)).lastResponse.warnings).toEqual([]);
    gateway.answer(json(envelope({ ...answer, account_number: '18' })));
    expect((await merchant.names.lookup(request)).lastResponse.warnings).toEqual([
      'account_number of the answer is not the one that was asked for',
    ]);
  });

  it('reads the balance as exact strings, with no body and no content type', async () => {
    gateway.answer(
      json(
        envelope({ balance: 1500000.5, available_balance: 1500000, locked_balance: 0.5, currency: 'TZS' }),
      ),
    );
    await expect(merchant.wallet.balance()).resolves.toEqual({
      balance: '1500000.50',
      available_balance: '1500000.00',
      locked_balance: '0.50',
      currency: 'TZS',
    });
    expect(gateway.seen[0]).toMatchObject({ method: 'GET', path: '/api/v1/merchant-balance', body: '' });
    expect(gateway.seen[0]?.headers).not.toHaveProperty('content-type');
    expect(gateway.seen[0]?.headers.accept).toBe('application/json');
  });

  it('lists banks and finds one by its code, whatever its case', async () => {
    const banks = [
      { id: 1, name: 'Able Bank', code: 'ABC' },
      { id: 2, name: 'Best Bank', code: 'BBB' },
    ];
    gateway.answer(json(envelope(banks)));
    const listed = await merchant.banks.list();
    expect(listed).toEqual(banks);
    expect(listed.lastResponse.code).toBe('SUCCESS');
    const found = await merchant.banks.find(' bbb ');
    expect(found).toEqual(banks[1]);
    expect(found?.lastResponse.attempts).toHaveLength(1);
    await expect(merchant.banks.find('BB')).resolves.toBeUndefined();
    await expect(merchant.banks.find(' ')).rejects.toThrow('code must be a string that is not blank');
    expect(gateway.seen[0]).toMatchObject({ method: 'GET', path: '/api/v1/bank-shortnames' });
  });

  it('sends the key as a bearer token if the option says so', async () => {
    const bearer = await startMerchant({ baseUrl: gateway.baseUrl, auth: 'bearer' });
    gateway.answer(json(envelope([])));
    await bearer.banks.list();
    await bearer.close();
    expect(gateway.seen[0]?.headers.authorization).toBe(`Bearer ${API_KEY}`);
    expect(gateway.seen[0]?.headers).not.toHaveProperty('x-api-key');
    expect(gateway.seen[0]?.headers).not.toHaveProperty('x-api-secret');
  });

  it('writes amounts as strings if the option says so', async () => {
    const strings = await startMerchant({
      baseUrl: gateway.baseUrl,
      amountFormat: { collections: 'string', disbursements: 'string' },
    });
    gateway.answer(json(envelope(collectionRecord)), json(envelope(bankRecord)));
    await strings.collections.mobileMoney(collectionRequest);
    await strings.disbursements.bank(bankRequest);
    await strings.close();
    expect(gateway.seen.map(({ body }) => (JSON.parse(body) as { amount: unknown }).amount)).toEqual([
      '1180.50',
      '250000.00',
    ]);
  });

  it('reuses its connections for calls in a row', async () => {
    gateway.answer(json(envelope([])));
    for (let call = 0; call < 20; call += 1) await merchant.banks.list();
    // undici rests a connection for one turn of the event loop, so two take turns.
    expect(gateway.connections()).toBeLessThanOrEqual(2);
  });

  it('lets the application add interceptors', async () => {
    gateway.answer(json(envelope([])));
    merchant.http.axiosRef.interceptors.request.use((config) => {
      config.headers.set('x-trace', 'abc');
      return config;
    });
    await merchant.banks.list();
    expect(gateway.seen[0]?.headers['x-trace']).toBe('abc');
  });
});
