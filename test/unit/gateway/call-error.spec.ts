import { describe, expect, it } from 'vitest';
import { callError } from '../../../lib/gateway/call-error.js';

const DETAILS = { operation: 'collection.mobile-money', reference: 'order-1' } as const;

describe('a connection that did not come about', () => {
  it.each([
    ['ENOTFOUND', 'The host name of baseUrl was not found: check it, and the DNS.'],
    ['EAI_AGAIN', 'The host name of baseUrl was not found: check it, and the DNS.'],
    [
      'PROXY_ANSWERED_407',
      'The proxy opened no way to the gateway: check its address, user and password in http.proxy, and whether it lets the host through.',
    ],
    [
      'PROXY_WITHOUT_TUNNEL',
      'This version of axios lets a proxy read https requests, the secret in them too: update axios to 1.16.1 or newer, which opens a tunnel.',
    ],
    ['ECONNREFUSED', 'Nothing listens at baseUrl: check host and port.'],
    [
      'CERT_HAS_EXPIRED',
      'The certificate at baseUrl was not accepted: check the host, or name its CA in NODE_EXTRA_CA_CERTS.',
    ],
    [
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'The certificate at baseUrl was not accepted: check the host, or name its CA in NODE_EXTRA_CA_CERTS.',
    ],
    ['ETIMEDOUT', 'Check the network between this machine and baseUrl, then make the same call again.'],
  ])('for %s has a hint', (code, hint) => {
    const error = callError({ end: 'unreachable' }, { event: 'not-sent', code, errors: {} }, DETAILS);
    expect(error).toMatchObject({
      ...DETAILS,
      name: 'GatewayUnreachableError',
      message: expect.stringContaining(`(${code})`) as unknown,
      hint,
    });
  });

  it('of an application that has stopped says so', () => {
    const report = { event: 'stopped', code: 'UND_ERR_DESTROYED', errors: {} } as const;
    expect(callError({ end: 'unreachable' }, report, DETAILS)).toMatchObject({
      name: 'GatewayUnreachableError',
      message: 'Nothing was sent: the application has stopped, and its connections are closed.',
      hint: 'Make the call before the application stops, or after the next start.',
    });
  });

  it('behind other calls says so', () => {
    const report = { event: 'not-sent', code: 'QUEUE_TIMEOUT', errors: {} } as const;
    expect(callError({ end: 'unreachable' }, report, DETAILS)).toMatchObject({
      message: expect.stringContaining('it waited for other calls of the account') as unknown,
      hint: 'Make fewer calls at once, raise the `rate` option, or give the call a longer deadlineMs.',
    });
  });
});

describe('a refusal', () => {
  it.each([
    ['of a payment that is proven', true, DETAILS, true],
    ['of a payment that proves nothing', false, DETAILS, false],
    ['of a call that only reads', false, { operation: 'wallet.balance' } as const, true],
  ])('%s says whether it is final', (_what, proven, details, final) => {
    const report = { event: 'refused', code: 'ODD', httpStatus: 422, errors: {} } as const;
    expect(callError({ end: 'rejected', proven }, report, details)).toMatchObject({ final });
  });
});

describe('what the gateway said', () => {
  const saidOf = (report: Parameters<typeof callError>[1]): string =>
    callError({ end: 'unusable-answer' }, report, DETAILS).message;

  it.each([
    [{ code: 'ODD', message: 'Try later. ' }, 'The gateway failed: ODD, Try later.'],
    [{ code: 'ODD', message: '' }, 'The gateway failed: ODD.'],
    [{ code: 'ODD' }, 'The gateway failed: ODD.'],
    [{ httpStatus: 418 }, 'The gateway failed: HTTP 418.'],
    [
      { code: 'ODD', errors: { phone: ['is odd', 'and long.'] } },
      'The gateway failed: ODD, is odd and long.',
    ],
    [{ code: 'ODD', errors: { phone: ['is odd'] }, message: 'no' }, 'The gateway failed: ODD, is odd.'],
  ])('is one phrase for %j', (report, message) => {
    expect(saidOf({ event: 'unlisted-code', errors: {}, ...report } as never)).toBe(message);
  });
});

describe('a call whose last try was not sent', () => {
  const tries = (...phases: readonly object[]): { readonly attempts: never } => ({
    attempts: phases.map((phase, index) => ({ number: index + 1, durationMs: 1, ...phase })) as never,
  });
  const TURNED_AWAY = { phase: 'answered', httpStatus: 429 };
  const NOT_SENT = { phase: 'not-sent' };
  const ends = [
    ['a queue', { end: 'unreachable' }, { event: 'not-sent', code: 'QUEUE_TIMEOUT' }],
    ['an interceptor', { end: 'unreachable' }, { event: 'not-sent', code: 'INTERCEPTOR_FAILED' }],
    ['no connection', { end: 'unreachable' }, { event: 'not-sent', code: 'ECONNREFUSED' }],
    ['a changed request', { end: 'request-changed' }, { event: 'request-changed', message: 'the body' }],
    ['a wait after 429', { end: 'rate-limit' }, { event: 'held-back' }],
  ] as const;

  it.each(ends)('says that nothing was sent if that is true of every try: %s', (_, verdict, report) => {
    const only = callError(verdict, { errors: {}, ...report }, { ...DETAILS, ...tries(NOT_SENT) });
    const second = callError(
      verdict,
      { errors: {}, ...report },
      { ...DETAILS, ...tries(NOT_SENT, NOT_SENT) },
    );
    for (const { message } of [only, second, callError(verdict, { errors: {}, ...report }, DETAILS)])
      expect(message).toMatch(/^Nothing was sent: /);
  });

  it.each(ends)('says that the gateway turned the earlier ones away: %s', (_, verdict, report) => {
    const details = { ...DETAILS, ...tries(TURNED_AWAY, NOT_SENT, TURNED_AWAY, NOT_SENT) };
    const { message, mayHaveBeenProcessed } = callError(verdict, { errors: {}, ...report }, details);
    expect(message).toMatch(
      /^The gateway turned 2 of 4 tries away \(HTTP 429\), and nothing else was sent: /,
    );
    expect(mayHaveBeenProcessed).toBe(false);
  });

  it.each(ends)('does not say so if another try was answered otherwise: %s', (_, verdict, report) => {
    const answered = { phase: 'answered', httpStatus: 502 };
    const details = { ...DETAILS, ...tries(TURNED_AWAY, answered, NOT_SENT) };
    expect(callError(verdict, { errors: {}, ...report }, details).message).toMatch(
      /^The last try was not sent: /,
    );
  });

  it.each(ends)('says no more of a read than that it was not sent: %s', (_, verdict, report) => {
    const details = {
      operation: 'wallet.balance' as const,
      ...tries({ phase: 'answered', httpStatus: 502 }, NOT_SENT),
    };
    expect(callError(verdict, { errors: {}, ...report }, details).message).toMatch(
      /^The last try was not sent: /,
    );
  });
});
