import { beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { BANK_PAYOUT, callerOf, COLLECTION, MOBILE_PAYOUT } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';

describe("the emulator's operations", () => {
  let sandbox: PaymentsSandbox;
  let gateway: ReturnType<typeof callerOf>;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 7 });
    gateway = callerOf(sandbox);
  });

  it('accept a mobile money collection with the record that the specification shows', async () => {
    const { status, body } = await gateway.collect({ amount: 1180.5, metadata: { cart: [1, 2] } });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'success',
      code: 'PAYMENT_INITIATED',
      meta: [],
      data: {
        reference: 'order-1',
        amount: '1180.50',
        fee: 23.61,
        net_amount: 1156.89,
        currency: 'TZS',
        source: 'api',
        payment_method: 'mobile_money',
        status: 'pending',
        metadata: { cart: [1, 2] },
        processing_at: null,
      },
    });
  });

  it('accept a partner wallet collection, whose record lacks merchant_id and source', async () => {
    const { body } = await gateway.post('/payments/partnerpesa', { ...COLLECTION, amount: '250' });

    expect(body['data']).toMatchObject({ amount: '250.00', payment_method: 'partnerpesa', metadata: null });
    expect(Object.keys(body['data'] as object)).not.toEqual(
      expect.arrayContaining(['merchant_id', 'source']),
    );
  });

  it('show a wallet whose balance is what is available plus what is locked', async () => {
    await gateway.payToBank();
    const { body } = await gateway.get('/merchant-balance');

    expect(body['data']).toEqual({
      balance: 1_000_000,
      available_balance: 979_500,
      locked_balance: 20_500,
      currency: 'TZS',
    });
  });

  it('list 37 banks, without their other spelling', async () => {
    const { body } = await gateway.get('/bank-shortnames');
    const banks = body['data'] as readonly Record<string, unknown>[];

    expect(banks).toHaveLength(37);
    expect(banks).toContainEqual({ id: 2, name: 'Baobab Savings Bank', code: 'BSB' });
    expect(banks).toContainEqual({ id: 25, name: 'Partner Wallet Microfinance Bank', code: 'PWMB' });
  });

  it('take both spellings of every bank, and echo the one that was sent', async () => {
    const banks = (await (await fetch(`${sandbox.url}/_sandbox/v1/banks`)).json()) as {
      items: readonly { name: string; code: string; long_code: string }[];
    };
    const spellings = banks.items.flatMap(({ name, code, long_code }) => [
      { bank_name: name, bank_code: code },
      { bank_name: name, bank_code: long_code },
    ]);
    expect(new Set(spellings.map(({ bank_code }) => bank_code)).size).toBe(74);

    for (const expected of spellings) {
      const { bank_code } = expected;
      const found = await gateway.lookUp({ channel: 'BANK', account_number: '0123456789', bank_code });
      const paid = await gateway.payToBank({ reference: `to-${bank_code}`, bank_code, amount: 1 });
      expect([found.body['data'], paid.body['data']]).toMatchObject([expected, expected]);
    }
  });

  it.each([
    [
      { channel: 'BANK', account_number: '0123456789', bank_code: 'BSB' },
      { bank_name: 'Baobab Savings Bank' },
    ],
    [{ channel: 'MOBILE_MONEY', account_number: '255712345678' }, { network: 'NET_SIX' }],
    [{ channel: 'PARTNERPESA', account_number: '255712345678' }, { channel: 'PARTNERPESA' }],
  ])('look up a holder by %j', async (request, expected) => {
    const first = await gateway.lookUp(request);
    const second = await gateway.lookUp(request);

    expect(first.body['code']).toBe('ACCOUNT_VERIFIED');
    expect(first.body['data']).toMatchObject(expected);
    expect(second.body['data']).toEqual(first.body['data']);
  });

  it('accept a bank payout to the holder that a lookup named', async () => {
    const { bank_code, account_number } = BANK_PAYOUT;
    const { body: found } = await gateway.lookUp({ channel: 'BANK', bank_code, account_number });
    const { account_name } = found['data'] as { account_name: string };
    const { body } = await gateway.payToBank({ account_name });

    expect(body).toMatchObject({
      code: 'DISBURSEMENT_INITIATED',
      data: {
        account_name,
        amount: '20000.00',
        fee: '500.00',
        total_amount: '20500.00',
        status: 'processing',
      },
    });
  });

  it('accept a payout to a mobile wallet', async () => {
    const { body } = await gateway.payToPhone();

    expect(body).toMatchObject({
      code: 'DISBURSEMENT_INITIATED',
      data: {
        recipient_phone: MOBILE_PAYOUT.recipient_phone,
        channel: 'MOBILE_MONEY',
        network: 'NET_ONE',
        total_amount: '5500.00',
        status: 'processing',
      },
    });
  });

  it('take Authorization: Bearer with the key alone, the second form of the specification', async () => {
    // RFC 9110 lets several spaces follow the name of the scheme, in any case.
    for (const authorization of ['Bearer pk_test_demo', 'bearer   pk_test_demo']) {
      const response = await fetch(`${sandbox.baseUrl}/merchant-balance`, { headers: { authorization } });
      expect(response.status).toBe(200);
    }
  });
});
