import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { resolveOptions } from '../../../lib/config/resolve-options.js';
import { pause } from '../../../lib/common/timing.js';
import { nextWaitMs, parseRetryAfter, probeWaitMs } from '../../../lib/gateway/wait-before-try.js';

const retry = { maxAttempts: 3, baseDelayMs: 500, maxDelayMs: 800 };
const state = { tries: 1, remainingMs: 60_000, retryAfterMs: undefined };
const always = (value: number) => () => value;

describe('the wait before another try', () => {
  it('doubles with every try, up to its bound', () => {
    expect(nextWaitMs(state, retry, always(1))).toBe(500);
    expect(nextWaitMs({ ...state, tries: 2 }, retry, always(1))).toBe(800);
  });

  it('is spread over the whole range, so that clients do not come back together', () => {
    expect(nextWaitMs(state, retry, always(0))).toBe(0);
    expect(nextWaitMs(state, retry, always(0.5))).toBe(250);
  });

  it('does not come when the tries are used up', () => {
    expect(nextWaitMs({ ...state, tries: 3 }, retry)).toBeUndefined();
  });

  it('does not come when under a second would be left', () => {
    expect(nextWaitMs({ ...state, remainingMs: 1_500 }, retry, always(1))).toBe(500);
    expect(nextWaitMs({ ...state, remainingMs: 1_499 }, retry, always(1))).toBeUndefined();
  });

  it('is what the gateway asks for, up to a minute', () => {
    expect(nextWaitMs({ ...state, remainingMs: 90_000, retryAfterMs: 60_000 }, retry)).toBe(60_000);
    expect(nextWaitMs({ ...state, remainingMs: 90_000, retryAfterMs: 60_001 }, retry)).toBeUndefined();
    expect(nextWaitMs({ ...state, remainingMs: 10_000, retryAfterMs: 9_500 }, retry)).toBeUndefined();
  });

  it('never outlasts the deadline, whatever the numbers', () => {
    fc.assert(
      fc.property(
        fc.nat(10),
        fc.nat(100_000),
        fc.option(fc.nat(200_000), { nil: undefined }),
        (tries, left, after) => {
          const wait = nextWaitMs(
            { tries, remainingMs: left, retryAfterMs: after },
            { ...retry, maxAttempts: 20 },
          );
          return wait === undefined || (wait >= 0 && wait + 1_000 <= left);
        },
      ),
    );
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');

  const table: [header: string | undefined, ms: number | undefined][] = [
    ['2', 2_000],
    [' 0 ', 0],
    ['Thu, 01 Jan 2026 00:00:05 GMT', 5_000],
    ['Thu, 01 Jan 2026 00:00:00 GMT', undefined],
    ['Wed, 31 Dec 2025 23:59:00 GMT', undefined],
    ['99999999999999999999', Number.MAX_SAFE_INTEGER],
    ['Fri, 01 Jan 2100 00:00:00 GMT', Date.parse('2100-01-01T00:00:00Z') - now],
    ['soon', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['', undefined],
    [undefined, undefined],
  ];

  for (const [header, ms] of table) {
    it(`"${header ?? 'absent'}" is ${ms ?? 'no'} milliseconds`, () => {
      expect(parseRetryAfter({ retryAfter: header }, now)).toBe(ms);
    });
  }

  it.each<[retryAfter: string, date: string, ms: number | undefined]>([
    ['Wed, 31 Dec 2025 23:55:05 GMT', 'Wed, 31 Dec 2025 23:55:00 GMT', 5_000],
    ['Thu, 01 Jan 2026 00:05:05 GMT', 'Thu, 01 Jan 2026 00:05:00 GMT', 5_000],
    ['Thu, 01 Jan 2026 00:05:00 GMT', 'Thu, 01 Jan 2026 00:05:00 GMT', undefined],
    ['Thu, 01 Jan 2026 00:00:05 GMT', 'yesterday', 5_000],
    ['Thu, 01 Jan 2026 00:00:05 GMT', '2020', 5_000],
    ['2', 'Wed, 31 Dec 2025 23:55:00 GMT', 2_000],
  ])('"%s" under the Date "%s" is %s milliseconds, by the clock of the gateway', (retryAfter, date, ms) => {
    expect(parseRetryAfter({ retryAfter, date }, now)).toBe(ms);
  });
});

describe('a date of HTTP', () => {
  const { TZ } = process.env;
  beforeAll(() => {
    process.env['TZ'] = 'America/St_Johns';
  });
  afterAll(() => {
    if (TZ === undefined) delete process.env['TZ'];
    else process.env['TZ'] = TZ;
  });

  it.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])(
    '"%s" is in GMT, whatever the zone of this process is',
    (retryAfter) => {
      const sent = Date.parse('1994-11-06T08:49:32Z');
      expect(new Date(sent).getTimezoneOffset()).toBe(210);
      expect(parseRetryAfter({ retryAfter }, sent)).toBe(5_000);
      expect(parseRetryAfter({ retryAfter, date: 'Sun Nov  6 08:49:30 1994' }, 0)).toBe(7_000);
    },
  );
});

describe('the wait before a probe', () => {
  const waits = { afterAnswerMs: 2_000, afterSilenceMs: 15_000 };

  it('is longer after silence than after an answer', () => {
    expect(probeWaitMs('after-answer', 60_000, waits)).toBe(2_000);
    expect(probeWaitMs('after-silence', 60_000, waits)).toBe(15_000);
  });

  it('has room in the default deadline, also after a try that took all its time', () => {
    const { deadlineMs, timeoutMs, probe } = resolveOptions({
      baseUrl: 'https://gateway.example/api/v1',
      apiKey: 'pk_test_canarykey',
      apiSecret: 'sk_test_canarysecret',
    });
    const defaults = probe.collection ?? waits;
    for (const wait of ['after-answer', 'after-silence'] as const)
      expect(probeWaitMs(wait, deadlineMs - timeoutMs, defaults)).toBe(15_000);
  });

  it('does not begin if it would leave under a second', () => {
    expect(probeWaitMs('after-silence', 16_000, waits)).toBe(15_000);
    expect(probeWaitMs('after-silence', 15_999, waits)).toBeUndefined();
  });
});

describe('pausing', () => {
  it('ends in its time', async () => {
    await expect(pause(1, new AbortController().signal)).resolves.toBe(true);
  });

  it('ends when the signal fires', async () => {
    const controller = new AbortController();
    const pausing = pause(60_000, controller.signal);
    controller.abort('enough');
    await expect(pausing).resolves.toBe(false);
  });

  it('leaves nothing behind at a signal that outlives it', async () => {
    const { signal } = new AbortController();
    const pausing = pause(1, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await pausing;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('does not begin when the signal has fired already', async () => {
    await expect(pause(60_000, AbortSignal.abort('before'))).resolves.toBe(false);
  });
});
