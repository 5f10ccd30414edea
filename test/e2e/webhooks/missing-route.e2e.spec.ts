import { afterEach, describe, expect, it } from 'vitest';
import {
  Controller,
  HttpCode,
  type INestApplicationContext,
  Injectable,
  Module,
  type ModuleMetadata,
  Post,
  UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MessagePattern } from '@nestjs/microservices';
import { OnPayment, PaymentsModule, PaymentsWebhook, PaymentsWebhookGuard } from 'nestjs-payments';
import { ADAPTERS } from '../../support/adapters.js';
import { useQueue } from '../../support/delivery-queue.js';
import { NoTransport } from '../../support/no-transport.js';
import { LogLines, paymentsOptions } from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

@Controller('webhooks')
class VerifyingController {
  @Post('payments')
  @HttpCode(200)
  @UseGuards(PaymentsWebhookGuard)
  received(): void {
    return;
  }
}

@Controller('webhooks')
class PayoutsController {
  @PaymentsWebhook('payouts', { account: 'payouts' })
  received(): void {
    return;
  }
}

@Controller()
class MessagesController {
  @MessagePattern('ping')
  answer(): string {
    return 'pong';
  }
}

@Injectable()
class Orders {
  @OnPayment('payment.success')
  paid(): void {
    return;
  }
}

const ROUTE_MISSING = /^The account 'default' has a `webhooks` option, but no route receives its webhooks/;
const NO_HTTP_SERVER =
  /^The account 'default' has a `webhooks` option, but a microservice has no HTTP server/;
const retained = { retentionDays: Infinity };
const payments = paymentsOptions(retained);

let running: { close(): Promise<unknown> } | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

function moduleWith(controllers: ModuleMetadata['controllers'] = [], options = [payments]): new () => object {
  @Module({ imports: options.map((one) => PaymentsModule.forRoot(one)), controllers, providers: [Orders] })
  class AppModule {}
  return AppModule;
}

async function warned<App extends { close(): Promise<unknown> }>(
  start: (logger: LogLines) => Promise<App>,
): Promise<readonly string[]> {
  const logger = new LogLines();
  running = await start(logger);
  return logger.webhooks('warn');
}

describe.each(ADAPTERS)('an application with webhooks on %s', (_name, adapter) => {
  function warnedBy(
    module: new () => object,
    prepare: (app: INestApplicationContext) => void = () => undefined,
  ): Promise<readonly string[]> {
    return warned(async (logger) => {
      const app = await NestFactory.create(module, adapter(), { logger });
      prepare(app);
      return app.init();
    });
  }

  it('is warned at boot, in one line, that it has no route, and told what to write', async () => {
    const warnings = await warnedBy(moduleWith());
    expect(warnings).toEqual([expect.stringMatching(ROUTE_MISSING)]);
    expect(warnings[0]).toContain("@PaymentsWebhook('payments')");
    expect(warnings[0]).toContain('webhooks: { expectRoute: false }');
    expect(warnings[0]).not.toContain('\n');
  });

  it.each([
    ['a route with the decorator', WebhooksController],
    ['a route with the guard', VerifyingController],
  ])('is not warned if it has %s', async (_what, controller) => {
    expect(await warnedBy(moduleWith([controller]))).toEqual([]);
  });

  it('is not warned if it says that it has no route, or has no webhooks', async () => {
    const { webhooks: _none, ...without } = payments;
    expect(await warnedBy(moduleWith([], [paymentsOptions({ ...retained, expectRoute: false })]))).toEqual(
      [],
    );
    await running?.close();
    expect(await warnedBy(moduleWith([], [without]))).toEqual([]);
  });

  it('is warned of the account whose route is missing', async () => {
    const both = [payments, { ...payments, name: 'payouts' }];
    const warnings = await warnedBy(moduleWith([WebhooksController], both));
    expect(warnings).toEqual([
      expect.stringContaining("@PaymentsWebhook('payments', { account: 'payouts' })"),
    ]);
    await running?.close();
    const [only = '', ...others] = await warnedBy(moduleWith([PayoutsController], both));
    expect([only.split(':')[0], others.length]).toEqual([expect.stringMatching(ROUTE_MISSING), 1]);
  });

  it('is warned with a queue too', async () => {
    const warnings = await warnedBy(moduleWith(), (app) => {
      useQueue(app, () => Promise.resolve());
    });
    expect(warnings).toEqual([expect.stringMatching(ROUTE_MISSING)]);
  });

  it('is not warned with microservices beside its route', async () => {
    const hybrid = (app: INestApplicationContext): void => {
      (app as unknown as { connectMicroservice(options: object): void }).connectMicroservice({
        strategy: new NoTransport(),
      });
    };
    expect(await warnedBy(moduleWith([WebhooksController, MessagesController]), hybrid)).toEqual([]);
  });
});

describe('a microservice', () => {
  const started = (module: new () => object) => (logger: LogLines) =>
    NestFactory.createMicroservice(module, { strategy: new NoTransport(), logger }).then(async (app) => {
      await app.listen();
      return app;
    });

  it('is warned that the gateway reaches no route of it', async () => {
    const warnings = await warned(started(moduleWith([WebhooksController, MessagesController])));
    expect(warnings).toEqual([expect.stringMatching(NO_HTTP_SERVER)]);
    expect(warnings[0]).toContain('app.connectMicroservice(');
  });

  it('is not warned if it says that it has no route', async () => {
    const module = moduleWith([MessagesController], [paymentsOptions({ ...retained, expectRoute: false })]);
    expect(await warned(started(module))).toEqual([]);
  });
});

describe('an application context', () => {
  it.each([
    ['that shares the modules of the application', [WebhooksController, MessagesController]],
    ['without a controller', []],
  ])('%s is a worker or a script, and is not warned', async (_what, controllers) => {
    const start = (logger: LogLines) =>
      NestFactory.createApplicationContext(moduleWith(controllers), { logger });
    expect(await warned(start)).toEqual([]);
  });
});
