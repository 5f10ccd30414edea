import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PaymentsValidationError } from 'nestjs-payments';
import {
  bankRecord,
  bankRequest,
  collectionRecord,
  collectionRequest,
  envelope,
  mobileRecord,
  mobileRequest,
} from '../../support/gateway-answers.js';
import { startMerchant, type Merchant } from '../../support/merchant.js';
import { json, startMisbehavingGateway, type MisbehavingGateway } from '../../support/misbehaving-gateway.js';

describe('a request', () => {
  let gateway: MisbehavingGateway;
  let merchant: Merchant;

  beforeEach(async () => {
    gateway = await startMisbehavingGateway();
    merchant = await startMerchant({
      baseUrl: gateway.baseUrl,
      networks: ['NET_ONE'],
      limits: { collection: { min: '500' }, disbursement: { max: 300_000n } },
    });
  });

  afterEach(async () => {
    await merchant.close();
    await gateway.close();
  });

  it('that is wrong is refused by field, and nothing is sent', async () => {
    const { collections, disbursements, names, wallet } = merchant;
    const calls: [call: Promise<unknown>, field: string][] = [
      [collections.mobileMoney({ ...collectionRequest, phone: '0712345678' }), 'phone'],
      [collections.partnerWallet({ ...collectionRequest, amount: '499.99' }), 'amount'],
      [disbursements.bank({ ...bankRequest, amount: '300000.01' }), 'amount'],
      [disbursements.mobileMoney({ ...mobileRequest, amount: 300_001 }), 'amount'],
      [disbursements.mobileMoney({ ...mobileRequest, network: 'NET_TWO' }), 'network'],
      [names.lookup({ channel: 'BANK', account_number: '015' }), 'bank_code'],
      [collections.mobileMoney(collectionRequest, { attempt: 0 }), 'attempt'],
      [wallet.balance({ timeoutMs: -1 }), 'timeoutMs'],
    ];
    for (const [call, field] of calls) {
      const error: unknown = await call.catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(PaymentsValidationError);
      expect(Object.keys((error as PaymentsValidationError).errors)).toEqual([field]);
    }
    expect(gateway.seen).toHaveLength(0);
  });

  it('names the allowed networks', async () => {
    await expect(
      merchant.disbursements.mobileMoney({ ...mobileRequest, network: 'NET_TWO' }),
    ).rejects.toThrow('network must be one of the networks option: NET_ONE');
  });

  it('carries the same key for the same payment on every replica, and another one for the next attempt', async () => {
    gateway.answer(json(envelope(collectionRecord)));
    await merchant.collections.mobileMoney(collectionRequest);
    for (const attempt of [1, 2]) {
      const replica = await startMerchant({ baseUrl: gateway.baseUrl });
      await replica.collections.mobileMoney(collectionRequest, { attempt });
      await replica.close();
    }
    const [first, again, next] = gateway.seen.map(({ headers }) => headers['idempotency-key']);
    expect(again).toBe(first);
    expect(next).not.toBe(first);
  });

  it("carries the caller's key if there is one", async () => {
    gateway.answer(json(envelope(bankRecord)));
    const payout = await merchant.disbursements.bank(bankRequest, {
      idempotencyKey: 'from-the-old-system-17',
    });
    expect(gateway.seen[0]?.headers['idempotency-key']).toBe('from-the-old-system-17');
    expect(payout.lastResponse.idempotencyKey).toBe('from-the-old-system-17');
  });

  it('keeps what is outside ASCII, byte for byte', async () => {
    const reference = 'agizo-№1-\u{1F34B}';
    gateway.answer(json(envelope({ ...collectionRecord, reference })));
    await merchant.collections.mobileMoney({ ...collectionRequest, reference, customer_name: 'Ñandú' });
    expect(JSON.parse(gateway.seen[0]?.body ?? '')).toMatchObject({ reference, customer_name: 'Ñandú' });
  });

  it('is sent as it was when the call began, whatever the application changes meanwhile', async () => {
    const request = { ...mobileRequest, metadata: { batch: 'one' } };
    gateway.answer(json({ message: 'Too many' }, 429, { 'retry-after': '0' }), json(envelope(mobileRecord)));
    const call = merchant.disbursements.mobileMoney(request);
    request.metadata.batch = 'two';
    await call;
    expect(gateway.seen.map(({ body }) => (JSON.parse(body) as typeof request).metadata.batch)).toEqual([
      'one',
      'one',
    ]);
  });

  it('is not touched by what the application does to its metadata before the answer has come', async () => {
    const metadata: Record<string, unknown> = { batch: 'one', lines: ['a'] };
    const refused = { success: false, message: 'no', errors: { remarks: ['bad'] } };
    gateway.answer((response) => {
      metadata['circle'] = metadata;
      (metadata['lines'] as unknown[]).push(metadata);
      response.writeHead(422, { 'content-type': 'application/json' }).end(JSON.stringify(refused));
    });
    await expect(merchant.disbursements.mobileMoney({ ...mobileRequest, metadata })).rejects.toMatchObject({
      ...{ name: 'PaymentRejectedError', final: true, code: 'INVALID_REQUEST' },
    });
    expect(await merchant.journal.get('disbursement', mobileRequest.reference)).toMatchObject({
      state: 'rejected',
    });
  });

  it.each<[what: string, list: () => unknown]>([
    ['writes itself', () => Object.assign(['a'], { toJSON: () => ['b'] })],
    ['a getter makes up', () => Object.defineProperty(['a'], 0, { get: Math.random, enumerable: true })],
    ['is behind a proxy', () => new Proxy(['a'], { get: () => Math.random() })],
  ])('is refused if a list in its metadata %s: it could change before sending', async (_, list) => {
    const call = merchant.disbursements.mobileMoney({ ...mobileRequest, metadata: { list: list() } });
    await expect(call).rejects.toMatchObject({
      name: 'PaymentsValidationError',
      errors: { metadata: [expect.stringContaining('metadata must hold only strings')] },
    });
    expect(gateway.seen).toHaveLength(0);
  });

  it('writes large amounts as exact JSON numbers', async () => {
    gateway.answer(json(envelope({ ...collectionRecord, amount: '9999999999999.99' })));
    await merchant.collections.mobileMoney({ ...collectionRequest, amount: '9999999999999.99' });
    expect(gateway.seen[0]?.body).toContain('"amount":9999999999999.99,');
  });

  it('that looks a name up warns when the answer is about another account', async () => {
    const request = { channel: 'BANK', account_number: '015', bank_code: 'ABC' } as const;
    gateway.answer(
      json(envelope({ type: 'BANK', account_number: '016', account_name: 'A', bank_code: 'ABC_LONG' })),
    );
    const result = await merchant.names.lookup(request);
    expect(result.channel).toBe('BANK');
    expect(result.lastResponse.warnings).toEqual([
      'channel of the answer is not the one that was asked for',
      'account_number of the answer is not the one that was asked for',
      'bank_code of the answer is not the one that was asked for',
    ]);
  });
});
