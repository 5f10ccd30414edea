import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type INestApplication, type Type } from '@nestjs/common';
import { type AbstractHttpAdapter } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { PaymentsTestingModule } from 'nestjs-payments/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

const FOLDER = join(process.cwd(), 'test', 'hosts', 'dist', 'graphql-page');
const PHONE = '255754111222';

interface GraphQLAnswer {
  readonly data: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions?: Record<string, unknown> }[];
}

/** The application of docs/graphql.md, with this text instead of another. */
async function pageApplication(name: string, edits: readonly (readonly [string, string])[]): Promise<Type> {
  const page = readFileSync('docs/graphql.md', 'utf8');
  const [, code = ''] = /```ts\n(\/\/ app\.module\.ts\n[\s\S]*?)```/.exec(page) ?? [];
  const file = join(FOLDER, `${name}.ts`);
  for (const [old] of edits) expect(code).toContain(old);
  writeFileSync(
    file,
    edits.reduce((text, [old, by]) => text.replaceAll(old, by), code),
  );
  const { AppModule } = (await import(pathToFileURL(file).href)) as { readonly AppModule: Type };
  return AppModule;
}

/** The error that docs/graphql.md shows. */
function shownError(): object {
  const [, json = ''] = /```json\n([\s\S]*?)```/.exec(readFileSync('docs/graphql.md', 'utf8')) ?? [];
  return JSON.parse(json) as object;
}

const MERCURIUS = [
  [
    "import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo'",
    "import { MercuriusDriver } from '@nestjs/mercurius'",
  ],
  ['<ApolloDriverConfig>', ''],
  ['driver: ApolloDriver', 'driver: MercuriusDriver'],
  ['      includeStacktraceInErrorResponses: false,\n', ''],
] as const;

const SERVERS: readonly {
  readonly name: string;
  readonly edits: readonly (readonly [string, string])[];
  readonly adapter: () => AbstractHttpAdapter;
}[] = [
  { name: 'Apollo on Express', edits: [], adapter: () => new ExpressAdapter() },
  { name: 'Apollo on Fastify', edits: [], adapter: () => new FastifyAdapter() },
  { name: 'Mercurius', edits: MERCURIUS, adapter: () => new FastifyAdapter() },
];

let app: INestApplication | undefined;
let sandbox: PaymentsSandbox;

async function start(
  name: string,
  edits: readonly (readonly [string, string])[],
  adapter: AbstractHttpAdapter,
) {
  const AppModule = await pageApplication(name.replaceAll(' ', '-'), edits);
  const module = await Test.createTestingModule({
    imports: [AppModule, PaymentsTestingModule.forApplication()],
  }).compile();
  app = module.createNestApplication(adapter, { logger: false });
  await app.listen(0, '127.0.0.1');
  sandbox = app.get(PaymentsSandbox);
}

async function ask(query: string, variables: object = {}): Promise<GraphQLAnswer> {
  const response = await fetch(`${await app!.getUrl()}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as GraphQLAnswer;
}

const payOut = (invoice: string, amount: string, phone = PHONE): Promise<GraphQLAnswer> =>
  ask(
    'mutation Pay($invoice: String!, $amount: String!, $phone: String!) { payOut(invoice: $invoice, amount: $amount, phone: $phone) }',
    {
      invoice,
      amount,
      phone,
    },
  );

beforeAll(() => {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, value] of Object.entries({
    PAYMENTS_BASE_URL: 'http://127.0.0.1:4242/api/v1',
    PAYMENTS_API_KEY: 'pk_test_demo',
    PAYMENTS_API_SECRET: 'sk_test_demo',
  }))
    process.env[name] = value;
});
afterEach(async () => {
  await app?.close();
  app = undefined;
});
afterAll(() => {
  rmSync(FOLDER, { recursive: true });
});

describe.each(SERVERS)('the application of docs/graphql.md with $name', ({ name, edits, adapter }) => {
  it('answers a query and a mutation', async () => {
    await start(name, edits, adapter());
    expect((await ask('{ balance }')).data).toEqual({ balance: '1000000.00' });
    expect((await payOut('invoice-1', '1180.50')).data).toEqual({ payOut: expect.any(String) as unknown });
  });

  it("gives the code, the status and the body of REST in an error's extensions, and nothing of the recipient", async () => {
    await start(name, edits, adapter());
    await payOut('invoice-1', '1180.50');
    sandbox.next('POST /disbursements/mobile-money').dropAfterProcessing();
    const answers = {
      unknown: await payOut('invoice-2', '1180.50'),
      reused: await payOut('invoice-1', '1180.51'),
      balance: await payOut('invoice-3', '2000000.00'),
      invalid: await payOut('invoice-4', '1180.50', '12345'),
    };
    const extensions = Object.values(answers).map(({ errors }) => errors?.[0]?.extensions);
    const body = (code: string, status: number, mayHaveBeenProcessed: boolean): object => ({
      code,
      status,
      originalError: expect.objectContaining({ statusCode: status, code, mayHaveBeenProcessed }) as unknown,
    });
    expect(extensions).toEqual([
      body('OUTCOME_UNKNOWN', 504, true),
      body('REFERENCE_REUSED', 409, true),
      body('INSUFFICIENT_BALANCE', 402, false),
      body('VALIDATION_FAILED', 400, false),
    ]);
    expect(answers.balance.errors?.[0]).toMatchObject(shownError());
    expect(JSON.stringify(answers)).not.toMatch(new RegExp(`${PHONE}|Asha|sk_test`));
  });
});

describe('the application of docs/graphql.md without the interceptor', () => {
  const without = [', { provide: APP_INTERCEPTOR, useClass: PaymentsErrorInterceptor }', ''] as const;

  it.each([
    [
      'Apollo answers INTERNAL_SERVER_ERROR',
      [without],
      () => new ExpressAdapter(),
      { code: 'INTERNAL_SERVER_ERROR' },
    ],
    ['Mercurius answers no extensions', [...MERCURIUS, without], () => new FastifyAdapter(), undefined],
  ] as const)('%s', async (title, edits, adapter, extensions) => {
    await start(title, edits, adapter());
    expect((await payOut('invoice-1', '2000000.00')).errors?.[0]?.extensions).toEqual(extensions);
  });
});
