import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Injectable, type INestApplicationContext, Logger, Module, type OnModuleInit } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OnPayment, PaymentsModule, type PaymentWebhookEvent } from 'nestjs-payments';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { snippetsOf } from '../../support/document-pages.js';
import { paymentsOptions, scheme, secret } from '../../support/webhook-app.js';

type Handler = (event: object) => Promise<{ readonly statusCode: number; readonly body: unknown }>;

/** Inside the repository, where the packages that the snippet imports are found. */
const folder = join(import.meta.dirname, `.function-${process.pid}`);

/** Where the boot fails. */
let failure: 'a provider' | 'onModuleInit' | undefined;
const references: string[] = [];

@Injectable()
class Orders implements OnModuleInit {
  constructor() {
    if (failure === 'a provider') throw new Error('The database is away.');
  }

  onModuleInit(): void {
    if (failure === 'onModuleInit') throw new Error('The database is away.');
  }

  @OnPayment('*')
  heard({ data }: PaymentWebhookEvent): void {
    references.push(data.reference);
  }
}

@Module({ imports: [PaymentsModule.forRoot(paymentsOptions())], providers: [Orders] })
class AppModule {}

beforeAll(() => {
  Logger.overrideLogger(false);
  vi.stubGlobal('AppModule', AppModule);
  mkdirSync(folder);
});
afterAll(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

it('the function of docs/hosts.md handles the event after one whose boot failed, in an application that it boots once', async () => {
  const code = [...snippetsOf('docs/hosts.md').values()].find((text) => text.startsWith('// lambda.ts'));
  const file = join(folder, 'lambda.ts');
  writeFileSync(file, code!);
  const boots = vi.spyOn(NestFactory, 'createApplicationContext');
  const { handler } = (await import(file)) as { readonly handler: Handler };
  const eventOf = (reference: string): object => {
    const body = JSON.stringify(paymentEvent('payment.success', { reference }));
    return { body, isBase64Encoded: false, headers: signWebhook({ scheme, secret, body }) };
  };

  const reason = new Error('The database is away.');
  for (failure of ['a provider', 'onModuleInit'] as const) {
    const atOnce = await Promise.allSettled([handler(eventOf('order-1')), handler(eventOf('order-2'))]);
    expect(atOnce).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
  }
  expect(boots).toHaveBeenCalledTimes(2);

  failure = undefined;
  for (const reference of ['order-1', 'order-2']) {
    expect(await handler(eventOf(reference))).toMatchObject({ statusCode: 200 });
  }
  expect(references).toEqual(['order-1', 'order-2']);
  expect(boots).toHaveBeenCalledTimes(3);
  const app = (await boots.mock.results[2]!.value) as INestApplicationContext;
  await app.close();
});
