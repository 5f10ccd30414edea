import { beforeEach, describe, expect, it } from 'vitest';
import { PaymentsAuthenticationError } from '../../../../lib/errors/payments-errors.js';
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
});
