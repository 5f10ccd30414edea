import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defer, EMPTY, of, throwError } from 'rxjs';
import { Logger } from '@nestjs/common';
import { type WebhookAnswer } from '../../../../lib/webhooks/delivery/webhook-answer.js';
import { type InboxClaim } from '../../../../lib/storage/inbox-store.js';
import { PaymentsStorageError } from '../../../../lib/errors/payments-errors.js';
import { ChangedMeanwhileError } from '../../../../lib/journal/outcomes/webhook-outcomes.js';
import { paymentEvent } from '../../../../lib/testing/payment-event.js';
import { HandlerRunner, RunningWork } from '../../../../lib/webhooks/delivery/handler-runner.js';
import { type HandlerStep } from '../../../../lib/webhooks/handlers/payment-handlers.js';
import { type TracedWebhook, WebhookTrace } from '../../../../lib/webhooks/delivery/webhook-trace.js';

const event = paymentEvent('payment.success', { reference: 'order-1' });
const TIMES = { handlerTimeoutMs: 5, leaseMs: 61_005 };
const CHANGED = new ChangedMeanwhileError('settled', 'order-1');
const webhook = (): TracedWebhook => ({
  event,
  bodyHash: () => '',
  deliveredAt: new Date(),
  trace: new WebhookTrace('default', event, 'request'),
});

afterEach(() => {
  vi.restoreAllMocks();
});

it.each<[what: string, error: Error, finished: string[], given: string, answer: object]>([
  [
    'its payment changed before anything was done',
    CHANGED,
    [],
    'withdraw',
    { status: 503, retryAfterSeconds: 5 },
  ],
  [
    'its payment changed after a step',
    CHANGED,
    ['Orders.first'],
    'fail',
    { status: 503, retryAfterSeconds: 5 },
  ],
  ['the storage failed', new PaymentsStorageError('away'), [], 'fail', { status: 503, retryAfterSeconds: 5 }],
  ['a handler failed', new Error('no stock'), [], 'fail', { status: 500 }],
])('gives the claim back if %s', async (_, error, finished, given, expected) => {
  vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
  const ends = { finish: vi.fn(() => Promise.resolve(true)), fail: vi.fn(() => Promise.resolve()) };
  const withdraw = vi.fn(() => Promise.resolve());
  const claim: InboxClaim = { attempt: 2, finished, mark: () => Promise.resolve(true), withdraw, ...ends };
  const handlers = [
    { name: 'Orders.first', run: () => Promise.reject(error) },
    { name: 'Orders.second', run: () => Promise.reject(error) },
  ];
  const answer = await new HandlerRunner('default', TIMES, new RunningWork()).run(
    claim,
    { known: true, handlers, done: () => {} },
    webhook(),
  );
  expect(answer).toEqual(expected);
  const called = Object.entries({ ...ends, withdraw }).filter(([, end]) => end.mock.calls.length > 0);
  expect(called.map(([name]) => name)).toEqual([given]);
});

it('logs that a claim could not be released, without what the storage said', async () => {
  const lines: string[] = [];
  vi.spyOn(Logger.prototype, 'error').mockImplementation((line: unknown) => void lines.push(String(line)));
  const claim: InboxClaim = {
    attempt: 1,
    finished: [],
    mark: () => Promise.resolve(true),
    finish: () => Promise.resolve(true),
    fail: () => Promise.reject(new Error('secret of order-1')),
    withdraw: () => Promise.resolve(),
  };
  const handlers = [{ name: 'Orders.paid', run: () => Promise.reject(new Error('no stock')) }];
  const answer = await new HandlerRunner('default', TIMES, new RunningWork()).run(
    claim,
    { known: true, handlers, done: () => {} },
    webhook(),
  );
  expect(answer).toEqual({ status: 500 });
  expect(lines).toEqual([
    expect.stringContaining('Orders.paid failed'),
    'The claim could not be released and holds until its lease ends: Error',
  ]);
});

it('logs that the end of handlers that ran on could not be recorded, without what the storage said', async () => {
  let tell = (): void => {};
  const told = new Promise<void>((resolve) => (tell = resolve));
  const lines: string[] = [];
  vi.spyOn(Logger.prototype, 'error').mockImplementation((line: unknown) => {
    if (lines.push(String(line)) === 2) tell();
  });
  let finishHandler = (): void => {};
  const handled = new Promise<void>((resolve) => (finishHandler = resolve));
  const claim: InboxClaim = {
    attempt: 1,
    finished: [],
    // In a transaction the end is not tried again.
    transaction: {},
    mark: () => Promise.resolve(true),
    finish: () => Promise.reject(new Error('secret of order-1')),
    fail: () => Promise.resolve(),
    withdraw: () => Promise.resolve(),
  };
  const running = new RunningWork();
  const work = new HandlerRunner('default', TIMES, running);

  const answer = await work.run(
    claim,
    { known: true, handlers: [{ name: 'Orders.paid', run: () => handled }], done: () => {} },
    webhook(),
  );

  expect(answer).toEqual({ status: 503, retryAfterSeconds: 61 });
  const subject = '"payment.success" for the reference "order-1"';
  expect(lines).toEqual([`Orders.paid takes longer than 5 ms for ${subject} and runs on; answered 503.`]);
  finishHandler();
  await told;
  expect(lines[1]).toBe(`The end of ${subject} could not be recorded: Error`);
  expect(await running.idle(1_000)).toEqual([]);
});

