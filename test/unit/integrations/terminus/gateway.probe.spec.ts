import { beforeEach, describe, expect, it } from 'vitest';
import {
  GatewayUnreachableError,
  PaymentsAuthenticationError,
} from '../../../../lib/errors/payments-errors.js';
import { GatewayProbe } from '../../../../lib/integrations/terminus/gateway.probe.js';
import { type CallOptions } from '../../../../lib/gateway/call-options.js';
import { ManualClock } from '../../../support/manual-clock.js';

const rules = { cacheMs: 30_000, timeoutMs: 5_000 };

describe('the probe of a gateway', () => {
  let clock: ManualClock;
  let reads: CallOptions[];
  let answer: () => Promise<unknown>;
  let probe: GatewayProbe;

  beforeEach(() => {
    clock = new ManualClock();
    reads = [];
    answer = () => Promise.resolve({});
    probe = new GatewayProbe((options) => {
      reads.push(options);
      return answer();
    }, clock.now);
  });

  it('the probe asks again only after the last result has expired', async () => {
    await probe.check(rules);
    await clock.advance(29_999);
    await probe.check(rules);
    expect(reads).toEqual([{ timeoutMs: 5_000, deadlineMs: 5_000 }]);
    await clock.advance(1);
    await probe.check(rules);
    expect(reads).toHaveLength(2);
  });

  it('the probe keeps the result that the gateway is down as long as any other', async () => {
    answer = () => Promise.reject(new PaymentsAuthenticationError('UNAUTHORIZED', 'no'));
    expect(await probe.check(rules)).toMatchObject({ status: 'down' });
    answer = () => Promise.resolve({});
    expect(await probe.check(rules)).toMatchObject({ status: 'down' });
    await clock.advance(30_000);
    expect(await probe.check(rules)).toMatchObject({ status: 'up' });
  });

  it('the probe asks the gateway once for all checks that run at the same time', async () => {
    let end = (): void => undefined;
    answer = () =>
      new Promise<void>((resolve) => {
        end = resolve;
      });
    const both = Promise.all([probe.check(rules), probe.check(rules)]);
    end();
    expect(await both).toMatchObject([{ status: 'up' }, { status: 'up' }]);
    expect(reads).toHaveLength(1);
  });

  it('the probe asks the gateway every time if `cacheMs` is 0', async () => {
    await probe.check({ ...rules, cacheMs: 0 });
    await probe.check({ ...rules, cacheMs: 0 });
    expect(reads).toHaveLength(2);
  });

  describe('whose read gets no turn behind the calls of the account', () => {
    const noTurn = (): Promise<never> =>
      Promise.reject(
        new GatewayUnreachableError('Nothing was sent.', {
          attempts: [{ number: 1, phase: 'not-sent', code: 'QUEUE_TIMEOUT', durationMs: 0 }],
        }),
      );
    const next = async (afterMs = 30_000): Promise<string> => {
      await clock.advance(afterMs);
      const { status } = await probe.check({ ...rules, cacheMs: Math.min(afterMs, rules.cacheMs) });
      return status;
    };

    beforeEach(async () => {
      expect(await probe.check(rules)).toMatchObject({ status: 'up' });
      answer = noTurn;
    });

    it('is down after the third one if the gateway answered none of these calls', async () => {
      probe.callEnded({ outcome: 'unknown', error: 'PaymentOutcomeUnknownError' });
      expect([await next(), await next()]).toEqual(['up', 'up']);
      probe.callEnded({ outcome: 'failed', error: 'GatewayUnreachableError' });
      expect(await next()).toBe('down');
    });

    it('stays up while these calls may merely take long, and is down after three reads beyond that', async () => {
      for (let read = 0; read < 19; read += 1) expect(await next(1_500)).toBe('up');
      probe.callEnded({ outcome: 'failed', error: 'PaymentRejectedError' });
      for (let read = 0; read < 19; read += 1) expect(await next(1_500)).toBe('up');
      expect([await next(1_500), await next(1_500), await next(1_500)]).toEqual(['up', 'up', 'down']);
    });

    it('is not down for that at the beginning either', async () => {
      probe = new GatewayProbe(noTurn, clock.now);
      for (let read = 0; read < 19; read += 1) expect(await next(1_500)).toBe('unclear');
      expect([await next(1_500), await next(1_500), await next(1_500)]).toEqual([
        'unclear',
        'unclear',
        'down',
      ]);
    });

    it('counts a silent read before it', async () => {
      answer = () => Promise.reject(new Error('silence'));
      expect([await next(), await next()]).toEqual(['up', 'up']);
      answer = noTurn;
      expect(await next()).toBe('down');
    });

    it.each([
      { outcome: 'success' },
      { outcome: 'failed', error: 'PaymentRejectedError' },
      { outcome: 'failed', error: 'PaymentsRateLimitError' },
    ] as const)('stays up while such calls end with %j', async (end) => {
      for (let read = 0; read < 5; read += 1) {
        probe.callEnded(end);
        probe.callEnded({ outcome: 'unknown', error: 'PaymentOutcomeUnknownError' });
        expect(await next()).toBe('up');
      }
    });

    it('is up again when the gateway accepts one of these calls', async () => {
      expect([await next(), await next(), await next()]).toEqual(['up', 'up', 'down']);
      probe.callEnded({ outcome: 'failed', error: 'PaymentRejectedError' });
      expect(await next()).toBe('down');
      probe.callEnded({ outcome: 'success' });
      expect(await next()).toBe('up');
    });
  });
});
