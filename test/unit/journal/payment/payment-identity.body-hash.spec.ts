import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { CollectionsService } from '../../../../lib/collections/collections.service.js';
import { type MoneyCall } from '../../../../lib/gateway/gateway-call.js';
import { writtenRequest } from '../../../../lib/journal/payment/payment-identity.js';
import { anyCodePoint } from '../../../support/any-code-point.js';
import { collectionRequest } from '../../../support/gateway-answers.js';

type Route = 'mobileMoney' | 'partnerWallet';

const written = (
  request: object,
  amounts: 'number' | 'string' = 'number',
  route: Route = 'mobileMoney',
): ReturnType<typeof writtenRequest> => {
  let made: MoneyCall<object> | undefined;
  const service = new CollectionsService({
    rules: {
      amountFormat: { collections: amounts, disbursements: amounts },
      limits: {
        collection: { minCents: undefined, maxCents: undefined, perDay: undefined },
        disbursement: { minCents: undefined, maxCents: undefined, perDay: undefined },
      },
      networks: undefined,
      banks: undefined,
    },
    make: (call) => {
      made = call;
      return new Promise(() => {});
    },
    probe: () => Promise.resolve(undefined),
    enlist: () => Promise.reject(new Error('nobody enlists')),
    sendPlanned: () => Promise.resolve(undefined),
    stop: () => {},
    idle: () => Promise.resolve(),
  });
  void service[route](request as never);
  return writtenRequest(made!);
};
const hash = (...args: Parameters<typeof written>): string => written(...args).bodyHash;

describe('the hash of a payment', () => {
  const first = hash({ ...collectionRequest, metadata: { a: 1, b: { c: [1, 2], d: null } } });

  it('is the SHA-256 of its fields, with the version of the way it is made', () => {
    expect(hash(collectionRequest)).toBe(
      '1:b11c03ded76e5214e6f355459940989a60e7888d887f19cfb87bf679d472a9a7',
    );
  });

  it('is that of the JSON which is sent, and which the journal keeps', () => {
    const gap: unknown[] = [];
    gap[1] = 'second';
    const odd = fc.constantFrom<unknown>(
      -0,
      1e21,
      gap,
      { gap },
      { gone: undefined, '': '' },
      '\ud800',
      '\u2028',
    );
    const metadata = fc.dictionary(fc.string({ unit: anyCodePoint }), fc.oneof(fc.jsonValue(), odd));
    fc.assert(
      fc.property(metadata, (given) => {
        const sent = JSON.parse(JSON.stringify(given)) as object;
        const reversed = Object.fromEntries(Object.entries(sent).reverse());
        const first = written({ ...collectionRequest, metadata: given });
        expect(written({ ...collectionRequest, metadata: reversed })).toEqual(first);
        expect(JSON.parse(first.body)).toMatchObject({ reference: 'order-1', amount: 1180.5 });
        expect((JSON.parse(first.body) as { readonly metadata: unknown }).metadata).toEqual(sent);
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not depend on the spelling of the amount, the order of fields or the wire form', () => {
    const { amount: _amount, ...rest } = collectionRequest;
    const metadata = { b: { d: null, c: [1, 2] }, a: 1, gone: undefined };
    expect(hash({ ...rest, metadata, amount: 1180.5, currency: 'TZS' }, 'string')).toBe(first);
  });

  it('goes with the same bytes: the fields of every object are in order', () => {
    const { body } = written(
      { metadata: { b: { d: null, c: [1, 2] }, a: 1 }, ...collectionRequest },
      'string',
    );
    expect(body).toBe(
      '{"amount":"1180.50","currency":"TZS","customer_email":"asha@example.com","customer_name":"Asha Juma",' +
        '"metadata":{"a":1,"b":{"c":[1,2],"d":null}},"phone":"255712345678","reference":"order-1"}',
    );
  });

  it.each([
    ['the amount', { amount: '1180.51' }],
    ['the phone', { phone: '255712345679' }],
    ['the name', { customer_name: 'Asha Jumaa' }],
    ['the reference', { reference: 'order-2' }],
    ['a value in metadata', { metadata: { a: 1, b: { c: [2, 1], d: null } } }],
    ['metadata that is gone', { metadata: undefined }],
  ])('differs with %s', (_, change) => {
    const request = { ...collectionRequest, metadata: { a: 1, b: { c: [1, 2], d: null } }, ...change };
    expect(hash(request)).not.toBe(first);
  });

  it('differs with the operation: the same reference through the other one is another payment', () => {
    const request = { ...collectionRequest, metadata: { a: 1, b: { c: [1, 2], d: null } } };
    expect(hash(request, 'number', 'partnerWallet')).not.toBe(first);
  });
});
