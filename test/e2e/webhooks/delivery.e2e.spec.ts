import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  BadRequestException,
  Controller,
  Inject,
  Injectable,
  Param,
  type Provider,
  Scope,
} from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { of, tap } from 'rxjs';
import {
  memoryStorage,
  OnPayment,
  PaymentEvent,
  type PaymentEventContext,
  PaymentsInbox,
  type PaymentsStorage,
  PaymentsWebhook,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { journalRecord } from '../../support/journal-contract.js';
import {
  adapters,
  deliver,
  paymentsOptions,
  scheme,
  secret,
  send,
  startWebhookApp,
  type WebhookApp,
  type WebhookAppOptions,
} from '../../support/webhook-app.js';

/** What ran, in order, and what the next runs shall do. */
class Journal {
  readonly ran: string[] = [];
  readonly contexts: PaymentEventContext[] = [];
  behaviour: (name: string, event: PaymentWebhookEvent, context?: PaymentEventContext) => unknown = () =>
    undefined;

  note(name: string, event: PaymentWebhookEvent, context?: PaymentEventContext): unknown {
    this.ran.push(name);
    if (context) this.contexts.push(context);
    return this.behaviour(name, event, context);
  }
}

let journal: Journal;

@Controller('webhooks')
class WebhooksController {
  @PaymentsWebhook('payments')
  received(@PaymentEvent() event: PaymentWebhookEvent): unknown {
    return journal.note('route', event);
  }
}

@Injectable()
class Orders {
  @OnPayment('payment.success')
  async paid(event: PaymentWebhookEvent, context: PaymentEventContext): Promise<void> {
    await journal.note('success', event, context);
  }

  @OnPayment('*')
  async any(event: PaymentWebhookEvent, context: PaymentEventContext): Promise<void> {
    await journal.note('any', event, context);
  }
}

const theOrders = new Orders();

@Injectable()
class Oddities {
  @OnPayment('payment.conflict')
  @OnPayment('payment.mismatch')
  async odd(event: PaymentWebhookEvent, context: PaymentEventContext): Promise<void> {
    await journal.note('odd', event, context);
  }

  @OnPayment('unrecognized')
  async unknown(event: PaymentWebhookEvent, context: PaymentEventContext): Promise<void> {
    await journal.note('unrecognized', event, context);
  }
}

/** A promise and the way to fulfil it. */
function gate(): { readonly opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe.each(adapters)('a verified webhook on %s', (adapter) => {
  let running: WebhookApp | undefined;

  async function start(options: WebhookAppOptions = {}): Promise<WebhookApp> {
    running = await startWebhookApp(adapter, {
      controllers: [WebhooksController],
      providers: [Orders, Oddities],
      ...options,
    });
    return running;
  }

  beforeEach(() => {
    journal = new Journal();
  });

  afterEach(async () => {
    await running?.app.close();
    running = undefined;
  });

  it('reaches every handler in order, then the route, and is answered 200 after that', async () => {
    const { port } = await start();
    const event = paymentEvent('payment.success', { amount: '1180.5', extra: { kept: true } });
    expect(await deliver(port, event)).toMatchObject({ status: 200, text: '' });
    expect(journal.ran).toEqual(['success', 'any', 'route']);
    const [context] = journal.contexts;
    expect(context).toMatchObject({ account: 'default', attempt: 1 });
    expect(context?.deliveredAt).toBeInstanceOf(Date);
    expect(context?.signal.aborted).toBe(false);
    expect(context).not.toHaveProperty('transaction');
  });

  it('carries amounts as two-decimal strings and keeps every other field', async () => {
    const { port } = await start();
    const events: PaymentWebhookEvent[] = [];
    journal.behaviour = (_name, event) => events.push(event);
    await deliver(port, paymentEvent('payment.success', { amount: 1180.5 as unknown as string, extra: [1] }));
    expect(events.map(({ data }) => data.amount)).toEqual(['1180.50', '1180.50', '1180.50']);
    expect(events[0]?.data).toHaveProperty('extra', [1]);
  });

  it('has no second effect when it is delivered again, at once or later', async () => {
    const { port } = await start();
    const event = paymentEvent('payment.failed');
    const answers = await Promise.all([deliver(port, event), deliver(port, event), deliver(port, event)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const generatedLater = { ...event, created_at: new Date(0).toISOString() };
    expect((await deliver(port, generatedLater)).status).toBe(200);
    expect(journal.ran).toEqual(['any', 'route']);
  });

  it('is answered 500 whatever a handler throws, and runs again with the next delivery', async () => {
    const { port, logs } = await start();
    const event = paymentEvent('payment.success');
    journal.behaviour = (name) => {
      if (name === 'any') throw new BadRequestException('nothing for the gateway');
    };
    const failed = await deliver(port, event);
    expect(failed.status).toBe(500);
    expect(failed.text).not.toContain('nothing for the gateway');
    expect(logs.webhooks('error')).toEqual([
      expect.stringMatching(/Orders\.any failed for "payment\.success" for the reference "order-/),
    ]);
    journal.behaviour = () => undefined;
    expect((await deliver(port, event)).status).toBe(200);
    expect(journal.ran).toEqual(['success', 'any', 'any', 'route']);
    expect(journal.contexts.at(-1)?.attempt).toBe(2);
  });

  it('is answered 500 when the route itself throws, and runs again', async () => {
    const { port, logs } = await start();
    const event = paymentEvent('payment.success');
    journal.behaviour = (name) => {
      if (name === 'route') throw new Error('no database');
    };
    expect((await deliver(port, event)).status).toBe(500);
    expect(logs.webhooks('error')).toEqual([expect.stringContaining('WebhooksController.received failed')]);
    journal.behaviour = () => undefined;
    expect((await deliver(port, event)).status).toBe(200);
    expect(journal.ran.filter((name) => name === 'route')).toHaveLength(2);
  });

  it('waits for a route that returns an Observable', async () => {
    const { port } = await start();
    let subscribed = 0;
    journal.behaviour = (name) =>
      name === 'route' ? of(1, 2).pipe(tap(() => (subscribed += 1))) : undefined;
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(200);
    expect(subscribed).toBe(2);
  });

  /** A delivery whose first handler runs until `finish`. */
  const heldDelivery = async (
    port: number,
    event: PaymentWebhookEvent,
  ): Promise<{ readonly first: ReturnType<typeof deliver>; readonly finish: () => void }> => {
    const [started, held] = [gate(), gate()];
    journal.behaviour = async (name) => {
      if (name !== 'success') return;
      started.open();
      await held.opened;
    };
    const first = deliver(port, event);
    await started.opened;
    return { first, finish: held.open };
  };

  it('waits for the first run when it is delivered twice at once', async () => {
    const { port } = await start();
    const event = paymentEvent('payment.success');
    const { first, finish } = await heldDelivery(port, event);
    const second = deliver(port, event);
    finish();
    expect((await first).status).toBe(200);
    expect((await second).status).toBe(200);
    expect(journal.ran).toEqual(['success', 'any', 'route']);
  });

  it('is answered 503 with Retry-After while the first run takes long', async () => {
    const { port } = await start({ payments: [paymentsOptions({ inFlightWaitMs: 0 })] });
    const event = paymentEvent('payment.success');
    const { first, finish } = await heldDelivery(port, event);
    const second = await deliver(port, event);
    expect(second.status).toBe(503);
    expect(Number(second.headers['retry-after'])).toBeGreaterThan(50);
    finish();
    expect((await first).status).toBe(200);
  });

  it('asks for no longer wait than a lease, if the clock of the storage was set back', async () => {
    let ahead = 3 * 3_600_000;
    const storage = memoryStorage({ now: () => Date.now() + ahead });
    const { port } = await start({ payments: [paymentsOptions({ inFlightWaitMs: 0 }, { storage })] });
    const event = paymentEvent('payment.success');
    const { first, finish } = await heldDelivery(port, event);
    ahead = 0;
    const second = await deliver(port, event);
    expect([second.status, second.headers['retry-after']]).toEqual([503, '60']);
    finish();
    expect((await first).status).toBe(200);
  });

  it('is answered 503 when a handler takes too long, and never runs beside itself', async () => {
    const { port, logs } = await start({
      payments: [paymentsOptions({ handlerTimeoutMs: 20, inFlightWaitMs: 0 })],
    });
    const event = paymentEvent('payment.success');
    const [finish, ended] = [gate(), gate()];
    let aborted = false;
    journal.behaviour = async (name, _event, context) => {
      if (name !== 'success') return;
      await finish.opened;
      aborted = context?.signal.aborted ?? false;
      ended.open();
    };
    const late = await deliver(port, event);
    expect(late.status).toBe(503);
    expect(late.headers['retry-after']).toBe('60');
    expect((await deliver(port, event)).status).toBe(503);
    finish.open();
    await ended.opened;
    expect(aborted).toBe(true);
    expect(journal.ran).toEqual(['success']);
    expect(logs.webhooks('error').join('\n')).toContain('Orders.paid takes longer than 20 ms');
    // What had not begun when the time was over did not begin later; the next delivery does it.
    journal.behaviour = () => undefined;
    expect((await deliver(port, event)).status).toBe(200);
    expect(journal.ran).toEqual(['success', 'any', 'route']);
  });

  it('counts as done when its only work ends after the time, within the lease', async () => {
    const { port } = await start({
      providers: [],
      payments: [paymentsOptions({ handlerTimeoutMs: 20 })],
    });
    const event = paymentEvent('payment.success');
    const finish = gate();
    journal.behaviour = () => finish.opened;
    expect((await deliver(port, event)).status).toBe(503);
    const again = deliver(port, event);
    finish.open();
    expect((await again).status).toBe(200);
    expect(journal.ran).toEqual(['route']);
  });

  it('is answered 503 when another run took over in the meantime', async () => {
    let now = 0;
    const storage = memoryStorage({ now: () => now });
    const { port } = await start({ payments: [paymentsOptions({ inFlightWaitMs: 0 }, { storage })] });
    const event = paymentEvent('payment.success');
    const [started, finish] = [gate(), gate()];
    journal.behaviour = async (name) => {
      if (name !== 'success' || journal.ran.length > 1) return;
      started.open();
      await finish.opened;
    };
    const slow = deliver(port, event);
    await started.opened;
    now += 60_001;
    expect((await deliver(port, event)).status).toBe(200);
    finish.open();
    expect((await slow).status).toBe(503);
  });

  it('is set aside if it contradicts the recorded outcome, and its own handlers decide the answer', async () => {
    const { port, app, logs } = await start();
    const event = paymentEvent('payment.success', { reference: 'order-1' });
    await deliver(port, event);
    const other = paymentEvent('payment.failed', { reference: 'order-1' });
    journal.ran.length = 0;
    journal.behaviour = () => {
      throw new Error('not yet');
    };
    expect((await deliver(port, other)).status).toBe(500);
    journal.behaviour = () => undefined;
    expect((await deliver(port, other)).status).toBe(200);
    expect((await deliver(port, other)).status).toBe(200);
    expect(journal.ran).toEqual(['odd', 'odd']);
    expect(logs.webhooks('error')).toHaveLength(1);
    const changed = { ...event, data: { ...event.data, amount: '1.00' } };
    expect((await deliver(port, changed)).status).toBe(200);
    expect(journal.ran).toEqual(['odd', 'odd', 'odd']);
    expect(await app.get(PaymentsInbox).conflicts()).toMatchObject([
      { kind: 'conflict', event: 'payment.failed', reference: 'order-1', seen: 3 },
      { kind: 'conflict', event: 'payment.success', reference: 'order-1', seen: 1 },
    ]);
    expect((await deliver(port, event)).status).toBe(200);
  });

  it.each<[what: string, name: string, data: object, says: string]>([
    ['another outcome', 'payment.failed', {}, 'the reference already has payment.success. See '],
    [
      'another charge',
      'payment.success',
      { provider_reference: 'charge-2' },
      'the reference already has another payment.success, with another amount, status or provider reference: ' +
        'the customer may have been charged twice. See ',
    ],
  ])('is logged as a conflict if no handler listens for conflicts: %s', async (_what, name, data, says) => {
    const { port, logs } = await start({ providers: [Orders] });
    const first = { reference: 'order-1', provider_reference: 'charge-1' };
    expect((await deliver(port, paymentEvent('payment.success', first))).status).toBe(200);
    expect((await deliver(port, paymentEvent(name, { ...first, ...data }))).status).toBe(200);
    expect(logs.webhooks('error')).toEqual([
      expect.stringContaining(`as a conflict: ${says}PaymentsInbox.conflicts().`),
    ]);
  });

  it('is logged as a conflict if only the journal knows the first outcome', async () => {
    const storage = memoryStorage();
    const payment = journalRecord('order-1', { state: 'settled', outcome: 'success', settledBy: 'webhook' });
    await storage.journal.insert(payment, 0);
    const { port, logs } = await start({ providers: [Orders], payments: [paymentsOptions({}, { storage })] });
    const { reference, amount } = payment;
    expect((await deliver(port, paymentEvent('payment.failed', { reference, amount }))).status).toBe(200);
    expect(logs.webhooks('error')).toEqual([
      expect.stringContaining('as a conflict: the reference already has payment.success.'),
    ]);
    expect(journal.ran).toEqual([]);
  });

  it.each<[string, Partial<PaymentWebhookEvent['data']>]>([
    ['its currency is not TZS', { currency: 'USD' }],
    ['its status is another known one than its name says', { status: 'failed' }],
  ])('is set aside as a mismatch when %s', async (_what, data) => {
    const { port, logs, app } = await start({ providers: [Orders] });
    const event = paymentEvent('payment.success', data);
    expect((await deliver(port, event)).status).toBe(200);
    expect(journal.ran).toEqual([]);
    expect(logs.webhooks('error')).toEqual([expect.stringContaining('as a mismatch')]);
    expect(await app.get(PaymentsInbox).conflicts()).toMatchObject([{ kind: 'mismatch' }]);
    // The reference itself stays free for the right event.
    const right = paymentEvent('payment.success', { reference: event.data.reference });
    expect((await deliver(port, right)).status).toBe(200);
    expect(journal.ran).toEqual(['success', 'any', 'route']);
  });

  it('is handled with a status that the specification does not know', async () => {
    const { port } = await start();
    await deliver(port, paymentEvent('payment.success', { status: 'completed' }));
    expect(journal.ran).toEqual(['success', 'any', 'route']);
  });

  it('may replace another outcome once, if the options allow it', async () => {
    const { port } = await start({
      payments: [paymentsOptions({ supersede: [['payment.failed', 'payment.success']] })],
    });
    await deliver(port, paymentEvent('payment.failed', { reference: 'order-1' }));
    const success = paymentEvent('payment.success', { reference: 'order-1' });
    journal.ran.length = 0;
    expect((await deliver(port, success)).status).toBe(200);
    expect((await deliver(port, success)).status).toBe(200);
    expect(journal.ran).toEqual(['success', 'any', 'route']);
    await deliver(port, paymentEvent('payment.failed', { reference: 'order-1' }));
    const cheaper = paymentEvent('payment.success', { reference: 'order-1', amount: '1.00' });
    await deliver(port, cheaper);
    expect(journal.ran.slice(3)).toEqual(['odd', 'odd']);
  });

  it('reaches only the handlers for unrecognized events when its name is not in the specification', async () => {
    const { port } = await start();
    const event = paymentEvent('payment.refunded', { reference: 'order-1' });
    const body = JSON.stringify(event);
    journal.behaviour = () => {
      throw new Error('not yet');
    };
    expect((await deliver(port, body)).status).toBe(500);
    journal.behaviour = () => undefined;
    expect((await deliver(port, body)).status).toBe(200);
    expect((await deliver(port, body)).status).toBe(200);
    await deliver(port, paymentEvent('payment.success', { reference: 'order-1' }));
    expect(journal.ran).toEqual(['unrecognized', 'unrecognized', 'success', 'any', 'route']);
  });

  it('is answered 200 with a warning when nobody listens to its unknown name', async () => {
    const { port, logs } = await start({ providers: [Orders] });
    expect((await deliver(port, paymentEvent('payment.refunded'))).status).toBe(200);
    expect(journal.ran).toEqual([]);
    expect(logs.webhooks('warn')).toEqual([expect.stringContaining('"payment.refunded"')]);
  });

  it.each<[string, string, number]>([
    ['not JSON', '{"event":', 400],
    ['not UTF-8', '\xff', 400],
    ['empty', '', 400],
    ['a list', '[]', 400],
    ['null', 'null', 400],
    ['without an event', '{"data":{}}', 422],
    ['without data', '{"event":"payment.success"}', 422],
  ])('is refused when its body is %s', async (_what, body, status) => {
    const { port, logs } = await start();
    expect((await deliver(port, Buffer.from(body, 'latin1'))).status).toBe(status);
    expect(logs.webhooks('error')).toHaveLength(1);
    expect(journal.ran).toEqual([]);
  });

  it('survives __proto__ in its body', async () => {
    const { port } = await start();
    const event = paymentEvent('payment.success');
    const body = JSON.stringify(event).replace(
      '"data":{',
      '"__proto__":{"x":1},"data":{"__proto__":{"y":2},',
    );
    let copied: object | undefined;
    journal.behaviour = (_name, { data }) => {
      copied = Object.assign({}, data);
    };
    expect((await deliver(port, body)).status).toBe(200);
    expect(copied).not.toHaveProperty('y');
    expect({}).not.toHaveProperty('x');
  });

  it.each(['claim', 'finish', 'setAside'] as const)(
    'is answered 503 when %s of the storage fails',
    async (what) => {
      const memory = memoryStorage();
      const down = (): Promise<never> =>
        Promise.reject(Object.assign(new Error('could not store +255712345678'), { code: 'ECONNREFUSED' }));
      const storage: PaymentsStorage = {
        ...memory,
        name: 'broken',
        inbox: Object.assign(Object.create(memory.inbox) as typeof memory.inbox, {
          ...(what === 'claim' ? { claim: down } : {}),
          ...(what === 'finish'
            ? {
                claim: async (...args: Parameters<typeof memory.inbox.claim>) => {
                  const result = await memory.inbox.claim(...args);
                  return 'claim' in result ? { ...result, claim: { ...result.claim, finish: down } } : result;
                },
              }
            : {}),
        }),
        ...(what === 'setAside'
          ? {
              conflicts: Object.assign(Object.create(memory.conflicts) as typeof memory.conflicts, {
                setAside: down,
              }),
            }
          : {}),
      };
      const { port, logs } = await start({ payments: [paymentsOptions({}, { storage })] });
      const event = paymentEvent('payment.success', what === 'setAside' ? { currency: 'USD' } : {});
      const answer = await deliver(port, event);
      expect(answer.status).toBe(503);
      expect(answer.headers['retry-after']).toBe('5');
      expect(logs.webhooks('error')).toEqual([expect.stringContaining('Error (ECONNREFUSED)')]);
      expect(logs.webhooks('error').join()).not.toContain('255712345678');
    },
  );

  it('never gets past a wrong signature, and all of them are answered alike', async () => {
    const untouchable = <T extends object>(store: T): T =>
      new Proxy(store, {
        get: () => () => {
          throw new Error('the storage was touched');
        },
      });
    const memory = memoryStorage();
    const storage = {
      name: 'untouchable',
      inbox: untouchable(memory.inbox),
      journal: untouchable(memory.journal),
      conflicts: untouchable(memory.conflicts),
    };
    const { port, logs } = await start({ payments: [paymentsOptions({}, { storage })] });
    const body = JSON.stringify(paymentEvent('payment.success'));
    const json = { 'content-type': 'application/json' };
    const answers = [
      await send(port, '/webhooks/payments', body, json),
      await deliver(port, body, { headers: { 'x-webhook-signature': 'a'.repeat(64) } }),
      await deliver(port, body, { headers: { 'x-webhook-signature': ['a'.repeat(64), 'b'.repeat(64)] } }),
      await deliver(port, '{', { headers: { 'x-webhook-signature': 'a'.repeat(64) } }),
      await deliver(port, '', { headers: { 'x-webhook-signature': '' } }),
    ];
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(401);
    expect(journal.ran).toEqual([]);
    expect(logs.of('error')).toEqual([]);
    expect(logs.webhooks('warn').filter((line) => line.includes('401'))).toHaveLength(1);
    expect(logs.webhooks('warn').join('')).not.toMatch(/\n\s+at /);
  });

  it('is refused when a right signature header comes twice', async () => {
    const { port } = await start();
    const body = JSON.stringify(paymentEvent('payment.success'));
    const { 'x-webhook-signature': right } = signed(body);
    expect((await deliver(port, body, { headers: { 'x-webhook-signature': [right, right] } })).status).toBe(
      401,
    );
  });

  it('reaches request-scoped handlers, which are created for each event', async () => {
    const made: unknown[] = [];
    @Injectable({ scope: Scope.REQUEST })
    class Scoped {
      constructor(@Inject(REQUEST) private readonly request: unknown) {
        made.push(request);
      }

      @OnPayment('payment.success')
      paid(event: PaymentWebhookEvent): void {
        expect(this.request).toBe(event);
        journal.note('scoped', event);
      }
    }
    @Injectable({ scope: Scope.TRANSIENT })
    class Transient {
      private readonly made = 'transient';

      @OnPayment('payment.success')
      paid(event: PaymentWebhookEvent): void {
        journal.note(this.made, event);
      }
    }
    const { port } = await start({ providers: [Scoped, Transient] });
    const before = made.length;
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(200);
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(200);
    expect(made.length - before).toBe(2);
    expect(journal.ran).toEqual(['scoped', 'transient', 'route', 'scoped', 'transient', 'route']);
  });

  it.each<[what: string, scope: Scope, isAsync: boolean]>([
    ['of a request-scoped provider', Scope.REQUEST, false],
    ['of a transient provider', Scope.TRANSIENT, false],
    ['that is async', Scope.DEFAULT, true],
  ])('waits for the Observable of a handler %s', async (_what, scope, isAsync) => {
    @Injectable({ scope })
    class Reactive {
      @OnPayment('payment.success')
      paid(event: PaymentWebhookEvent): unknown {
        const work = of(1).pipe(tap(() => journal.note('subscribed', event)));
        return isAsync ? Promise.resolve(work) : work;
      }
    }
    const { port } = await start({ providers: [Reactive] });
    const event = paymentEvent('payment.success');
    journal.behaviour = () => {
      throw new Error('not yet');
    };
    expect((await deliver(port, event)).status).toBe(500);
    journal.behaviour = () => undefined;
    expect((await deliver(port, event)).status).toBe(200);
    expect(journal.ran).toEqual(['subscribed', 'subscribed', 'route']);
  });

  it('waits for the Observable of a route that is async', async () => {
    @Controller('webhooks')
    class AsyncRoute {
      @PaymentsWebhook('payments')
      async received(@PaymentEvent() event: PaymentWebhookEvent): Promise<unknown> {
        await Promise.resolve();
        return of(1).pipe(tap(() => journal.note('subscribed', event)));
      }
    }
    const { port } = await start({ controllers: [AsyncRoute], providers: [] });
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(200);
    expect(journal.ran).toEqual(['subscribed']);
  });

  it('reaches what a factory makes for each request, if its token is a class', async () => {
    class Made {
      @OnPayment('payment.success')
      paid(event: PaymentWebhookEvent): void {
        journal.note('made', event);
      }
    }
    const provider = { provide: Made, scope: Scope.REQUEST, useFactory: () => new Made() };
    const { port } = await start({ providers: [provider] });
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(200);
    expect(journal.ran).toEqual(['made', 'route']);
  });

  it('is one request for its request-scoped handlers: they share what it gave one of them', async () => {
    const units: object[] = [];
    @Injectable({ scope: Scope.REQUEST })
    class UnitOfWork {}
    class Sharing {
      constructor(private readonly unit: UnitOfWork) {}

      @OnPayment('payment.success')
      first(): void {
        units.push(this.unit);
      }

      @OnPayment('payment.success')
      second(): void {
        units.push(this.unit);
      }
    }
    Inject(UnitOfWork)(Sharing, undefined, 0);
    Injectable()(Sharing);
    const { port } = await start({ providers: [UnitOfWork, Sharing] });
    await deliver(port, paymentEvent('payment.success'));
    await deliver(port, paymentEvent('payment.success'));
    expect(units).toHaveLength(4);
    expect(units[1]).toBe(units[0]);
    expect(units[3]).toBe(units[2]);
    expect(units[2]).not.toBe(units[0]);
  });

  it.each<[by: string, providers: Provider[]]>([
    [
      'useExisting',
      [Orders, { provide: 'ORDERS', useExisting: Orders }, { provide: 'SHOP', useExisting: 'ORDERS' }],
    ],
    ['a factory', [Orders, { provide: 'ORDERS', inject: [Orders], useFactory: (orders: Orders) => orders }]],
    [
      'a factory that comes first',
      [{ provide: 'ORDERS', inject: [Orders], useFactory: (orders: Orders) => orders }, Orders],
    ],
    [
      'useValue',
      [
        { provide: Orders, useValue: theOrders },
        { provide: 'ORDERS', useValue: theOrders },
      ],
    ],
  ])('reaches a handler once, however many names its provider has by %s', async (_by, providers) => {
    const { port, logs } = await start({ providers });
    await deliver(port, paymentEvent('payment.success'));
    expect(journal.ran).toEqual(['success', 'any', 'route']);
    expect(logs.webhooks('warn').join()).not.toContain('more than one provider');
  });

  it('reaches the handlers of its own account only', async () => {
    @Controller('webhooks')
    class TwoAccounts {
      @PaymentsWebhook('payments')
      first(): void {}

      @PaymentsWebhook('payouts/:branch', { account: 'payouts' })
      second(@Param('branch') branch: string, @PaymentEvent() event: PaymentWebhookEvent): unknown {
        return journal.note(branch, event);
      }
    }
    @Injectable()
    class Both {
      @OnPayment('payment.success')
      first(event: PaymentWebhookEvent, context: PaymentEventContext): void {
        journal.note(`first:${context.account}`, event);
      }

      @OnPayment('*', { account: 'payouts' })
      second(event: PaymentWebhookEvent, context: PaymentEventContext): void {
        journal.note(`second:${context.account}`, event);
      }
    }
    const { port } = await start({
      controllers: [TwoAccounts],
      providers: [Both],
      payments: [
        paymentsOptions(),
        paymentsOptions(
          { secrets: ['another-secret-for-payouts'] },
          { name: 'payouts', apiKey: 'pk_test_b', apiSecret: 'sk_test_b' },
        ),
      ],
    });
    const event = paymentEvent('payment.success');
    expect((await deliver(port, event)).status).toBe(200);
    expect((await deliver(port, event, { path: '/webhooks/payouts/dar' })).status).toBe(401);
    const { 'x-webhook-signature': signature } = signed(JSON.stringify(event), 'another-secret-for-payouts');
    const headers = { 'x-webhook-signature': signature };
    expect((await deliver(port, event, { path: '/webhooks/payouts/dar', headers })).status).toBe(200);
    expect(journal.ran).toEqual(['first:default', 'second:payouts', 'dar']);
  });

  it('can be released after it was set aside, and counts from then on', async () => {
    const { port, app } = await start();
    const inbox = app.get(PaymentsInbox);
    const failed = paymentEvent('payment.failed', { reference: 'order-1' });
    const success = paymentEvent('payment.success', { reference: 'order-1' });
    await deliver(port, failed);
    await deliver(port, success);
    const [conflict] = await inbox.conflicts();
    journal.ran.length = 0;
    journal.behaviour = () => {
      throw new Error('not yet');
    };
    await expect(inbox.release(conflict!.id)).rejects.toMatchObject({
      code: 'HANDLER_FAILED',
      reference: 'order-1',
    });
    expect(await inbox.conflicts()).toHaveLength(1);
    journal.behaviour = () => undefined;
    await inbox.release(conflict!.id);
    expect(journal.ran).toEqual(['success', 'success', 'any']);
    expect(await inbox.conflicts()).toEqual([]);
    await expect(inbox.release(conflict!.id)).rejects.toMatchObject({ code: 'CONFLICT_NOT_FOUND' });
    expect((await deliver(port, success)).status).toBe(200);
    expect((await deliver(port, failed)).status).toBe(200);
    expect(journal.ran).toEqual(['success', 'success', 'any', 'odd']);
  });

  it('can be discarded after it was set aside, and changes nothing', async () => {
    const { port, app } = await start();
    const inbox = app.get(PaymentsInbox);
    const failed = paymentEvent('payment.failed', { reference: 'order-1' });
    const success = paymentEvent('payment.success', { reference: 'order-1' });
    await deliver(port, failed);
    await deliver(port, success);
    const [conflict] = await inbox.conflicts();
    journal.ran.length = 0;
    await inbox.discard(conflict!.id);
    expect(await inbox.conflicts()).toEqual([]);
    await expect(inbox.release(conflict!.id)).rejects.toMatchObject({ code: 'CONFLICT_NOT_FOUND' });
    expect((await deliver(port, failed)).status).toBe(200);
    expect(journal.ran).toEqual([]);
    expect(await inbox.conflicts()).toEqual([]);
  });

  it('is forgotten by purge() once it is old enough', async () => {
    let now = 0;
    const storage = memoryStorage({ now: () => now });
    const { port, app } = await start({ payments: [paymentsOptions({ retentionDays: 1 }, { storage })] });
    const event = paymentEvent('payment.failed');
    await deliver(port, event);
    expect(await app.get(PaymentsInbox).purge()).toBe(0);
    now += 86_400_001;
    expect(await app.get(PaymentsInbox).purge()).toBe(1);
    await deliver(port, event);
    expect(journal.ran).toEqual(['any', 'route', 'any', 'route']);
  });
});

function signed(body = '', withSecret = secret): { 'x-webhook-signature': string } {
  return signWebhook({ scheme, secret: withSecret, body }) as { 'x-webhook-signature': string };
}
