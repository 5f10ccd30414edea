import { beforeEach, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { type Permit, RateLimiter } from '../../../lib/gateway/rate-limiter.js';
import { ManualClock } from '../../support/manual-clock.js';

const LATEST = 59_000;

describe('the gate of an account', () => {
  let clock: ManualClock;
  let permits: string[];

  const gateOf = (rate: { perSecond?: number; concurrency?: number } = {}): RateLimiter =>
    new RateLimiter({ perSecond: rate.perSecond, concurrency: rate.concurrency }, clock);

  /** Enters, and notes what the permit was and when it came. */
  const enter = (gate: RateLimiter, name: string, latest = LATEST, signal?: AbortSignal): void => {
    const note = ({ permit }: Permit): void => {
      permits.push(`${name} ${permit} at ${clock.now()}`);
    };
    const asked = gate.acquire(latest, signal);
    if (asked instanceof Promise) void asked.then(note);
    else note(asked);
  };

  beforeEach(() => {
    clock = new ManualClock();
    permits = [];
  });

  describe('without caps and without a 429', () => {
    it('is open, and sets no timer', () => {
      const gate = gateOf();
      for (let call = 0; call < 1_000; call += 1) enter(gate, 'call');
      expect(permits).toHaveLength(1_000);
      expect(clock.pending).toBe(0);
    });

    it('is open also for a call with hardly any time', () => {
      enter(gateOf(), 'hasty', -500);
      expect(permits).toEqual(['hasty granted at 0']);
    });

    it('does not let in a call that was aborted', () => {
      enter(gateOf(), 'call', LATEST, AbortSignal.abort());
      expect(permits).toEqual(['call aborted at 0']);
    });
  });

  it('says how long it is paused, to calls that can wait that long', () => {
    const gate = gateOf({ concurrency: 1 });
    enter(gate, 'first');
    enter(gate, 'second');
    expect(gate.pausedMs(LATEST)).toBe(0);
    gate.pauseFor(1_000);
    expect([gate.pausedMs(1_000), gate.pausedMs(999)]).toEqual([1_000, 0]);
    gate.pauseFor(2_000);
    expect(gate.pausedMs(LATEST)).toBe(2_000);
    // The gateway asks for longer than any call waits: every try is held back.
    gate.pauseFor(90_000);
    expect(gate.pausedMs(LATEST)).toBe(0);
  });

  describe('with a cap on concurrency', () => {
    it('lets in as many as the cap, and the others in their order as permits end', async () => {
      const gate = gateOf({ concurrency: 2 });
      for (const name of ['a', 'b', 'c', 'd', 'e']) enter(gate, name);
      expect(permits).toEqual(['a granted at 0', 'b granted at 0']);
      await clock.advance(5);
      gate.release();
      await clock.advance(5);
      gate.release();
      gate.release();
      await clock.advance(1);
      expect(permits.slice(2)).toEqual(['c granted at 5', 'd granted at 10', 'e granted at 10']);
      expect(clock.pending).toBe(0);
    });

    it('lets nobody overtake those who wait', async () => {
      const gate = gateOf({ concurrency: 1 });
      enter(gate, 'first');
      enter(gate, 'second');
      gate.release();
      enter(gate, 'third');
      await clock.advance(1);
      expect(permits).toEqual(['first granted at 0', 'second granted at 0']);
    });

    it('lets nobody overtake those who wait, even if the timer that lets them in is late', async () => {
      let now = 0;
      const lateTimers = { now: () => now, after: () => () => undefined };
      const gate = new RateLimiter({ perSecond: 1, concurrency: undefined }, lateTimers);
      expect(gate.acquire(LATEST, undefined)).toEqual({ permit: 'granted' });
      const waiting = gate.acquire(LATEST, undefined);
      now = 1_500;
      expect(gate.acquire(LATEST, undefined)).toBeInstanceOf(Promise);
      expect(await waiting).toEqual({ permit: 'granted' });
    });

    it('lets a waiting call go when it is aborted, and serves the next one', async () => {
      const gate = gateOf({ concurrency: 1 });
      const controller = new AbortController();
      enter(gate, 'first');
      enter(gate, 'second', LATEST, controller.signal);
      enter(gate, 'third');
      controller.abort();
      await clock.advance(1);
      gate.release();
      await clock.advance(1);
      expect(permits.slice(1)).toEqual(['second aborted at 0', 'third granted at 1']);
      expect(clock.pending).toBe(0);
    });

    it('lets a waiting call go when its time is up', async () => {
      const gate = gateOf({ concurrency: 1 });
      enter(gate, 'first');
      enter(gate, 'second', 50);
      await clock.advance(60);
      expect(permits.slice(1)).toEqual(['second late at 50']);
      expect(clock.pending).toBe(0);
    });

    it('does not let a call wait that has no time to wait', () => {
      const gate = gateOf({ concurrency: 1 });
      enter(gate, 'first');
      enter(gate, 'second', 0);
      expect(permits).toEqual(['first granted at 0', 'second late at 0']);
    });
  });

  describe('with a cap on starts per second', () => {
    it('lets in a burst of the cap, and the next when a second has passed since the first', async () => {
      const gate = gateOf({ perSecond: 2 });
      enter(gate, 'a');
      await clock.advance(400);
      for (const name of ['b', 'c', 'd']) enter(gate, name);
      await clock.advance(1_700);
      expect(permits).toEqual([
        'a granted at 0',
        'b granted at 400',
        'c granted at 1000',
        'd granted at 1400',
      ]);
    });

    it('never lets more than the cap start within any second, in whatever rhythm calls come', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 5 }),
          fc.array(fc.nat(700), { maxLength: 60 }),
          async (cap, gaps) => {
            clock = new ManualClock();
            const gate = gateOf({ perSecond: cap });
            const starts: number[] = [];
            for (const gap of gaps) {
              void Promise.resolve(gate.acquire(Infinity, undefined)).then(() => starts.push(clock.now()));
              await clock.advance(gap);
            }
            await clock.advance(gaps.length * 1_000);
            expect(starts).toHaveLength(gaps.length);
            for (const [index, at] of starts.entries()) {
              expect(at - (starts[index - cap] ?? -1_000)).toBeGreaterThanOrEqual(1_000);
            }
          },
        ),
      );
    });
  });

  describe('after a 429', () => {
    it('keeps all calls of the account waiting for as long as the gateway asks', async () => {
      const gate = gateOf();
      enter(gate, 'met it');
      gate.release();
      gate.pauseFor(2_000);
      enter(gate, 'a');
      await clock.advance(500);
      enter(gate, 'b');
      await clock.advance(1_600);
      expect(permits.slice(1)).toEqual(['a granted at 2000', 'b granted at 2000']);
      expect(clock.pending).toBe(0);
    });

    it('waits for the longest of several wishes', async () => {
      const gate = gateOf();
      gate.pauseFor(2_000);
      gate.pauseFor(500);
      enter(gate, 'a');
      await clock.advance(2_100);
      expect(permits).toEqual(['a granted at 2000']);
    });

    it('permits away at once a call whose deadline is too near', () => {
      const gate = gateOf();
      gate.pauseFor(2_000);
      expect(gate.acquire(1_999, undefined)).toEqual({ permit: 'held-back', retryAfterMs: 2_000 });
    });

    it('says how long to wait in whole milliseconds', () => {
      const gate = gateOf();
      gate.pauseFor(2_000.25);
      expect(gate.acquire(1, undefined)).toEqual({ permit: 'held-back', retryAfterMs: 2_001 });
    });

    it('permits away at once those in the queue that cannot wait that long', async () => {
      const gate = gateOf({ concurrency: 1 });
      enter(gate, 'running');
      enter(gate, 'short of time', 1_500);
      enter(gate, 'patient');
      await clock.advance(1);
      gate.pauseFor(2_000);
      gate.release();
      await clock.advance(2_100);
      expect(permits.slice(1)).toEqual(['short of time held-back at 1', 'patient granted at 2001']);
    });

    it('permits every call away when the wait is over a minute, however patient it is', () => {
      const gate = gateOf();
      gate.pauseFor(60_001);
      expect(gate.acquire(1_000_000, undefined)).toEqual({ permit: 'held-back', retryAfterMs: 60_001 });
    });

    it('asks the gateway again after a minute, whatever it wrote', async () => {
      const gate = gateOf();
      gate.pauseFor(Number.MAX_SAFE_INTEGER);
      await clock.advance(59_000);
      enter(gate, 'early', Infinity);
      await clock.advance(1_000);
      enter(gate, 'again', Infinity);
      gate.pauseFor(100);
      enter(gate, 'later', Infinity);
      await clock.advance(200);
      expect(permits).toEqual([
        'early held-back at 59000',
        'again granted at 60000',
        'later granted at 60100',
      ]);
    });

    it('keeps to the caps when it opens', async () => {
      const gate = gateOf({ concurrency: 1 });
      gate.pauseFor(100);
      enter(gate, 'a');
      enter(gate, 'b');
      await clock.advance(200);
      gate.release();
      await clock.advance(1);
      expect(permits).toEqual(['a granted at 100', 'b granted at 200']);
    });

    it('sets no timer that outlives the last waiting call', async () => {
      const gate = gateOf();
      const controller = new AbortController();
      gate.pauseFor(10_000);
      enter(gate, 'a', LATEST, controller.signal);
      expect(clock.pending).toBe(2);
      controller.abort();
      await clock.advance(1);
      expect(permits).toEqual(['a aborted at 0']);
      expect(clock.pending).toBe(0);
    });
  });
});
