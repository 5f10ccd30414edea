import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { bankRequest, collectionRequest, mobileRequest } from '../../support/gateway-answers.js';
import { startMerchant, type Merchant } from '../../support/merchant.js';
import { startSandbox } from '../../support/sandbox.js';

describe('calls to the emulator', () => {
  let sandbox: PaymentsSandbox;
  let merchant: Merchant;
  let bankCode: string;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    merchant = await startMerchant({ ...sandbox.moduleOptions(), timeoutMs: 1_000 });
    bankCode = (await merchant.banks.list())[0]?.code ?? '';
  });

  afterEach(async () => {
    await merchant.close();
    await sandbox.stop();
  });

  it('ask for money through both channels', async () => {
    const prompt = await merchant.collections.mobileMoney({
      ...collectionRequest,
      metadata: { cart: [1, 2] },
    });
    const push = await merchant.collections.partnerWallet({ ...collectionRequest, reference: 'order-2' });
    expect(prompt).toMatchObject({ status: 'pending', amount: '1180.50', metadata: { cart: [1, 2] } });
    expect(prompt.fee).toMatch(/^\d+\.\d\d$/);
    expect(push).toMatchObject({ status: 'pending', payment_method: 'partnerpesa' });
    expect(prompt.lastResponse).toMatchObject({ code: 'PAYMENT_INITIATED', warnings: [] });
    expect(push.lastResponse.warnings).toEqual([]);
  });

  it('look a recipient up and pay both ways out', async () => {
    const { account_number } = bankRequest;
    const holder = await merchant.names.lookup({ channel: 'BANK', account_number, bank_code: bankCode });
    const before = await merchant.wallet.balance();
    const bank = await merchant.disbursements.bank({
      ...bankRequest,
      bank_code: bankCode,
      account_name: holder.account_name,
    });
    const mobile = await merchant.disbursements.mobileMoney(mobileRequest);
    const after = await merchant.wallet.balance();
    expect([bank.status, mobile.status]).toEqual(['processing', 'processing']);
    expect([bank.lastResponse.warnings, mobile.lastResponse.warnings]).toEqual([[], []]);
    expect(holder.lastResponse.warnings).toEqual([]);
    const locked = Number(bank.total_amount) + Number(mobile.total_amount);
    expect(Number(after.locked_balance) - Number(before.locked_balance)).toBeCloseTo(locked, 2);
    await expect(merchant.banks.find(bankCode.toLowerCase())).resolves.toMatchObject({ code: bankCode });
  });

  it('find out that the account does not exist', async () => {
    sandbox.directory.close('0999');
    await expect(
      merchant.names.lookup({ channel: 'BANK', account_number: '0999', bank_code: bankCode }),
    ).rejects.toMatchObject({ name: 'PaymentRejectedError', code: 'ACCOUNT_NOT_FOUND' });
  });

  it('are refused if the wallet holds too little', async () => {
    await expect(
      merchant.disbursements.mobileMoney({ ...mobileRequest, amount: '9999999999999' }),
    ).rejects.toMatchObject({
      name: 'PaymentRejectedError',
      code: 'INSUFFICIENT_BALANCE',
      reference: 'salary-2',
    });
  });

  it('are refused with a pair of keys that does not belong together', async () => {
    const stranger = await startMerchant({ baseUrl: sandbox.baseUrl, apiSecret: 'sk_test_another_one' });
    await expect(stranger.wallet.balance()).rejects.toMatchObject({ name: 'PaymentsAuthenticationError' });
    await stranger.close();
  });

  it('never pay twice under one key: a caller that forgot the first payment learns of it', async () => {
    await merchant.disbursements.mobileMoney(mobileRequest);
    const evidenceOf = async (attempt: number): Promise<unknown> => {
      const forgetful = await startMerchant(sandbox.moduleOptions());
      const error: unknown = await forgetful.disbursements
        .mobileMoney(mobileRequest, { attempt })
        .catch((caught: unknown) => caught);
      await forgetful.close();
      expect(error).toMatchObject({ name: 'PaymentOutcomeUnknownError' });
      return (error as { evidence?: string }).evidence;
    };
    expect(await evidenceOf(1)).toBe('duplicate-request');
    expect(await evidenceOf(2)).toBe('duplicate-reference');
    expect(sandbox.payouts()).toHaveLength(1);
  });

  it('are unknown when the answer is lost, although the payment was made', async () => {
    sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
    await expect(merchant.collections.mobileMoney(collectionRequest)).rejects.toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      evidence: 'no-answer',
    });
    expect(sandbox.payments()).toHaveLength(1);
  });

  it('are just as unknown when the request was lost: nobody on this side can tell', async () => {
    sandbox.next('POST /payments/mobile-money').dropBefore();
    await expect(merchant.collections.mobileMoney(collectionRequest)).rejects.toMatchObject({
      evidence: 'no-answer',
    });
    expect(sandbox.payments()).toHaveLength(0);
  });

  it('are unknown when the answer is cut, hangs, or comes from a proxy', async () => {
    const spoil = (): ReturnType<PaymentsSandbox['next']> => sandbox.next('POST /disbursements/mobile-money');
    const evidenceOf = (reference: string): Promise<unknown> =>
      merchant.disbursements
        .mobileMoney({ ...mobileRequest, reference })
        .catch((error: unknown) => (error as { evidence?: string }).evidence);
    spoil().malformedJson();
    expect(await evidenceOf('cut')).toBe('bad-answer');
    spoil().hang();
    expect(await evidenceOf('hanging')).toBe('no-answer');
    spoil().html(502);
    expect(await evidenceOf('proxy')).toBe('server-error');
  });

  it('come through after a 429', async () => {
    sandbox.next('POST /disbursements/mobile-money').status(429, { retryAfter: 0 });
    const payout = await merchant.disbursements.mobileMoney(mobileRequest);
    expect(payout.lastResponse.attempts.map(({ httpStatus }) => httpStatus)).toEqual([
      429,
      expect.any(Number),
    ]);
    expect(sandbox.payouts()).toHaveLength(1);
  });

  it('come through after two failures when they only read', async () => {
    sandbox.next('GET /merchant-balance').html(503).times(2);
    const balance = await merchant.wallet.balance();
    expect(balance.lastResponse.attempts.map(({ phase }) => phase)).toEqual([
      'ambiguous',
      'ambiguous',
      'answered',
    ]);
  });
});
