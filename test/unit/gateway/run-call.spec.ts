import { Logger } from '@nestjs/common';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { performance } from 'node:perf_hooks';
import { type OutcomeEvidence } from '../../../lib/common/vocabulary.js';
import { type CallLimits } from '../../../lib/gateway/call-options.js';
import { type CallResult } from '../../../lib/gateway/call-result.js';
import { CallTrace } from '../../../lib/gateway/call-trace.js';
import { type MoneyCall } from '../../../lib/gateway/gateway-call.js';
import {
  type HttpTransport,
  type OutgoingRequest,
  type TransportAnswer,
} from '../../../lib/gateway/http/http-transport.js';
import { RateLimiter } from '../../../lib/gateway/rate-limiter.js';
import { type IdempotentRequest, runCall } from '../../../lib/gateway/run-call.js';

beforeAll(() => {
  Logger.overrideLogger(false);
});

afterEach(() => {
  vi.restoreAllMocks();
});

const COLLECTION: MoneyCall<object> = {
  kind: 'collection',
  operation: 'collection.mobile-money',
  method: 'POST',
  path: '/payments/mobile-money',
  payment: { reference: 'order-1', amount: '100.00', currency: 'TZS' },
  read: (data) => ({ value: data as object, warnings: [] }),
};

/** What the gateway does with a try: nothing arrives, no answer comes, or it answers. */
type Behaviour = 'unreachable' | 'silent' | TransportAnswer;

const answer = (status: number, body: object, headers = {}): TransportAnswer => ({
  status,
  headers,
  data: JSON.stringify(body),
});
const SUCCESS = answer(200, {
  status: 'success',
  code: 'PAYMENT_INITIATED',
  message: 'Yes',
  data: { reference: 'order-1', amount: '100.00', currency: 'TZS' },
});
const REFUSED = answer(400, { success: false, code: 'INVALID_PHONE', message: 'No' });
const BUSY = answer(429, { message: 'Later' }, { 'retry-after': '0' });
const BUSY_FOR_LONG = answer(429, { message: 'Later' });
const BROKEN = answer(502, {});
const UNAUTHORIZED = answer(401, { message: 'No' });

/** A gateway that behaves so to one try after the other. */
function gatewayThat(behaviours: readonly Behaviour[]) {
  const sent: OutgoingRequest[] = [];
  const transport: HttpTransport = {
    send: (request) => {
      const behaviour = behaviours[sent.length];
      if (behaviour === undefined) throw new Error('one try too many');
      sent.push(request);
      return {
        answer:
          typeof behaviour === 'string' ? Promise.reject(new Error('lost')) : Promise.resolve(behaviour),
        mayHaveBeenSent: () => behaviour !== 'unreachable',
        notSentBecause: () => ({}),
        abort: () => undefined,
      };
    },
  };
  const rateLimiter = new RateLimiter({ perSecond: undefined, concurrency: undefined });
  const run = (call: MoneyCall<object>, identity: Partial<IdempotentRequest>, callLimits: CallLimits) =>
    runCall(call, {
      transport,
      rateLimiter,
      trace: new CallTrace({ account: 'default', operation: call.operation }),
      refusalCodes: new Set(),
      request: { method: 'POST', origin: 'http://127.0.0.1:1', path: call.path, headers: {}, body: '{}' },
      ...identity,
      ...callLimits,
    });
  return { run, sent, pauseFor: vi.spyOn(rateLimiter, 'pauseFor') };
}

function limits(more: Partial<CallLimits> = {}): CallLimits {
  const deadline = performance.now() + 60_000;
  return {
    signal: undefined,
    timeoutMs: 30_000,
    deadline,
    wallDeadline: Date.now() + 60_000,
    sendBy: deadline - 1_000,
    retry: { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 1 },
    once: false,
    ...more,
  };
}

/** What a call ended in: how, the probe that is still allowed, and how far each try came. */
function seen(result: CallResult<object>): string {
  if (result.end === 'aborted') {
    return `aborted: ${String(result.reason)}, ${result.answered ? 'answered' : 'unanswered'}`;
  }
  const attempts = result.end === 'success' ? result.attempts : (result.error.attempts ?? []);
  const phases = attempts.map(({ number, phase }) => `${number} ${phase}`).join(', ');
  if (result.end === 'success') return `success after ${phases}`;
  const why = result.end === 'unknown' ? ` ${result.evidence}` : '';
  const proven = result.end === 'rejected' && !result.proven ? ', same key again' : '';
  const probe = result.openProbe === undefined ? '' : `, probe ${result.openProbe}`;
  return `${result.end}${why}${proven}${probe}, ${result.answered ? 'answered' : 'unanswered'} after ${phases}`;
}

