import { beforeEach, describe, expect, it } from 'vitest';
import { of, throwError } from 'rxjs';
import { paymentEvent } from '../../../../lib/testing/payment-event.js';
import { DeliveryContext } from '../../../../lib/webhooks/delivery/handler-runner.js';
import {
  type PlannedStep,
  runSteps,
  type StepsResult,
  HandlerTime,
} from '../../../../lib/webhooks/handlers/handler-steps.js';

describe('the steps of a delivery', () => {
  let ran: string[];
  let marked: string[];
  let time: HandlerTime;
  let holdsClaim: boolean;

  const step = (name: string, work: () => unknown = () => undefined, mark?: string): PlannedStep => ({
    name,
    ...(mark !== undefined && { mark }),
    run: () => {
      ran.push(name);
      return work();
    },
  });
  const run = (...steps: PlannedStep[]): Promise<StepsResult> =>
    runSteps(steps, paymentEvent('payment.success'), {
      context: new DeliveryContext('default', 1, true, new Date(), time, undefined),
      time,
      begins: (name) => ran.push(`${name} begins`),
      around: (_name, work) => work(),
      mark: (name) => {
        marked.push(name);
        return Promise.resolve(holdsClaim);
      },
    });

  beforeEach(() => {
    ran = [];
    marked = [];
    time = new HandlerTime();
    holdsClaim = true;
  });

  it('run one after the other, each named before it begins and remembered after it ended', async () => {
    let ended = false;
    const slow = async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      expect(marked).toEqual([]);
      ended = true;
    };
    const second = (): void => {
      expect([ended, marked]).toEqual([true, ['A.a']]);
    };
    expect(await run(step('A.a', slow, 'A.a'), step('B.b', second))).toEqual({ ok: true });
    expect(ran).toEqual(['A.a begins', 'A.a', 'B.b begins', 'B.b']);
    expect(marked).toEqual(['A.a']);
  });

  it('end with the first that throws, rejects or is an Observable that fails', async () => {
    const error = new Error('not yet');
    const failures = [
      () => {
        throw error;
      },
      () => Promise.reject(error),
      () => throwError(() => error),
    ];
    for (const failure of failures) {
      expect(await run(step('A.a', failure, 'A.a'), step('B.b'))).toEqual({ ok: false, step: 'A.a', error });
    }
    expect(ran).not.toContain('B.b');
    expect(marked).toEqual([]);
    expect(await run(step('A.a', () => of(1, 2)))).toEqual({ ok: true });
  });

  it('fail with an error that can be read where what is thrown cannot', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const unreadable = (): never => {
      throw new Error('not to be read');
    };
    const hostile = new Proxy(new Error('hidden'), {
      get: unreadable,
      has: unreadable,
      getPrototypeOf: unreadable,
    });
    const values: readonly Error[] = [proxy as Error, hostile, new Proxy(new Error('plain'), {})];
    for (const thrown of values) {
      const failed = await run(step('A.a', () => Promise.reject(thrown)));
      expect(failed).toEqual({ ok: false, step: 'A.a', error: new Error('A Proxy was thrown.') });
    }
  });

  it('remember a step that ended when the time was over, and begin no other', async () => {
    const reason = new Error('too long');
    const late = (): void => {
      time.end(reason);
    };
    expect(await run(step('A.a', late, 'A.a'), step('B.b'))).toEqual({
      ok: false,
      step: 'B.b',
      error: reason,
    });
    expect(ran).toEqual(['A.a begins', 'A.a']);
    expect(marked).toEqual(['A.a']);
  });

  it('go no further once the claim is lost', async () => {
    holdsClaim = false;
    expect(await run(step('A.a', undefined, 'A.a'), step('B.b'))).toEqual({ ok: 'lost' });
    expect(ran).not.toContain('B.b');
  });
});
