import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsModuleOptions } from 'nestjs-payments';
import { bankRecord, bankRequest, envelope } from '../../support/gateway-answers.js';
import { startMerchant } from '../../support/merchant.js';
import { json, startMisbehavingGateway, type MisbehavingGateway } from '../../support/misbehaving-gateway.js';

let gateway: MisbehavingGateway;

beforeEach(async () => {
  gateway = await startMisbehavingGateway();
  gateway.answer(json(envelope(bankRecord)));
});

afterEach(() => gateway.close());

async function pay(
  http: NonNullable<PaymentsModuleOptions['http']>,
  baseUrl = gateway.baseUrl,
): Promise<unknown> {
  const merchant = await startMerchant({ baseUrl, http, retry: { maxAttempts: 1 } });
  return merchant.disbursements
    .bank(bankRequest)
    .catch((error: unknown) => error)
    .finally(() => merchant.close());
}

describe('the options of HttpModule', () => {
  it('send the user of `auth` to a server before the gateway, beside the keys of the account', async () => {
    expect(await pay({ auth: { username: 'u', password: 'p' } })).toMatchObject({ status: 'processing' });
    expect(gateway.seen[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('u:p').toString('base64')}`,
      'x-api-secret': expect.stringMatching(/^sk_test_/) as unknown,
    });
  });

  it.each([
    ["the package's name", 'nestjs-payments', {}],
    ["the package's name beside other default headers", 'nestjs-payments', { headers: { 'x-shop': '1' } }],
    ['the User-Agent of the application', 'shop/2', { headers: { 'User-Agent': 'shop/2' } }],
    [
      'that one in any case and for one method',
      'shop/3',
      { headers: { post: { 'user-agent': 'shop/3' } } as never },
    ],
  ])('say who calls by %s', async (_, agent, http) => {
    expect(await pay(http)).toMatchObject({ status: 'processing' });
    expect(gateway.seen[0]?.headers['user-agent']).toBe(agent);
  });

  it('resolve the host by the `family`, and a host without one has got nothing', async () => {
    const named = gateway.baseUrl.replace('127.0.0.1', 'localhost');
    expect(await pay({ family: 4 }, named)).toMatchObject({ status: 'processing' });
    expect(await pay({ family: 6 }, named)).toMatchObject({
      name: 'GatewayUnreachableError',
      mayHaveBeenProcessed: false,
    });
    expect(gateway.seen).toHaveLength(1);
  });

  it('take no answer above `maxContentLength`, and the payment is unknown', async () => {
    expect(await pay({ maxContentLength: 10 })).toMatchObject({ name: 'PaymentOutcomeUnknownError' });
    expect(gateway.seen).toHaveLength(1);
  });

  it.each([
    ['insecureHTTPParser', { insecureHTTPParser: true }],
    ['maxRate', { maxRate: 1_000_000 }],
    ['decompress', { decompress: true }],
  ])('take %s without an agent', async (_, http) => {
    expect(await pay(http)).toMatchObject({ status: 'processing' });
    expect(gateway.seen).toHaveLength(1);
  });
});