const IDENTITY = { idempotencyKey: 'key-1', body: '{}' };
const probing = (begin: (evidence: OutcomeEvidence) => Promise<boolean>) => ({
  ...IDENTITY,
  probing: { waits: { afterAnswerMs: 1, afterSilenceMs: 2 }, begin },
});

describe('a call', () => {
  it('sends the same request again while nothing arrives', async () => {
    const { run, sent } = gatewayThat(['unreachable', SUCCESS]);
    expect(seen(await run(COLLECTION, IDENTITY, limits()))).toBe('success after 1 not-sent, 2 answered');
    expect(sent).toHaveLength(2);
    expect(sent[1]).toEqual(sent[0]);
  });

  it.each<[behaviours: readonly Behaviour[], isTurnedAway: boolean]>([
    [[BUSY, BUSY, BUSY], true],
    [['unreachable', BUSY, BUSY], true],
    [[answer(401, { message: 'No' })], true],
    [[BUSY, answer(403, { success: false, code: 'PAYMENT_DECLINED', message: 'No' })], false],
    [[answer(429, { success: false, code: 'INVALID_PHONE', message: 'No' }), BUSY, BUSY], false],
  ])('knows whether every answer only turned it away: %j', async (behaviours, isTurnedAway) => {
    const { run } = gatewayThat(behaviours);
    const quick = { retry: { maxAttempts: 3, baseDelayMs: 0, maxDelayMs: 0 } };
    expect(await run(COLLECTION, IDENTITY, limits(quick))).toMatchObject({
      answered: true,
      turnedAway: isTurnedAway,
    });
  });

  it.each<[gateway: string, behaviours: readonly Behaviour[], end: string]>([
    ['accepts', [SUCCESS], 'success after 1 answered'],
    ['refuses', [REFUSED], 'rejected, answered after 1 answered'],
    [
      'refuses the first try that arrives',
      ['unreachable', REFUSED],
      'rejected, answered after 1 not-sent, 2 answered',
    ],
    [
      'refuses after it was busy',
      [BUSY, REFUSED],
      'rejected, same key again, answered after 1 answered, 2 answered',
    ],
    [
      'cannot be reached',
      ['unreachable', 'unreachable', 'unreachable'],
      'unreachable, unanswered after 1 not-sent, 2 not-sent, 3 not-sent',
    ],
    ['is silent', ['silent'], 'unknown no-answer, probe after-silence, answered after 1 ambiguous'],
    ['is broken', [BROKEN], 'unknown server-error, probe after-answer, answered after 1 ambiguous'],
    [
      'refuses what an interceptor sent again',
      [{ ...REFUSED, resent: true }],
      'unknown refused-after-ambiguity, answered after 1 answered',
    ],
  ])('to a gateway that %s ends so without a probe', async (_, behaviours, end) => {
    const { run, sent } = gatewayThat(behaviours);
    expect(seen(await run(COLLECTION, IDENTITY, limits()))).toBe(end);
    expect(sent).toHaveLength(behaviours.length);
  });

  it.each<[gateway: string, behaviours: readonly Behaviour[], end: string]>([
    ['is silent, then accepts', ['silent', SUCCESS], 'success after 1 ambiguous, 2 answered'],
    [
      'is silent, then refuses',
      ['silent', REFUSED],
      'unknown refused-after-ambiguity, answered after 1 ambiguous, 2 answered',
    ],
    [
      'is silent, then is broken',
      ['silent', BROKEN],
      'unknown server-error, answered after 1 ambiguous, 2 ambiguous',
    ],
    [
      'is silent, then cannot be reached',
      ['silent', 'unreachable', 'unreachable'],
      'unknown no-answer, probe after-silence, answered after 1 ambiguous, 2 not-sent, 3 not-sent',
    ],
  ])('to a gateway that %s probes once', async (_, behaviours, end) => {
    const begin = vi.fn(() => Promise.resolve(true));
    const { run, sent } = gatewayThat(behaviours);
    expect(seen(await run(COLLECTION, probing(begin), limits()))).toBe(end);
    expect(sent).toHaveLength(behaviours.length);
    expect(begin.mock.calls).toEqual([['no-answer']]);
  });

  it('does not probe if the journal does not let it, and leaves the probe to others', async () => {
    const { run, sent } = gatewayThat(['silent']);
    const result = await run(
      COLLECTION,
      probing(() => Promise.resolve(false)),
      limits(),
    );
    expect(seen(result)).toBe('unknown no-answer, probe after-silence, answered after 1 ambiguous');
    expect(sent).toHaveLength(1);
  });

  it('that probes a payment takes no refusal for its outcome', async () => {
    const { run } = gatewayThat([REFUSED]);
    const earlier = { evidence: 'no-answer', probe: 'after-silence' } as const;
    expect(seen(await run(COLLECTION, { ...IDENTITY, earlier }, limits()))).toBe(
      'unknown refused-after-ambiguity, answered after 1 answered',
    );
  });

  it('stops the account after a 429, as long as the gateway asks or for a back-off', async () => {
    const asked = gatewayThat([BUSY, SUCCESS]);
    await asked.run(COLLECTION, IDENTITY, limits());
    expect(asked.pauseFor.mock.calls).toEqual([[0]]);
    const unasked = gatewayThat([BUSY_FOR_LONG, SUCCESS]);
    await unasked.run(COLLECTION, IDENTITY, limits());
    expect(unasked.pauseFor).toHaveBeenCalledOnce();
    expect(unasked.pauseFor.mock.lastCall?.[0]).toBeLessThanOrEqual(1);
  });
});

