import { afterEach, beforeEach, expect, it } from 'vitest';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { OnPayment, PaymentsModule } from 'nestjs-payments';
import { PaymentsQueueModule, type PaymentsQueueOptions } from 'nestjs-payments/bullmq';
import { ADAPTERS } from '../../support/adapters.js';
import { NoTransport } from '../../support/no-transport.js';
import { QueueSpace } from '../../support/queue-app.js';
import { describeWith, redisService } from '../../support/services.js';
import { LogLines, paymentsOptions } from '../../support/webhook-app.js';

type Started = Promise<{ close(): Promise<unknown> }>;

@Injectable()
class Orders {
  @OnPayment('payment.success')
  paid(): void {
    return;
  }
}

describeWith([redisService], 'an application with a queue and without a route', () => {
  let space: QueueSpace;
  beforeEach(() => {
    space = new QueueSpace();
  });
  afterEach(() => space.clear());

  async function warned(
    worker: Pick<PaymentsQueueOptions, 'worker'>,
    start: (module: new () => object, logger: LogLines) => Started,
    expectRoute?: false,
  ): Promise<readonly string[]> {
    const queue = { connection: { url: redisService.url }, prefix: space.prefix, ...worker };
    const told = expectRoute === undefined ? {} : { expectRoute };
    const payments = paymentsOptions({ retentionDays: Infinity, ...told });
    @Module({
      imports: [PaymentsModule.forRoot(payments), PaymentsQueueModule.forRoot(queue)],
      providers: [Orders],
    })
    class AppModule {}
    const logger = new LogLines();
    const app = await start(AppModule, logger);
    await app.close();
    return logger.webhooks('warn');
  }

  for (const [name, adapter] of ADAPTERS) {
    const onHttp = (module: new () => object, logger: LogLines): Started =>
      NestFactory.create(module, adapter(), { logger }).then((app) => app.init());
    const gets404 = [expect.stringMatching(/no route receives its webhooks, so the gateway gets 404/)];

    it(`is warned on ${name}, with a worker and without one`, async () => {
      expect(await warned({}, onHttp)).toEqual(gets404);
      expect(await warned({ worker: {} }, onHttp)).toEqual(gets404);
      expect(await warned({ worker: false }, onHttp)).toEqual(gets404);
    });

    it(`is not warned on ${name} if it says that it expects none`, async () => {
      expect(await warned({}, onHttp, false)).toEqual([]);
    });
  }

  it('is warned as a microservice without a worker, and not with one', async () => {
    const asMicroservice = async (module: new () => object, logger: LogLines): Started => {
      const app = await NestFactory.createMicroservice(module, { strategy: new NoTransport(), logger });
      await app.listen();
      return app;
    };
    expect(await warned({ worker: false }, asMicroservice)).toEqual([
      expect.stringMatching(/a microservice has no HTTP server/),
    ]);
    expect(await warned({}, asMicroservice)).toEqual([]);
  });

  it('is not warned as an application context', async () => {
    const inContext = (module: new () => object, logger: LogLines): Started =>
      NestFactory.createApplicationContext(module, { logger });
    expect(await warned({}, inContext)).toEqual([]);
  });
});
