import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bankRequest, collectionRequest, envelope, mobileRequest } from '../../support/gateway-answers.js';
import { type Merchant, startMerchant } from '../../support/merchant.js';
import { json, type MisbehavingGateway, startMisbehavingGateway } from '../../support/misbehaving-gateway.js';

let gateway: MisbehavingGateway;
let merchant: Merchant;

beforeEach(async () => {
  gateway = await startMisbehavingGateway();
  merchant = await startMerchant({ baseUrl: gateway.baseUrl, networks: ['NET_ONE', 'NET_TWO'] });
});
afterEach(async () => {
  await merchant.close();
  await gateway.close();
});

describe('the bank list', () => {
  it.each([[{}], ['banks'], [7], [{ banks: [] }]])('cannot be read from %j', async (data) => {
    gateway.answer(json(envelope(data)));
    await expect(merchant.banks.list({ retry: false })).rejects.toMatchObject({
      name: 'GatewayAnswerError',
      code: 'BAD_ANSWER',
      mayHaveBeenProcessed: false,
    });
  });

  it('refuses to look for a bank without a code, and names the operation', async () => {
    await expect(merchant.banks.find('  ')).rejects.toMatchObject({ operation: 'banks.list' });
    expect(gateway.seen).toEqual([]);
  });

  it('leaves out an entry without a code, and says so', async () => {
    const bank = { id: 1, name: 'Able Bank', code: 'ABC', branches: [] };
    gateway.answer(json(envelope([bank, { name: 'No code' }, null])));
    const banks = await merchant.banks.list();
    expect([...banks]).toEqual([bank]);
    expect(banks.lastResponse.warnings).toEqual(['2 entries without a code were left out']);
  });
});

describe('a name lookup', () => {
  const asked = { channel: 'BANK', account_number: ' 0150 ', bank_code: 'ABC' } as const;
  const found = { account_name: 'JUMA', account_number: '0150', channel: 'BANK', bank_code: 'ABC' };

  it('finds the account of the request, whatever blanks are around it', async () => {
    gateway.answer(json(envelope({ ...found, account_number: '0150  ' })));
    const result = await merchant.names.lookup(asked);
    expect(result.account_name).toBe('JUMA');
    expect(result.lastResponse.warnings).toEqual([]);
  });

  it('takes no name that is longer than any, and keeps it out of the error', async () => {
    gateway.answer(json(envelope({ ...found, account_name: `${'JUMA '.repeat(51)}J` })));
    const error: unknown = await merchant.names.lookup(asked).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'GatewayAnswerError' });
    expect(inspect(error, { depth: Infinity })).not.toContain('JUMA');
  });

  it('says that the answer is about another account', async () => {
    gateway.answer(json(envelope({ ...found, account_number: '0151' })));
    const result = await merchant.names.lookup(asked);
    expect(result.lastResponse.warnings).toEqual([
      'account_number of the answer is not the one that was asked for',
    ]);
  });

  it('has the account of the request if the answer repeats nothing of it, and says so', async () => {
    gateway.answer(json(envelope({ account_name: 'JUMA', account_number: null })));
    const result = await merchant.names.lookup(asked);
    expect(result).toEqual({ ...asked, account_name: 'JUMA' });
    expect(result.lastResponse.warnings).toEqual(
      ['channel', 'account_number', 'bank_code'].map(
        (field) => `${field} of the answer is not the one that was asked for`,
      ),
    );
    gateway.answer(json(envelope({ account_name: 'ASHA' })));
    const wallet = { channel: 'MOBILE_MONEY', account_number: '255754000111' } as const;
    expect(await merchant.names.lookup(wallet)).toEqual({ ...wallet, account_name: 'ASHA' });
  });

  it.each([[''], [7]])('takes no bank code %j, even for a channel that needs none', async (bank_code) => {
    const request = { channel: 'MOBILE_MONEY', account_number: '255754000111', bank_code } as never;
    await expect(merchant.names.lookup(request)).rejects.toMatchObject({
      operation: 'name-lookup',
      errors: { bank_code: ['bank_code must be a bank code: leave it out, it is only for the channel BANK'] },
    });
    expect(gateway.seen).toEqual([]);
  });

  describe('of an account that the gateway does not know', () => {
    const hintOf = async (request: object, code = 'ACCOUNT_NOT_FOUND'): Promise<unknown> => {
      gateway.answer(json({ ...envelope(null, code), status: 'error', message: 'No.' }, 422));
      const error: unknown = await merchant.names.lookup(request as never).catch((thrown: unknown) => thrown);
      const said = { name: 'PaymentRejectedError', code, operation: 'name-lookup', httpStatus: 422 };
      expect(error).toMatchObject({ ...said, final: true, errors: {} });
      expect(error).toHaveProperty('attempts', [expect.objectContaining({ httpStatus: 422 })]);
      expect(JSON.stringify(error)).not.toContain('12345678');
      return (error as { readonly hint: unknown }).hint;
    };
    const mobile = (account_number: string) => ({ channel: 'MOBILE_MONEY', account_number });
    const FORM =
      'Write the mobile number as 255 and nine digits, which normalizeTzPhone() makes of 0712 345 678; if it gives undefined, ask the recipient again.';
    const ASK = 'Ask the recipient for the account number again.';

    it.each(['0712345678', '+255712345678', '712345678', '255 712 345 678'])(
      'says how a mobile number is written, without the number: %s',
      async (number) => {
        expect(await hintOf(mobile(number))).toBe(FORM);
        expect(await hintOf(mobile(number), 'INVALID_ACCOUNT')).toBe(FORM);
      },
    );

    it('says to ask the recipient if the number is written rightly, or is no mobile number', async () => {
      expect(await hintOf(mobile('255712345678'))).toBe(ASK);
      expect(await hintOf({ ...asked, account_number: '0712345678' })).toBe(ASK);
      expect(await hintOf({ channel: 'PARTNERPESA', account_number: '0712345678' })).toBe(ASK);
    });

    it('says what another refusal asks for', async () => {
      expect(await hintOf(mobile('0712345678'), 'INVALID_CHANNEL')).toBe(
        'Use MOBILE_MONEY, BANK or PARTNERPESA.',
      );
    });
  });

  it('names the channels that there are', async () => {
    const request = { ...asked, channel: 'CASH' } as never;
    await expect(merchant.names.lookup(request)).rejects.toMatchObject({
      errors: { channel: ['channel must be one of MOBILE_MONEY, BANK, PARTNERPESA'] },
    });
    expect(gateway.seen).toEqual([]);
  });
});

