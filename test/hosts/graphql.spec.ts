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

/** What the page exports. */
interface Page {
  readonly AppModule: Type;
  readonly Orders: Type<{ readonly rows: Map<string, object> }>;
}

interface GraphQLAnswer {
  readonly data: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions?: Record<string, unknown> }[];
}

/** The application of docs/graphql.md, with this text instead of another. */
async function pageApplication(name: string, edits: readonly (readonly [string, string])[]): Promise<Page> {
  const page = readFileSync('docs/graphql.md', 'utf8');
  const [, code = ''] = /```ts\n(\/\/ app\.module\.ts\n[\s\S]*?)```/.exec(page) ?? [];
  const file = join(FOLDER, `${name}.ts`);
  for (const [old] of edits) expect(code).toContain(old);
  writeFileSync(
    file,
    edits.reduce((text, [old, by]) => text.replaceAll(old, by), code),
  );
  return (await import(pathToFileURL(file).href)) as Page;
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
  const { AppModule, Orders } = await pageApplication(name.replaceAll(' ', '-'), edits);
  const module = await Test.createTestingModule({
    imports: [AppModule, PaymentsTestingModule.forApplication()],
  }).compile();
  app = module.createNestApplication(adapter, { logger: false });
  await app.listen(0, '127.0.0.1');
  sandbox = app.get(PaymentsSandbox);
  const { rows } = app.get(Orders);
  for (const order of ['order-2', 'order-3']) rows.set(order, rows.get('order-1')!);
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

const pay = (order: string, phone = PHONE): Promise<GraphQLAnswer> =>
  ask('mutation Pay($order: String!, $phone: String!) { pay(order: $order, phone: $phone) }', {
    order,
    phone,
  });

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
    const payment = '{ payment(order: "order-1") }';
    expect((await ask(payment)).data).toEqual({ payment: 'not asked for' });
    expect((await pay('order-1')).data).toEqual({ pay: 'pending' });
    expect((await ask(payment)).data).toEqual({ payment: 'accepted' });
    expect((await pay('another-order')).errors).toHaveLength(1);
    expect(sandbox.payments()).toHaveLength(1);
  });

  it("gives the code, the status and the body of REST in an error's extensions, and nothing of the recipient", async () => {
    await start(name, edits, adapter());
    await pay('order-1');
    const payment = 'POST /payments/mobile-money';
    sandbox.next(payment, { reference: 'order-2' }).dropAfterProcessing().times(2);
    sandbox.next(payment, { reference: 'order-3' }).status(422, { code: 'INVALID_REQUEST' });
    const answers = {
      unknown: await pay('order-2'),
      reused: await pay('order-1', '255754111223'),
      refused: await pay('order-3'),
      invalid: await pay('order-3', '12345'),
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
      body('INVALID_REQUEST', 422, false),
      body('VALIDATION_FAILED', 400, false),
    ]);
    expect(answers.refused.errors?.[0]).toMatchObject(shownError());
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
    sandbox.next('POST /payments/mobile-money').status(422, { code: 'INVALID_REQUEST' });
    expect((await pay('order-1')).errors?.[0]?.extensions).toEqual(extensions);
  });
});