describe('the handlers of a claim', () => {
  let log: string[];
  let errors: string[];
  let holdsClaim: boolean;
  let gaveBack: () => void;

  beforeEach(() => {
    [log, errors, holdsClaim, gaveBack] = [[], [], true, () => {}];
    vi.spyOn(Logger.prototype, 'error').mockImplementation((line: unknown) => {
      errors.push(String(line));
    });
  });

  const step = (name: string, work: () => unknown = () => undefined): HandlerStep => ({
    name,
    run: () => {
      log.push(name);
      return work();
    },
  });
  const run = (handlers: readonly HandlerStep[], handlerTimeoutMs = 60_000): Promise<WebhookAnswer> => {
    const note = (what: string) => (): Promise<boolean> => {
      log.push(what);
      return Promise.resolve(holdsClaim);
    };
    const fail = (): Promise<void> => {
      log.push('fail');
      gaveBack();
      return Promise.resolve();
    };
    const claim: InboxClaim = {
      attempt: 1,
      finished: [],
      mark: (name) => note(`mark ${name}`)(),
      finish: note('finish'),
      fail,
      withdraw: fail,
    };
    const plan = { known: true, handlers, done: () => log.push('done') };
    return new HandlerRunner('default', { handlerTimeoutMs, leaseMs: 61_000 }, new RunningWork()).run(
      claim,
      plan,
      webhook(),
    );
  };

  it('run one after the other, each remembered after it ended, the last one by the end of the claim', async () => {
    const slow = async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      log.push('A.a ended');
    };
    expect(await run([step('A.a', slow), step('B.b')])).toEqual({ status: 200 });
    expect(log).toEqual(['A.a', 'A.a ended', 'mark A.a', 'B.b', 'finish', 'done']);
  });

  const notYet = new Error('not yet');
  it.each<[how: string, fails: () => unknown]>([
    [
      'throws',
      () => {
        throw notYet;
      },
    ],
    ['rejects', () => Promise.reject(notYet)],
    ['returns an Observable that fails', () => throwError(() => notYet)],
    ['promises an Observable that fails', () => Promise.resolve(throwError(() => notYet))],
  ])('end with the first that %s', async (_how, fails) => {
    expect(await run([step('A.a', fails), step('B.b')])).toEqual({ status: 500 });
    expect(log).toEqual(['A.a', 'fail']);
    expect(errors.join()).toMatch(/^A\.a failed .*not yet/);
  });

  it.each<[how: string, given: (work: unknown) => unknown]>([
    ['returns', (work) => work],
    ['promises', (work) => Promise.resolve(work)],
  ])('are awaited if one %s an Observable, and may end without a value', async (_how, given) => {
    const work = defer(() => of(log.push('A.a ended'), 2));
    expect(await run([step('A.a', () => given(work)), step('B.b', () => given(EMPTY))])).toEqual({
      status: 200,
    });
    expect(log).toEqual(['A.a', 'A.a ended', 'mark A.a', 'B.b', 'finish', 'done']);
  });

  it('start in the tick of their run', async () => {
    const running = run([step('A.a')]);
    expect(log).toEqual(['A.a']);
    await running;
  });

  it('give the claim back even if one of them threw a value that cannot be inspected', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const unreadable = (): never => {
      throw new Error('not to be read');
    };
    const traps = { get: unreadable, has: unreadable, getPrototypeOf: unreadable };
    const hostile: readonly unknown[] = [
      proxy,
      new Proxy(new Error('hidden'), traps),
      new Proxy(new Error('plain'), {}),
    ];
    for (const thrown of hostile) {
      log = [];
      expect(await run([step('A.a', () => Promise.reject(thrown as Error))])).toEqual({ status: 500 });
      expect(log).toEqual(['A.a', 'fail']);
      expect(errors.pop()).toContain('A Proxy was thrown.');
    }
  });

  it('begin no further one when their time is over, and remember the one that ended late', async () => {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const failed = new Promise<void>((resolve) => (gaveBack = resolve));
    expect(await run([step('A.a', () => ended), step('B.b')], 5)).toMatchObject({ status: 503 });
    end();
    await failed;
    expect(log).toEqual(['A.a', 'mark A.a', 'fail']);
    expect(errors.at(-1)).toMatch(/^B\.b failed .*handlerTimeoutMs/);
  });

  it('end without a record once the claim is lost', async () => {
    holdsClaim = false;
    expect(await run([step('A.a'), step('B.b')])).toEqual({ status: 503, retryAfterSeconds: 1 });
    expect(log).toEqual(['A.a', 'mark A.a']);
  });
});

it('has the storage run the handlers, and nothing after them, if it wants to', async () => {
  const order: string[] = [];
  const claim: InboxClaim = {
    attempt: 1,
    finished: [],
    within: (handlers) => {
      order.push('within');
      return handlers();
    },
    mark: () => Promise.resolve(true),
    finish: () => Promise.resolve(order.push('finish') > 0),
    fail: () => Promise.resolve(),
    withdraw: () => Promise.resolve(),
  };
  const handlers = [{ name: 'Orders.paid', run: () => Promise.resolve(order.push('handler')) }];
  const done = (): void => void order.push('done');
  const runner = new HandlerRunner('default', TIMES, new RunningWork());
  expect(await runner.run(claim, { known: true, handlers, done }, webhook())).toMatchObject({ status: 200 });
  expect(order).toEqual(['within', 'handler', 'finish', 'done']);
});
