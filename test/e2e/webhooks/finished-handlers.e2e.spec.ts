import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Controller, Injectable, Module, type Type } from '@nestjs/common';
import {
  type InboxClaim,
  memoryStorage,
  OnPayment,
  type PaymentEventContext,
  type PaymentsStorage,
  PaymentsWebhook,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { paymentEvent } from 'nestjs-payments/testing';
import { deliver, paymentsOptions, startWebhookApp, type WebhookApp } from '../../support/webhook-app.js';

let ran: string[];
let behaviour: (name: string) => unknown;
function note(name: string): unknown {
  ran.push(name);
  return behaviour(name);
}

@Injectable()
class Orders {
  @OnPayment('payment.success')
  paid(): unknown {
    return note('paid');
  }
}

@Injectable()
class Mails {
  @OnPayment('*')
  thank(_event: PaymentWebhookEvent, { attempt }: PaymentEventContext): unknown {
    return note(`thank ${attempt}`);
  }
}

@Controller('webhooks')
class WebhooksController {
  @PaymentsWebhook('payments')
  received(): unknown {
    return note('route');
  }
}

const event = paymentEvent('payment.success', { reference: 'order-1' });

function away(): Promise<never> {
  return Promise.reject(Object.assign(new Error('+255712345678'), { code: 'ECONNRESET' }));
}

/** A storage of which every claim is changed. */
function spoiled(change: (claim: InboxClaim) => Partial<InboxClaim>): PaymentsStorage {
  const memory = memoryStorage();
  const inbox = Object.assign(Object.create(memory.inbox) as typeof memory.inbox, {
    claim: async (...args: Parameters<typeof memory.inbox.claim>) => {
      const result = await memory.inbox.claim(...args);
      if (result.result !== 'claimed') return result;
      return { ...result, claim: { ...result.claim, ...change(result.claim) } };
    },
  });
  return { ...memory, inbox };
}

describe('a handler that finished', () => {
  let running: WebhookApp | undefined;

  async function start(storage: PaymentsStorage = memoryStorage()): Promise<number> {
    running = await startWebhookApp('express', {
      controllers: [WebhooksController],
      providers: [Orders, Mails],
      payments: [paymentsOptions({ inFlightWaitMs: 0 }, { storage })],
    });
    return running.port;
  }
  const status = async (port: number): Promise<number> => (await deliver(port, event)).status;

  beforeEach(() => {
    ran = [];
    behaviour = () => undefined;
  });
  afterEach(async () => {
    await running?.app.close();
    running = undefined;
  });

  it.each(['thank 1', 'route'])('does not run again when %s failed after it', async (failing) => {
    const port = await start();
    behaviour = (name) => {
      if (name === failing) throw new Error('not yet');
    };
    expect(await status(port)).toBe(500);
    const before = ran.splice(0);
    behaviour = () => undefined;
    expect(await status(port)).toBe(200);
    expect(before.at(-1)).toBe(failing);
    expect(ran).toEqual(failing === 'route' ? ['route'] : ['thank 2', 'route']);
  });

  it('does not run again after the process died in a later one', async () => {
    let now = 0;
    const storage = memoryStorage({ now: () => now });
    const port = await start(storage);
    let died = (): void => undefined;
    const dead = new Promise<void>((resolve) => (died = resolve));
    let wake = (): void => undefined;
    behaviour = (name) => {
      if (name !== 'thank 1') return undefined;
      died();
      return new Promise<void>((resolve) => (wake = resolve));
    };
    const unanswered = status(port);
    await dead;
    now += 60_001;
    expect(await status(port)).toBe(200);
    expect(ran).toEqual(['paid', 'thank 1', 'thank 2', 'route']);
    // It was only asleep: its lease is lost, and nothing more of it runs.
    wake();
    expect(await unanswered).toBe(503);
    expect(ran).toHaveLength(4);
  });

  it('with an id does not run again in a build that calls its class otherwise', async () => {
    const build = (className: string): Type => {
      @Injectable()
      class Orders {
        @OnPayment('payment.success', { id: 'orders.paid' })
        paid(): unknown {
          return note('paid');
        }
      }
      return Object.defineProperty(Orders, 'name', { value: className });
    };
    const storage = memoryStorage();
    const deploy = async (className: string): Promise<number> => {
      await running?.app.close();
      running = await startWebhookApp('express', {
        controllers: [WebhooksController],
        providers: [build(className), Mails],
        payments: [paymentsOptions({ inFlightWaitMs: 0 }, { storage })],
      });
      return status(running.port);
    };
    behaviour = (name) => {
      if (name !== 'paid') throw new Error('not yet');
    };
    expect(await deploy('Orders')).toBe(500);
    expect(running?.logs.webhooks('error').join()).toContain('Mails.thank failed');
    behaviour = () => undefined;
    expect(await deploy('t')).toBe(200);
    expect(ran).toEqual(['paid', 'thank 1', 'thank 2', 'route']);
  });

  it('is not hidden by another one of the same name', async () => {
    const twin = (which: string): Type => {
      @Injectable()
      class Twin {
        @OnPayment('payment.success')
        paid(): unknown {
          return note(which);
        }
      }
      return Twin;
    };
    @Module({ providers: [twin('first')] })
    class Shop {}
    running = await startWebhookApp('express', {
      imports: [Shop],
      controllers: [WebhooksController],
      providers: [twin('second'), Mails],
    });
    const twins = (): string[] => ran.filter((name) => name === 'first' || name === 'second');
    behaviour = () => {
      if (twins().length === 2) throw new Error('not yet');
    };
    expect(await status(running.port)).toBe(500);
    behaviour = () => undefined;
    expect(await status(running.port)).toBe(200);
    const [one, other] = twins();
    expect(new Set([one, other])).toEqual(new Set(['first', 'second']));
    expect(twins()).toEqual([one, other, other]);
  });

  it('does not run again because the storage was away for a moment', async () => {
    const refusals = { mark: 2, finish: 2 };
    const port = await start(
      spoiled((claim) => ({
        mark: (name) => (refusals.mark-- > 0 ? away() : claim.mark(name)),
        finish: () => (refusals.finish-- > 0 ? away() : claim.finish()),
      })),
    );
    expect(await status(port)).toBe(200);
    expect(await status(port)).toBe(200);
    expect(ran).toEqual(['paid', 'thank 1', 'route']);
    expect(running!.logs.of('error')).toEqual([]);
  });

  it('is undone with a transaction that could not be committed, which is not tried again', async () => {
    let commits = 0;
    const port = await start(
      spoiled(() => ({
        transaction: {},
        finish: () => {
          commits += 1;
          return away();
        },
      })),
    );
    expect(await status(port)).toBe(503);
    expect(commits).toBe(1);
  });

  it('that the storage cannot remember gets 503, and so does one whose lease was lost', async () => {
    const marks: (() => Promise<boolean>)[] = [away, () => Promise.resolve(false)];
    const port = await start(spoiled((_claim) => ({ mark: () => marks[0]!() })));
    expect(await deliver(port, event)).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    marks.shift();
    expect(await deliver(port, event)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(ran).toEqual(['paid', 'paid']);
    expect(running!.logs.webhooks('error').join('\n')).toMatch(/Orders\.paid failed .*Error \(ECONNRESET\)/s);
    expect(running!.logs.webhooks('error').join('\n')).not.toContain('255712345678');
    expect(running!.logs.webhooks('error').at(-1)).toContain('outran their lease');
  });
});
