import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  bankRecord,
  bankRequest,
  collectionRecord,
  collectionRequest,
  envelope,
} from '../../support/gateway-answers.js';
import { API_KEY, API_SECRET, startMerchant, WAYS, type Merchant } from '../../support/merchant.js';
import {
  json,
  startMisbehavingGateway,
  text,
  type Behaviour,
  type MisbehavingGateway,
} from '../../support/misbehaving-gateway.js';

const refusal = (code: string, message = 'No') => ({ status: 'error', code, message });

describe.each(WAYS)('an answer of the gateway, %s', (way) => {
  let gateway: MisbehavingGateway;
  let merchant: Merchant;

  beforeEach(async () => {
    gateway = await startMisbehavingGateway();
    merchant = await startMerchant({ baseUrl: gateway.baseUrl }, way);
  });

  afterEach(async () => {
    await gateway.close();
    await merchant.close();
  });

  it.each([
    ['as it is', '"__proto__"'],
    ['with an escape', String.raw`"\u005f_proto__"`],
  ])(
    'has no prototype of its own in the record, spelled %s, now or when the call is repeated',
    async (_, name) => {
      const record = JSON.stringify(envelope(collectionRecord));
      const planted = record.replaceAll('{', `{${name}:{"refunded":true},`);
      expect(planted).toContain(`"data":{${name}`);
      gateway.answer(text(planted, 200, { 'content-type': 'application/json' }));
      for (const way of ['sent', 'repeated']) {
        const payment = await merchant.collections.mobileMoney(collectionRequest);
        expect(Object.getPrototypeOf(payment), way).toBe(Object.prototype);
        expect(payment, way).not.toHaveProperty('refunded');
        expect(inspect(payment, { depth: null }), way).not.toContain('refunded');
      }
      expect(gateway.seen).toHaveLength(1);
    },
  );

  const payments: [what: string, behaviour: Behaviour, error: Record<string, unknown>][] = [
    [
      'a refusal in shape A',
      json(refusal('INSUFFICIENT_BALANCE'), 400),
      {
        name: 'PaymentRejectedError',
        code: 'INSUFFICIENT_BALANCE',
        httpStatus: 400,
        mayHaveBeenProcessed: false,
      },
    ],
    [
      'a refusal in shape B inside HTTP 200',
      json({ success: false, code: 'INVALID_ACCOUNT', message: 'No' }),
      { name: 'PaymentOutcomeUnknownError', evidence: 'bad-answer', httpStatus: 200 },
    ],
    [
      'field messages in shape C',
      json({ success: false, message: 'No', errors: { account_number: ['has too few digits'] } }, 422),
      {
        name: 'PaymentRejectedError',
        code: 'INVALID_REQUEST',
        errors: { account_number: ['has too few digits'] },
      },
    ],
    [
      'a bare message',
      json({ message: 'Not found' }, 404),
      { name: 'PaymentOutcomeUnknownError', evidence: 'bad-answer', httpStatus: 404 },
    ],
    [
      'refused credentials',
      json({ message: 'Unauthenticated.' }, 401),
      { name: 'PaymentsAuthenticationError', code: 'UNAUTHORIZED', httpStatus: 401 },
    ],
    [
      'denied access',
      json(refusal('INSUFFICIENT_PERMISSIONS'), 403),
      { name: 'PaymentsAuthenticationError', code: 'INSUFFICIENT_PERMISSIONS' },
    ],
    ['a used key', json(refusal('DUPLICATE_REQUEST'), 409), { evidence: 'duplicate-request' }],
    ['a used reference', json(refusal('DUPLICATE_REFERENCE'), 409), { evidence: 'duplicate-reference' }],
    ['a provider error', json(refusal('PROVIDER_ERROR'), 502), { evidence: 'provider-error' }],
    ['a code that no table lists', json(refusal('BRAND_NEW'), 400), { evidence: 'unlisted-code' }],
    ['HTML of a proxy', text('<html>Bad gateway</html>', 502), { evidence: 'server-error', httpStatus: 502 }],
    ['HTML under 200', text('<html>Welcome</html>'), { evidence: 'bad-answer' }],
    ['broken JSON', text('{"status":"success",'), { evidence: 'bad-answer' }],
    ['nothing at all', text(''), { evidence: 'bad-answer' }],
    [
      'success without data',
      json({ status: 'success', code: 'X', message: 'm' }),
      { evidence: 'bad-answer' },
    ],
    ['success with a list for a record', json(envelope([])), { evidence: 'bad-answer' }],
    [
      'another amount',
      json(envelope({ ...bankRecord, amount: '250000.01' })),
      { name: 'PaymentOutcomeUnknownError', evidence: 'echo-mismatch' },
    ],
    ['another reference', json(envelope({ ...bankRecord, reference: 'x' })), { evidence: 'echo-mismatch' }],
    ['another currency', json(envelope({ ...bankRecord, currency: 'USD' })), { evidence: 'echo-mismatch' }],
    [
      'a redirect',
      text('', 307, { location: 'http://127.0.0.1:1/' }),
      { name: 'PaymentsConfigError', httpStatus: 307 },
    ],
    ['a redirect to a result', text('', 303, { location: '/elsewhere' }), { evidence: 'bad-answer' }],
  ];

  for (const [what, behaviour, expected] of payments) {
    it(`${what} ends a payout, which is sent once`, async () => {
      gateway.answer(behaviour);
      await expect(merchant.disbursements.bank(bankRequest)).rejects.toMatchObject({
        operation: 'disbursement.bank',
        reference: 'salary-1',
        idempotencyKey: gateway.seen[0]?.headers['idempotency-key'] ?? (expect.any(String) as unknown),
        hint: expect.any(String) as unknown,
        ...expected,
      });
      expect(gateway.seen).toHaveLength(1);
    });
  }

  it('warns about what it cannot compare or does not know, and keeps it', async () => {
    const record = { ...collectionRecord, status: 'on_hold', reference: undefined, fee: 'free' };
    gateway.answer(json(envelope(record)));
    const payment = await merchant.collections.mobileMoney(collectionRequest);
    expect(payment).toMatchObject({ status: 'on_hold', fee: 'free' });
    expect(payment.lastResponse.warnings).toEqual([
      'the answer does not repeat reference, so it could not be compared',
      'fee is not an exact amount and was kept as it came',
      'status has a value that the specification does not list',
    ]);
  });

  const readable: [what: string, behaviour: Behaviour, code: string][] = [
    ['HTML', text('<html></html>', 502), 'SERVER_ERROR'],
    ['broken JSON', text('{'), 'BAD_ANSWER'],
    ['a list for a balance', json(envelope([])), 'BAD_ANSWER'],
    ['a balance that cannot be read', json(envelope({ balance: 'much' })), 'BAD_ANSWER'],
    ['a list of no use', json(envelope({ banks: [] })), 'BAD_ANSWER'],
    ['an unlisted code', json(refusal('BRAND_NEW'), 500), 'BRAND_NEW'],
  ];

  for (const [what, behaviour, code] of readable) {
    it(`${what} is no balance: the read ends as ${code} after its tries`, async () => {
      gateway.answer(behaviour);
      await expect(merchant.wallet.balance()).rejects.toMatchObject({ name: 'GatewayAnswerError', code });
      expect(gateway.seen).toHaveLength(3);
    });
  }

  it('verifies nobody without a name', async () => {
    gateway.answer(json(envelope({ channel: 'PARTNERPESA', account_number: '17' })));
    await expect(
      merchant.names.lookup({ channel: 'PARTNERPESA', account_number: '17' }, { retry: false }),
    ).rejects.toMatchObject({ code: 'BAD_ANSWER' });
  });

  it('leaves out banks without a code, with a warning', async () => {
    const bank = { id: 1, name: 'Able Bank', code: 'ABC' };
    gateway.answer(json(envelope([bank, { id: 2, name: 'No Code' }, null])));
    const banks = await merchant.banks.list();
    expect(banks).toEqual([bank]);
    expect(banks.lastResponse.warnings).toEqual(['2 entries without a code were left out']);
  });

  it('ends a lookup with the refusal of the gateway', async () => {
    gateway.answer(json(refusal('ACCOUNT_NOT_FOUND'), 404));
    await expect(
      merchant.names.lookup({ channel: 'MOBILE_MONEY', account_number: '255712345678' }),
    ).rejects.toMatchObject({ name: 'PaymentRejectedError', code: 'ACCOUNT_NOT_FOUND' });
  });

  it('ends a lookup as PROVIDER_ERROR after its tries', async () => {
    gateway.answer(json(refusal('PROVIDER_ERROR'), 502));
    await expect(
      merchant.names.lookup({ channel: 'PARTNERPESA', account_number: '17' }),
    ).rejects.toMatchObject({ name: 'GatewayAnswerError', code: 'PROVIDER_ERROR' });
    expect(gateway.seen).toHaveLength(3);
  });

  it('waits as long as a 429 asks, and then sends the same payment again', async () => {
    gateway.answer(json({ message: 'Too many' }, 429, { 'retry-after': '0' }), json(envelope(bankRecord)));
    const payout = await merchant.disbursements.bank(bankRequest);
    expect(payout.lastResponse.attempts.map(({ httpStatus }) => httpStatus)).toEqual([429, 200]);
    expect(gateway.seen[1]?.headers['idempotency-key']).toBe(gateway.seen[0]?.headers['idempotency-key']);
    expect(gateway.seen[1]?.body).toBe(gateway.seen[0]?.body);
  });

  it('does not wait for a 429 that asks for more than a minute', async () => {
    gateway.answer(json({ message: 'Too many' }, 429, { 'retry-after': '61' }));
    await expect(merchant.disbursements.bank(bankRequest)).rejects.toMatchObject({
      name: 'PaymentsRateLimitError',
      retryAfterMs: 61_000,
      mayHaveBeenProcessed: false,
    });
  });

  it('never carries the secret to where a redirect points', async () => {
    const elsewhere = await startMisbehavingGateway();
    for (const status of [301, 302, 303, 307, 308]) {
      gateway.answer(text('', status, { location: `${elsewhere.baseUrl}/merchant-balance` }));
      await expect(merchant.wallet.balance()).rejects.toMatchObject({ name: 'PaymentsConfigError' });
    }
    await elsewhere.close();
    expect(elsewhere.seen).toHaveLength(0);
  });

  it('carries the secret to no other address if an axios sends with fetch that lets it follow redirects', async () => {
    const elsewhere = await startMisbehavingGateway();
    elsewhere.answer(json(envelope(bankRecord)));
    const http = { adapter: 'fetch', fetchOptions: { redirect: 'follow' } } as const;
    const fetching = await startMerchant({ baseUrl: gateway.baseUrl, http });
    // As axios before 1.20, whose adapter does not look at it.
    fetching.http.axiosRef.interceptors.request.use(({ maxRedirects: _, ...config }) => config);
    gateway.answer(text('', 307, { location: `${elsewhere.baseUrl}/disbursements/bank` }));
    await expect(fetching.disbursements.bank(bankRequest)).rejects.toMatchObject({
      name: 'PaymentsConfigError',
    });
    await expect(fetching.wallet.balance()).rejects.toMatchObject({ name: 'PaymentsConfigError' });
    await fetching.close();
    await elsewhere.close();
    expect([gateway.seen.length, elsewhere.seen.length]).toEqual([2, 0]);
  });

  it('shows no secret and nothing personal, however an error or a service is printed', async () => {
    const { phone, customer_name, customer_email } = collectionRequest;
    const metadata = { delivery: { street: 'Mikocheni' }, notes: ['call the neighbour'] };
    const message =
      `${phone} of ${customer_name.toUpperCase()} <${customer_email}>, Mikocheni, call the neighbour, ` +
      `with ${API_KEY} and ${API_SECRET}`;
    gateway.answer(
      json({ success: false, message, errors: { phone: [message], [phone]: ['is unknown'] } }, 422),
      json({ message }, 404),
      json(refusal('BRAND_NEW', message), 500),
      json(refusal(message, message), 400),
      json(refusal(API_SECRET, message), 400),
      text(message, 502),
    );
    const printed: string[] = [];
    for (const request of [1, 2, 3, 4, 5, 6]) {
      const error: unknown = await merchant.collections
        .mobileMoney({ ...collectionRequest, reference: `order-${request}`, metadata })
        .catch((caught: unknown) => caught);
      printed.push(inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error), String(error));
    }
    printed.push(inspect(merchant.collections, { depth: 9, showHidden: true }));
    const personal = [phone, customer_name, customer_email, 'Mikocheni', 'call the neighbour'];
    for (const secret of [API_KEY, API_SECRET, ...personal]) {
      expect(printed.join('\n').toLowerCase()).not.toContain(secret.toLowerCase());
    }
  });
});
