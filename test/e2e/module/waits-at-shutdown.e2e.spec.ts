import { Controller, Get, type INestApplication } from '@nestjs/common';
import { type AbstractHttpAdapter } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CollectionsService,
  type JournalStore,
  memoryStorage,
  PaymentOutcomeUnknownError,
  PaymentsJournal,
  PaymentsModule,
} from 'nestjs-payments';
import { ADAPTERS } from '../../support/adapters.js';
import { collectionRecord, collectionRequest, envelope } from '../../support/gateway-answers.js';
import { API_KEY, API_SECRET } from '../../support/merchant.js';
import {
  hang,
  json,
  type MisbehavingGateway,
  startMisbehavingGateway,
} from '../../support/misbehaving-gateway.js';
import { LogLines } from '../../support/webhook-app.js';

/** Far longer than a test may take. */
const timeoutMs = 600_000;
const { reference } = collectionRequest;

@Controller()
class Checkout {
  /** How the wait of the route ended. */
  ended: Promise<unknown> | undefined;

  constructor(private readonly journal: PaymentsJournal) {}

  @Get('outcome')
  async outcome(): Promise<string> {
    this.ended = this.wait();
    await this.ended;
    return 'ended';
  }

  /** As a job does, for which Nest waits nowhere. */
  wait(): Promise<unknown> {
    return this.journal
      .waitForOutcome('collection', reference, { timeoutMs })
      .catch((error: unknown) => error);
  }
}

describe.each(ADAPTERS)('a wait for an outcome, when the application on %s stops', (_, adapter) => {
  let gateway: MisbehavingGateway;
  let app: INestApplication;
  let log: LogLines;
  let reads: number;

  beforeEach(async () => {
    gateway = await startMisbehavingGateway();
    gateway.answer(json(envelope(collectionRecord, 'PAYMENT_INITIATED')), hang);
    log = new LogLines();
    reads = 0;
    app = await start(adapter());
    await app.get(CollectionsService).mobileMoney(collectionRequest);
  });
  afterEach(async () => {
    await gateway.close();
  });

  async function start(httpAdapter: AbstractHttpAdapter): Promise<INestApplication> {
    const memory = memoryStorage();
    const journal = Object.assign(Object.create(memory.journal) as JournalStore, {
      get: (...key: Parameters<JournalStore['get']>) => {
        reads += 1;
        return memory.journal.get(...key);
      },
    });
    const payments = PaymentsModule.forRoot({
      ...{ apiKey: API_KEY, apiSecret: API_SECRET, baseUrl: gateway.baseUrl },
      statusPaths: { collection: '/payments/{reference}' },
      storage: { ...memory, journal },
    });
    const module = await Test.createTestingModule({ imports: [payments], controllers: [Checkout] })
      .setLogger(log)
      .compile();
    const created = module.createNestApplication(httpAdapter);
    await created.listen(0, '127.0.0.1');
    return created;
  }

  it('ends at once, in a route and in a job, and does nothing more', async () => {
    const checkout = app.get(Checkout);
    const job = checkout.wait();
    const answer = fetch(`${await app.getUrl()}/outcome`, { headers: { connection: 'close' } });
    // The payment, and a status query of each wait, which hangs.
    await gateway.arrived(3);
    const before = log.lines.length;

    await app.close();
    const after = { asked: gateway.seen.length, reads };
    for (const error of [await job, await checkout.ended]) {
      expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
      expect(error).toMatchObject({
        evidence: 'in-flight',
        operation: 'collection.mobile-money',
        reference,
        idempotencyKey: expect.any(String) as string,
        message: expect.stringContaining('The application stops') as string,
      });
    }
    expect(await (await answer).text()).toBe('ended');
    expect(log.lines.slice(before)).toEqual([]);

    // Nothing is read for a wait that begins now.
    expect(await checkout.wait()).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      reference,
      message: expect.stringContaining('The application stops') as string,
    });
    expect({ asked: gateway.seen.length, reads }).toEqual(after);
  });
});
