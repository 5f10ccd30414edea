import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Controller, type INestMicroservice, type Type } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR } from '@nestjs/core';
import { ClientProxyFactory, MessagePattern, type TcpOptions, Transport } from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import { CollectionsService, PaymentsErrorInterceptor } from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { PaymentsTestingModule } from 'nestjs-payments/testing';
import { firstValueFrom } from 'rxjs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

const FOLDER = join(process.cwd(), 'test', 'hosts', 'dist', 'rpc-page');

@Controller()
class PayController {
  constructor(private readonly collections: CollectionsService) {}

  @MessagePattern('pay')
  async pay(phone: string): Promise<string> {
    const { status } = await this.collections.mobileMoney({
      reference: 'order-1',
      amount: '1180.50',
      phone,
      customer_name: 'Asha Mushi',
      customer_email: 'asha@example.com',
    });
    return status;
  }
}

/** The filter of docs/graphql.md. */
async function pageFilter(): Promise<Type> {
  const page = readFileSync('docs/graphql.md', 'utf8');
  const [, code = ''] = /```ts\n(\/\/ payments-rpc\.filter\.ts\n[\s\S]*?)```/.exec(page) ?? [];
  const file = join(FOLDER, 'payments-rpc.filter.ts');
  writeFileSync(file, code);
  const { PaymentsRpcFilter } = (await import(pathToFileURL(file).href)) as {
    readonly PaymentsRpcFilter: Type;
  };
  return PaymentsRpcFilter;
}

let service: INestMicroservice | undefined;

/** @param refusal What the gateway refuses the payment with, if it does. */
async function paymentAnswer(filters: readonly Type[], phone: string, refusal?: object): Promise<unknown> {
  const module = await Test.createTestingModule({
    imports: [PaymentsTestingModule.forRoot()],
    controllers: [PayController],
    providers: [
      { provide: APP_INTERCEPTOR, useClass: PaymentsErrorInterceptor },
      ...filters.map((useClass) => ({ provide: APP_FILTER, useClass })),
    ],
  }).compile();
  if (refusal) module.get(PaymentsSandbox).next('POST /payments/mobile-money').status(422, refusal);
  service = module.createNestMicroservice<TcpOptions>({
    transport: Transport.TCP,
    options: { host: '127.0.0.1', port: 0 },
  });
  service.useLogger(false);
  await service.listen();
  const { port } = service.unwrap<Server>().address() as AddressInfo;
  const client = ClientProxyFactory.create({
    transport: Transport.TCP,
    options: { host: '127.0.0.1', port },
  });
  try {
    return await firstValueFrom(client.send('pay', phone)).catch((error: unknown) => ({ error }));
  } finally {
    await client.close();
  }
}

beforeAll(() => {
  mkdirSync(FOLDER, { recursive: true });
});
afterEach(async () => {
  await service?.close();
  service = undefined;
});
afterAll(() => {
  rmSync(FOLDER, { recursive: true });
});

describe('a microservice with PaymentsErrorInterceptor', () => {
  it('answers a payment', async () => {
    expect(await paymentAnswer([], '255754111222')).toBe('pending');
  });

  it('tells the caller nothing of an error by itself', async () => {
    expect(await paymentAnswer([], '12345')).toEqual({
      error: { status: 'error', message: 'Internal server error' },
    });
  });

  it('gives the error itself to the filter of docs/graphql.md', async () => {
    expect(await paymentAnswer([await pageFilter()], '12345')).toEqual({
      error: {
        code: 'VALIDATION_FAILED',
        message: expect.stringContaining('phone must be') as unknown,
        mayHaveBeenProcessed: false,
        final: false,
      },
    });
  });

  it.each([
    ['that a refusal with a listed code is final', { code: 'INVALID_NETWORK' }, true],
    ['that a refusal without a code is not final', {}, false],
  ])('tells the caller with the filter of docs/graphql.md %s', async (_, refusal, final) => {
    expect(await paymentAnswer([await pageFilter()], '255754111222', refusal)).toMatchObject({
      error: { mayHaveBeenProcessed: false, final },
    });
  });
});
