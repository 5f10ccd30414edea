import { describe, expect, it } from 'vitest';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { RateLimiter } from '../../../lib/gateway/rate-limiter.js';
import { CallTrace } from '../../../lib/gateway/call-trace.js';
import { sendInTurn } from '../../../lib/gateway/run-call.js';

describe('sending in turn', () => {
  it('says how long the try took, and not the wait for its turn', async () => {
    const gate = new RateLimiter({ perSecond: undefined, concurrency: 1 });
    expect(gate.acquire(performance.now() + 60_000, undefined)).toEqual({ permit: 'granted' });
    let startedAt = 0;
    const carrier = {
      send: () => {
        startedAt = performance.now();
        const answer = Promise.resolve({ status: 200, headers: {}, data: '' });
        return {
          answer,
          mayHaveBeenSent: () => true,
          notSentBecause: () => ({}),
          abort: () => {},
        };
      },
    };
    const sending = sendInTurn({
      transport: carrier,
      rateLimiter: gate,
      trace: new CallTrace({ account: 'default', operation: 'wallet.balance' }),
      request: { method: 'GET', origin: 'http://127.0.0.1:1', path: '/', headers: {}, body: undefined },
      signal: undefined,
      timeoutMs: 60_000,
      deadline: performance.now() + 60_000,
      wallDeadline: Date.now() + 60_000,
      sendBy: performance.now() + 60_000,
    });
    // Longer than the try, on any machine: it ends in the turn in which it begins.
    await delay(50);
    const leftAt = performance.now();
    gate.release();
    const { durationMs } = await sending;
    expect(startedAt).toBeGreaterThanOrEqual(leftAt);
    expect(durationMs).toBeGreaterThanOrEqual(0);
    expect(durationMs).toBeLessThanOrEqual(performance.now() - leftAt);
  });

  it.each([
    ['', -1, -1],
    [', also if the machine was suspended and its clock of intervals stood still', 60_000, -1],
    [', also if the date was set back', -1, 60_000],
  ])('sends nothing once the deadline has passed%s, and gives the turn back', async (_, left, wallLeft) => {
    let sent = 0;
    const carrier = {
      send: () => {
        sent += 1;
        throw new Error('sent');
      },
    };
    const gate = new RateLimiter({ perSecond: undefined, concurrency: 1 });
    const { result } = await sendInTurn({
      transport: carrier,
      rateLimiter: gate,
      trace: new CallTrace({ account: 'default', operation: 'wallet.balance' }),
      request: { method: 'GET', origin: 'http://127.0.0.1:1', path: '/', headers: {}, body: undefined },
      signal: undefined,
      timeoutMs: 100,
      deadline: performance.now() + left,
      wallDeadline: Date.now() + wallLeft,
      sendBy: performance.now() + left,
    });
    expect(result).toMatchObject({ result: 'failure', sent: false });
    expect(sent).toBe(0);
    expect(gate.acquire(performance.now() + 1_000, undefined)).toEqual({ permit: 'granted' });
  });
});
