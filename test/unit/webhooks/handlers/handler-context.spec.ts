import { describe, expect, it } from 'vitest';

import {
  DeliveryContext,
  HandlerTime,
  type PaymentEventContext,
} from '../../../../lib/webhooks/handlers/handler-context.js';

const tooLate = new Error('too late');

function contextIn(time: HandlerTime, transaction?: unknown): PaymentEventContext {
  return new DeliveryContext('default', 2, true, new Date(0), time, transaction);
}

describe('what handlers get', () => {
  it('has a signal that is aborted when the time is over, whenever it is asked for', () => {
    const time = new HandlerTime();
    const context = contextIn(time);
    const early = context.signal;
    expect([early.aborted, time.timeoutError]).toEqual([false, undefined]);
    time.end(tooLate);
    expect(context.signal).toBe(early);
    expect([early.aborted, early.reason, time.timeoutError]).toEqual([true, tooLate, tooLate]);

    const other = new HandlerTime();
    other.end(tooLate);
    const late = contextIn(other).signal;
    expect([late.aborted, late.reason]).toEqual([true, tooLate]);
  });

  it('has it in a copy too', () => {
    const time = new HandlerTime();
    const copy = { ...contextIn(time) };
    time.end(tooLate);
    expect(copy.signal.aborted).toBe(true);
  });

  it('equals a plain object with the same fields, and so does a copy', () => {
    const told = {
      account: 'default',
      attempt: 2,
      known: true,
      deliveredAt: new Date(0),
      signal: expect.any(AbortSignal) as unknown,
    };
    const context = contextIn(new HandlerTime());
    expect(context).toEqual(told);
    expect({ ...context }).toStrictEqual(told);
  });

  it('holds a transaction only if there is one', () => {
    const told = { account: 'default', attempt: 2, known: true, deliveredAt: new Date(0) };
    expect(JSON.parse(JSON.stringify(contextIn(new HandlerTime())))).toEqual({
      ...told,
      deliveredAt: told.deliveredAt.toISOString(),
      signal: {},
    });
    expect(contextIn(new HandlerTime())).not.toHaveProperty('transaction');
    expect(contextIn(new HandlerTime(), 'open')).toHaveProperty('transaction', 'open');
  });

  it('makes a signal for nobody who does not ask', () => {
    const { AbortController: real } = globalThis;
    let made = 0;
    globalThis.AbortController = class extends real {
      constructor() {
        super();
        made += 1;
      }
    };
    try {
      const time = new HandlerTime();
      const context = contextIn(time);
      time.end(tooLate);
      expect(made).toBe(0);
      expect([context.signal.aborted, context.signal.aborted, made]).toEqual([true, true, 1]);
    } finally {
      globalThis.AbortController = real;
    }
  });
});
