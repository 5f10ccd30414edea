import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type INestApplicationContext,
  Injectable,
  Module,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import { LazyModuleLoader, ModuleRef, NestFactory } from '@nestjs/core';
import {
  memoryStorage,
  OnPayment,
  PaymentsInbox,
  PaymentsModule,
  type PaymentsStorage,
  type WebhookHttpAnswer,
} from 'nestjs-payments';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { workOn } from '../../support/delivery-queue.js';
import { LogLines, paymentsOptions, scheme, secret } from '../../support/webhook-app.js';

const event = paymentEvent('payment.success', { reference: 'order-1' });
const body = JSON.stringify(event);
const headers = signWebhook({ scheme, secret, body });
const scope = { account: 'default', environment: 'sandbox' } as const;

let ran: string[];
/** Lets the provider that the others wait for finish. */
let connect: () => void;
let early: Promise<unknown> | undefined;

@Injectable()
class Orders {
  @OnPayment('payment.success')
  paid(): void {
    ran.push('paid');
  }
}

/** A consumer that begins before the application has started: in its constructor, as many clients of a broker do. */
@Injectable()
class Consumer {
  constructor(inbox: PaymentsInbox) {
    early = inbox.receive(body, headers);
  }
}

const database: Provider = {
  provide: 'DATABASE',
  useFactory: () =>
    new Promise<string>(
      (resolve) =>
        (connect = () => {
          resolve('connected');
        }),
    ),
};

describe('a webhook that comes before the application has started', () => {
  let app: INestApplicationContext | undefined;
  let logs: LogLines;

  function start(
    providers: readonly Provider[],
    storage: PaymentsStorage = memoryStorage(),
  ): Promise<INestApplicationContext> {
    @Module({
      imports: [PaymentsModule.forRoot({ isGlobal: true, ...paymentsOptions({}, { storage }) })],
      providers: [Orders, ...providers],
    })
    class AppModule {}
    logs = new LogLines();
    return NestFactory.createApplicationContext(AppModule, { logger: logs, abortOnError: false });
  }

  beforeEach(() => {
    ran = [];
    early = undefined;
  });
  afterEach(async () => {
    await app?.close();
    app = undefined;
  });

  it('is answered 503 while another provider still connects, and handled once when it is repeated', async () => {
    const starting = start([Consumer, database]);
    while (early === undefined) await new Promise(setImmediate);
    expect(await early).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    connect();
    app = await starting;
    expect(ran).toEqual([]);
    expect(logs.webhooks('warn').join()).toContain('came before the application had started');
    expect(await app.get(PaymentsInbox).receive(body, headers)).toMatchObject({ status: 200 });
    expect(await app.get(PaymentsInbox).receive(body, headers)).toMatchObject({ status: 200 });
    expect(ran).toEqual(['paid']);
  });

  it('is answered 503 in onModuleInit, when a queue may not be joined yet, and handled if it comes out of a queue', async () => {
    const answers: (WebhookHttpAnswer | { readonly status: number })[] = [];
    @Injectable()
    class Hasty implements OnModuleInit {
      constructor(
        private readonly inbox: PaymentsInbox,
        private readonly moduleRef: ModuleRef,
      ) {}
      async onModuleInit(): Promise<void> {
        answers.push(await this.inbox.receive(body, headers));
        const queued = { id: '1', ...scope, event, bodyHash: 'b', deliveredAt: 0 };
        answers.push(await workOn(this.moduleRef, queued));
      }
    }
    app = await start([Hasty]);
    expect(answers.map(({ status }) => status)).toEqual([503, 200]);
    expect(ran).toEqual(['paid']);
  });

  it('is not released either, and stays set aside', async () => {
    const storage = memoryStorage();
    const payload = JSON.stringify(event);
    const { reference } = event.data;
    await storage.conflicts.setAside({
      ...scope,
      kind: 'conflict',
      event: event.event,
      fingerprint: 'f',
      payload,
      reference,
    });
    const [conflict] = await storage.conflicts.list(scope, { limit: 1 });
    @Injectable()
    class Releaser {
      constructor(inbox: PaymentsInbox) {
        early = inbox.release(conflict!.id).catch((error: unknown) => error);
      }
    }
    app = await start([Releaser], storage);
    expect(await early).toMatchObject({
      code: 'INBOX_BUSY',
      message:
        'The application has not started yet, so its handlers are not known, and the webhook stays set aside: release it after ' +
        'app.init(), app.listen() or NestFactory.createApplicationContext(). Import PaymentsModule in a module that is ' +
        'there at boot: one that LazyModuleLoader loads never starts.',
    });
    expect(ran).toEqual([]);
    await app.get(PaymentsInbox).release(conflict!.id);
    expect(ran).toEqual(['paid']);
  });

  it('is answered 503 by a PaymentsModule that LazyModuleLoader loads, which never starts, and the log says so', async () => {
    @Module({})
    class AppModule {}
    @Module({ imports: [PaymentsModule.forRoot(paymentsOptions())], providers: [Orders] })
    class LazyModule {}
    logs = new LogLines();
    app = await NestFactory.createApplicationContext(AppModule, { logger: logs });
    const lazy = await app.get(LazyModuleLoader).load(() => LazyModule);
    const inbox = lazy.get(PaymentsInbox, { strict: false });
    expect(await inbox.receive(body, headers)).toMatchObject({ status: 503 });
    expect(ran).toEqual([]);
    expect(logs.webhooks('warn').join()).toContain(
      'Import PaymentsModule in a module that is there at boot: one that LazyModuleLoader loads never starts.',
    );
  });
});
