import { type HttpService } from '@nestjs/axios';
import { expect, it } from 'vitest';
import { InFlight } from '../../../lib/common/in-flight.js';
import { resolveOptions } from '../../../lib/config/resolve-options.js';
import { callLimits } from '../../../lib/gateway/call-options.js';
import { type MoneyCall, type ReadCall } from '../../../lib/gateway/gateway-call.js';
import { constantKeys } from '../../../lib/gateway/account-keys.js';
import { accountTransport } from '../../../lib/gateway/http/account-transport.js';
import { createGatewayClient } from '../../../lib/gateway/gateway-client.js';

const OPTIONS = resolveOptions({
  baseUrl: 'http://127.0.0.1:1/api/v1',
  apiKey: 'pk_test_1',
  apiSecret: 'sk_test_1',
});
const OWN_HEADERS = { 'X-API-KEY': 'pk_test_1', 'X-API-SECRET': 'sk_test_1' };
const read = (data: unknown) => ({ value: data as object, warnings: [] });
const COLLECTION: MoneyCall<object> = {
  kind: 'collection',
  operation: 'collection.mobile-money',
  method: 'POST',
  path: '/payments/mobile-money',
  payment: { reference: 'order-1', amount: '100.00', currency: 'TZS' },
  read,
};
const BALANCE: ReadCall<object> = {
  kind: 'read',
  operation: 'wallet.balance',
  method: 'GET',
  path: '/merchant-balance',
  read,
};

/** A client whose requests go nowhere, and what they would have sent. */
function clientOfNobody(data: object) {
  const sent: { readonly headers: object }[] = [];
  const axiosRef = {
    request: (request: { readonly headers: object }) => {
      sent.push(request);
      const answer = { status: 'success', code: 'OK', message: 'Yes', data };
      return Promise.resolve({ status: 200, headers: {}, data: JSON.stringify(answer) });
    },
  };
  return {
    client: createGatewayClient(
      OPTIONS,
      accountTransport({ axiosRef } as unknown as HttpService),
      constantKeys(OPTIONS),
      new InFlight(10),
    ),
    sent,
  };
}

it('sends a payment with its key, its body and the credentials, below the base address', async () => {
  const { client, sent } = clientOfNobody(COLLECTION.payment);
  const identity = { idempotencyKey: 'key-1', body: '{"reference":"order-1"}' };
  expect(await client.send(COLLECTION, identity, callLimits(OPTIONS))).toMatchObject({ end: 'success' });
  expect(sent).toHaveLength(1);
  expect(sent[0]).toMatchObject({
    method: 'POST',
    url: 'http://127.0.0.1:1/api/v1/payments/mobile-money',
    headers: { 'Idempotency-Key': 'key-1', 'Content-Type': 'application/json', ...OWN_HEADERS },
    data: identity.body,
  });
});

it('sends a request without a body without a key and without a content type', async () => {
  const { client, sent } = clientOfNobody({ balance: '1.00' });
  expect(await client.read(BALANCE)).toEqual({ balance: '1.00' });
  expect(sent.map(({ headers }) => headers)).toEqual([
    {
      ...OWN_HEADERS,
      Accept: 'application/json',
      'Accept-Encoding': 'identity',
      'User-Agent': 'nestjs-payments',
    },
  ]);
});
