import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Injectable } from '@nestjs/common';
import { EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { type InboxStore, memoryStorage, OnPayment, type PaymentsStorage } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { redisStorage } from 'nestjs-payments/redis';
import { paymentEvent } from 'nestjs-payments/testing';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../support/payments-database.js';
import { redisOfSpecs } from '../../support/redis-of-specs.js';
import { describeWith, postgresService, redisService } from '../../support/services.js';
import { deliver, paymentsOptions, startWebhookApp, type WebhookApp } from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

const happened: string[] = [];

@Injectable()
class Orders {
  @OnPayment('payment.success')
  paid(): void {
    happened.push('handled');
  }

  @OnEvent('payment.success')
  heard(): void {
    happened.push('told');
  }
}

/** Writes everything down, and loses the first answer to the end of each claim. */
function losingFirstAnswer(
  storage: PaymentsStorage,
  lose: () => Promise<never>,
): { storage: PaymentsStorage; lost: Promise<void> } {
  let said = (): void => undefined;
  const lost = new Promise<void>((resolve) => (said = resolve));
  const claim: InboxStore['claim'] = async (delivery, leaseMs) => {
    const result = await storage.inbox.claim(delivery, leaseMs);
    if (result.result !== 'claimed') return result;
    let isFirst = true;
    const finish = async (): Promise<boolean> => {
      const finished = await result.claim.finish();
      if (!isFirst) return finished;
      isFirst = false;
      said();
      return lose();
    };
    return { ...result, claim: { ...result.claim, finish } };
  };
  const inbox = Object.assign(Object.create(storage.inbox) as InboxStore, { claim });
  return { storage: { ...storage, inbox }, lost };
}

function specs(open: () => PaymentsStorage): void {
  let running: WebhookApp;

  async function start(storage: PaymentsStorage): Promise<void> {
    happened.length = 0;
    running = await startWebhookApp('express', {
      imports: [EventEmitterModule.forRoot()],
      controllers: [WebhooksController],
      providers: [Orders],
      payments: [paymentsOptions({}, { storage })],
    });
  }

  afterEach(async () => {
    vi.useRealTimers();
    await running.app.close();
  });

  async function expectHandledOnce(event: object, answer: ReturnType<typeof deliver>): Promise<void> {
    expect((await answer).status).toBe(200);
    expect(happened).toEqual(['handled', 'told']);
    expect(running.logs.webhooks('error')).toEqual([]);
    expect((await deliver(running.port, event)).status).toBe(200);
    expect(happened).toEqual(['handled', 'told']);
  }

  it('answers 200 and emits one event if the connection was reset before the answer', async () => {
    const { storage } = losingFirstAnswer(open(), () => Promise.reject(new Error('read ECONNRESET')));
    await start(storage);
    const event = paymentEvent('payment.success', { reference: 'order-1' });
    await expectHandledOnce(event, deliver(running.port, event));
  });

  it('answers 200 and emits one event if the answer never came', async () => {
    const { storage, lost } = losingFirstAnswer(open(), () => new Promise(() => undefined));
    await start(storage);
    const event = paymentEvent('payment.success', { reference: 'order-2' });
    // Nothing else in this process may see the clock turn.
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'clearInterval'],
    });
    const answer = deliver(running.port, event);
    await lost;
    await vi.advanceTimersByTimeAsync(5_100);
    vi.useRealTimers();
    await expectHandledOnce(event, answer);
  });
}

describe('a webhook whose end is recorded in memory', () => {
  specs(memoryStorage);
});

describeWith([redisService], 'a webhook whose end is recorded in Redis', () => {
  const { prefix, client } = redisOfSpecs();

  specs(() => redisStorage({ client: client(), keyPrefix: prefix }));
});

describeWith([postgresService], 'a webhook whose end is recorded in PostgreSQL', () => {
  let database: PaymentsDatabase;

  beforeAll(async () => {
    database = await openPaymentsDatabase(postgresService.url);
  });
  afterAll(() => database.close());

  specs(() => postgresStorage({ pool: database.pool, schema: database.schema }));
});
