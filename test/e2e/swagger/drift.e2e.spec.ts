import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { validateSync } from 'class-validator';
import * as entry from 'nestjs-payments';
import { MobileMoneyCollectionDto, NameLookupDto } from 'nestjs-payments';
import { ADAPTERS } from '../../support/adapters.js';
import { DocumentSchemas } from '../../support/document-schemas.js';
import { gatewaySchema, schemaProblems } from '../../support/gateway-contract.js';
import { RECORDS, REQUESTS, startSwaggerApp, type SwaggerApp } from '../../support/swagger-app.js';

/** The gateway's record of a name lookup is one of several; the others are objects. */
const LOOKUP = 'NameLookupResult';
const isLookup = ({ gateway }: (typeof RECORDS)[number]): boolean => gateway.includes(LOOKUP);

/** What a record has although the gateway may leave out what it lists as required: its answer is refused, or filled in. */
const CERTAIN: Readonly<Record<string, readonly string[]>> = {
  CollectionPayment: ['amount', 'currency', 'reference', 'status'],
  BankDisbursement: ['amount', 'currency', 'reference', 'status'],
  MobileMoneyDisbursement: ['amount', 'currency', 'reference', 'status'],
  WalletBalance: ['available_balance', 'balance', 'locked_balance'],
  Bank: ['code'],
  BankNameLookup: ['account_name', 'account_number', 'bank_code', 'channel'],
  MobileMoneyNameLookup: ['account_name', 'account_number', 'channel'],
  PartnerWalletNameLookup: ['account_name', 'account_number', 'channel'],
};

/** Put into every field of a request in turn; undefined: the field is left out. */
const VALUES: readonly unknown[] = [
  ...[undefined, null, true, false, 0, -1, 0.01, 1, 1180.5, 9_999_999_999_999, 1e13],
  ...['', ' ', 'x', 'TZS', 'tzs', 'KES', 'BANK', 'MOBILE_MONEY', 'PARTNERPESA', 'CASH'],
  ...['0', '0.00', '0.01', '1180.5', '1180.50', '1180.505', '-1', '01', '1e3', '1,000', ' 1', '1 '],
  ...['9999999999999.99', '10000000000000', '255712345678', '+255712345678', '0712345678', '25571234567'],
  ...['name@example.com', 'name@', 'NET_ONE', 'NET__ONE', '_NET', 'net_one', 'x'.repeat(255)],
  ...[[], ['x'], {}, { orderId: 17 }],
];

let host: SwaggerApp;
let schemas: DocumentSchemas;

beforeAll(async () => {
  const [[, adapter]] = ADAPTERS as [(typeof ADAPTERS)[number]];
  const keys = { apiKey: 'pk_test_shop', apiSecret: 'sk_test_shop' };
  host = await startSwaggerApp(adapter(), { baseUrl: 'http://127.0.0.1:9/api/v1', ...keys });
  schemas = new DocumentSchemas(host.document);
});
afterAll(() => host.app.close());

/** A request that is fine but for one field. */
function withField(name: string, field: string, value: unknown): Record<string, unknown> {
  const request = { ...schemas.example(name), [field]: value };
  return value === undefined
    ? Object.fromEntries(Object.entries(request).filter(([key]) => key !== field))
    : request;
}

it('the gateway has every request class of the package', () => {
  expect(
    Object.keys(entry)
      .filter((name) => name.endsWith('Dto'))
      .sort(),
  ).toEqual(REQUESTS.map(({ name }) => name).sort());
});

describe.each(REQUESTS)('the schema of $name', ({ name, Class, gateway: [gateway = ''] }) => {
  const shown = (request: object): boolean => schemas.problems(name, request).length === 0;
  const valid = (request: object): boolean => validateSync(Object.assign(new Class(), request)).length === 0;
  const taken = (request: object): boolean =>
    schemaProblems(`#/components/schemas/${gateway}`, JSON.stringify({ currency: 'TZS', ...request }))
      .length === 0;

  /** The requests of which something is true, by what was put where. */
  function casesWhere(isTrue: (request: object) => boolean): string[] {
    const cases = Object.keys(schemas.get(name).properties).flatMap((field) =>
      VALUES.map((value) => [field, value] as const),
    );
    expect(cases.length).toBeGreaterThan(100);
    return cases
      .filter(([field, value]) => isTrue(withField(name, field, value)))
      .map(([field, value]) => `${field}: ${value === undefined ? 'left out' : JSON.stringify(value)}`);
  }

  it('the schema has the fields of the gateway', () => {
    const { properties, required } = gatewaySchema(gateway);
    expect(Object.keys(schemas.get(name).properties).sort()).toEqual(Object.keys(properties).sort());
    // The package fills it in.
    const asked = required.filter((field) => field !== 'currency');
    expect([...(schemas.get(name).required ?? [])].sort()).toEqual(asked.sort());
  });

  it('the schema accepts and refuses the same requests as the validation', () => {
    // OpenAPI 3.0 has no words for "required when channel is BANK".
    const unsaid = name === NameLookupDto.name ? ['bank_code: left out'] : [];
    expect(casesWhere((request) => shown(request) !== valid(request))).toEqual(unsaid);
  });

  it('the schema accepts only what the gateway accepts', () => {
    expect(casesWhere((request) => valid(request) && !taken(request))).toEqual([]);
  });
});

describe.each(RECORDS.filter((record) => !isLookup(record)))('the schema of $name', ({ name, gateway }) => {
  it('the schema has the fields of the gateway and requires those that are certain', () => {
    const kinds = gateway.map(gatewaySchema);
    const { properties, required = [] } = schemas.get(name);
    const known = new Set(kinds.flatMap((kind) => Object.keys(kind.properties)));
    expect(Object.keys(properties).sort()).toEqual([...known].sort());
    expect([...required].sort()).toEqual(CERTAIN[name]);
  });
});

describe('the schemas of a name lookup', () => {
  it('the schemas of a name lookup have the fields of the gateway', () => {
    const { oneOf } = gatewaySchema(LOOKUP) as unknown as {
      readonly oneOf: readonly { readonly properties: object }[];
    };
    const kinds = RECORDS.filter(isLookup).map(({ name }) => name);
    expect(kinds.map((kind) => [...(schemas.get(kind).required ?? [])].sort())).toEqual(
      kinds.map((kind) => CERTAIN[kind]),
    );
    expect(kinds.map((kind) => Object.keys(schemas.get(kind).properties).sort())).toEqual(
      oneOf.map(({ properties }) => Object.keys(properties).sort()),
    );
  });
});

it('the validation refuses what OpenAPI cannot express', () => {
  const fine = schemas.example('MobileMoneyCollectionDto');
  const strict = [
    ['reference', 'é'.repeat(200)],
    ['customer_name', '\ud800'],
    ['amount', 1.005],
    ['metadata', { nested: { when: 1n } }],
  ] as const;
  for (const [field, value] of strict) {
    const request = { ...fine, [field]: value };
    expect(schemas.problems('MobileMoneyCollectionDto', request)).toEqual([]);
    expect(
      validateSync(Object.assign(new MobileMoneyCollectionDto(), request)).map(({ property }) => property),
    ).toEqual([field]);
  }
});