describe('a payout to a mobile wallet', () => {
  it('names the networks of the option if it has another one', async () => {
    const request = { ...mobileRequest, network: 'NET_THREE' };
    await expect(merchant.disbursements.mobileMoney(request)).rejects.toMatchObject({
      errors: { network: ['network must be one of the networks option: NET_ONE, NET_TWO'] },
    });
    expect(gateway.seen).toEqual([]);
  });
});

describe('the balance', () => {
  const balance = { balance: '12.00', available_balance: '10.00', locked_balance: '2.00', currency: 'TZS' };

  it.each(['balance', 'available_balance', 'locked_balance'])('cannot be read without %s', async (field) => {
    gateway.answer(json(envelope({ ...balance, [field]: undefined })));
    await expect(merchant.wallet.balance({ retry: false })).rejects.toMatchObject({ code: 'BAD_ANSWER' });
  });

  it.each([[null], ['12.00'], [{ ...balance, balance: 0.125 }]])('cannot be read from %j', async (data) => {
    gateway.answer(json(envelope(data)));
    await expect(merchant.wallet.balance({ retry: false })).rejects.toMatchObject({ code: 'BAD_ANSWER' });
  });
});

describe('a payment of which the gateway repeats only the reference', () => {
  it.each([
    ['a payout', 'salary-1', () => merchant.disbursements.bank({ ...bankRequest, amount: '2000' })],
    [
      'a collection',
      'order-1',
      () => merchant.collections.mobileMoney({ ...collectionRequest, amount: '2000' }),
    ],
  ])('%s has an amount, a currency and a status, also when it is repeated', async (_, reference, pay) => {
    gateway.answer(json(envelope({ reference })));
    const certain = { reference, amount: '2000.00', currency: 'TZS', status: 'pending' };
    const first = await pay();
    expect(first).toEqual(certain);
    expect(first.lastResponse.warnings).toContain('the answer has no status');
    expect(first.lastResponse.warnings).toContain(
      'the answer does not repeat amount, so it could not be compared',
    );
    const repeated = await pay();
    expect(repeated).toEqual(certain);
    expect(repeated.lastResponse.attempts).toEqual([]);
    expect(repeated.lastResponse.warnings).toContain('the answer has no amount');
    expect(gateway.seen).toHaveLength(1);
  });
});