describe('a call whose caller gives up', () => {
  it.each<[during: string, behaviour: Behaviour, identity: object, end: string]>([
    ['the wait after a try that did not arrive', 'unreachable', IDENTITY, 'aborted: left, unanswered'],
    ['the wait after a 429', BUSY_FOR_LONG, IDENTITY, 'aborted: left, answered'],
    [
      'the wait for its probe',
      'silent',
      { ...IDENTITY, probing: { waits: { afterAnswerMs: 0, afterSilenceMs: 30_000 }, begin: vi.fn() } },
      'unknown aborted, answered after 1 ambiguous',
    ],
  ])('during %s ends without another try', async (_, behaviour, identity, end) => {
    const caller = new AbortController();
    const { run } = gatewayThat([behaviour]);
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const retry = { maxAttempts: 3, baseDelayMs: 30_000, maxDelayMs: 30_000 };
    const result = run(COLLECTION, identity, limits({ signal: caller.signal, retry }));
    setImmediate(() => {
      caller.abort('left');
    });
    expect(seen(await result)).toBe(end);
  });

  it('while the journal writes that its probe leaves ends as given up, and leaves no probe to others', async () => {
    const caller = new AbortController();
    const { run, sent } = gatewayThat(['silent']);
    const identity = probing(() => {
      caller.abort('left');
      return Promise.resolve(false);
    });
    const result = await run(COLLECTION, identity, limits({ signal: caller.signal }));
    expect(seen(result)).toBe('unknown aborted, answered after 1 ambiguous');
    expect(sent).toHaveLength(1);
  });

  it('when other keys come after a 401 ends with the reason, and sends nothing with them', async () => {
    const caller = new AbortController();
    const { run, sent } = gatewayThat([UNAUTHORIZED]);
    const withOtherKeys = vi.fn(() => {
      caller.abort('left');
      return Promise.resolve(sent[0]);
    });
    const identity = { ...IDENTITY, withOtherKeys };
    const callLimits = limits({ signal: caller.signal });
    const result = await run(COLLECTION, identity, callLimits);
    expect(seen(result)).toBe('aborted: left, answered');
    expect(sent).toHaveLength(1);
    const { sendBy, signal } = callLimits;
    expect(withOtherKeys).toHaveBeenCalledExactlyOnceWith({ sendBy, signal });
  });

  it('before anything was sent ends with the reason, and sends nothing', async () => {
    const { run, sent } = gatewayThat([]);
    const result = await run(COLLECTION, IDENTITY, limits({ signal: AbortSignal.abort('left') }));
    expect(seen(result)).toBe('aborted: left, unanswered');
    expect(sent).toEqual([]);
  });
});
