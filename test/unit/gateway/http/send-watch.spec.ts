import { describe, expect, it, vi } from 'vitest';
import { inspect } from 'node:util';
import { type TransportAnswer, type OutgoingRequest } from '../../../../lib/gateway/http/http-transport.js';
import { readAnswer } from '../../../../lib/gateway/http/send-try.js';
import {
  answersOnlySend,
  endWatch,
  mayHaveBeenSent,
  noteStart,
  refuseChanged,
  sendWatchOf,
  sendWithin,
  wasAnsweredByProxy,
  watchSending,
} from '../../../../lib/gateway/http/send-watch.js';

const asked: OutgoingRequest = {
  origin: 'https://gateway.example',
  path: '/payments',
  method: 'POST',
  headers: { 'Idempotency-Key': 'its-key', 'X-API-KEY': 'pk_test_own', 'X-API-SECRET': 'sk_test_own' },
  body: '{"amount":1}',
};
const bearer = { 'Idempotency-Key': 'its-key', Authorization: 'Bearer pk_test_own' };

const answer: TransportAnswer = {
  status: 422,
  headers: { 'content-type': 'application/json' },
  data: '{"code":"INSUFFICIENT_BALANCE", "message":"No"}',
};
type Counts = [dispatched: number, taken: number, sends: number];
const seen = { answer: readAnswer(answer) };

describe('what was seen of sending', () => {
  it.each<[what: string, counts: Counts, guarded: boolean, maybe: boolean, once: boolean, unwatched?: true]>([
    ['an interceptor threw before any adapter', [0, 0, 0], true, false, false],
    ['nothing guards the adapter, and nothing was seen', [0, 0, 0], false, true, true],
    ['taken, and no byte left', [1, 1, 0], true, false, false],
    ['taken, and no byte left, if nothing guards the adapter', [1, 1, 0], false, false, false],
    ['taken and sent', [1, 1, 1], true, true, true],
    ['taken and sent, if nothing guards the adapter', [1, 1, 1], false, true, true],
    ['sent twice by one adapter', [1, 1, 2], true, true, false],
    ['handed out twice, and taken once', [2, 1, 1], true, true, false],
    ['handed to another adapter', [1, 0, 0], true, true, true],
    ['handed to another adapter twice', [2, 0, 0], true, true, false],
    ['handed out twice, taken once, and no byte left', [2, 1, 0], true, true, false],
    ['taken twice, and one byte left', [2, 2, 1], true, true, true],
    ['handed to another adapter, which handed it on, and no byte left', [1, 1, 0], true, true, false, true],
    ['handed to another adapter, which handed it on, and it was sent', [1, 1, 1], true, true, false, true],
    ['handed to another adapter alone', [1, 0, 0], true, true, true, true],
    ['answered, although nobody handed it out', [0, 0, 0], true, false, false],
  ])('%s', (_, [dispatched, taken, sends], guarded, maybe, once, unwatched) => {
    const watch = { dispatched, taken, sends, ...seen, ...(unwatched && { unwatched }) };
    expect(mayHaveBeenSent(watch, guarded)).toBe(maybe);
    expect(answersOnlySend(watch, answer, guarded)).toBe(once);
  });

  it('begins with nothing, and tells the first start only', () => {
    const onSending = vi.fn();
    const watch = watchSending(new AbortController().signal, asked, onSending);
    expect(watch).toMatchObject({ dispatched: 0, taken: 0, sends: 0, asked });
    noteStart(watch);
    noteStart(watch);
    expect(watch.sends).toBe(2);
    expect(onSending).toHaveBeenCalledTimes(1);
  });

  it.each<[what: string, counts: [number, number, number], refused: true | undefined, its: boolean]>([
    ['a tunnel was refused, and nothing left', [1, 1, 0], true, true],
    ['a tunnel was refused twice', [2, 2, 0], true, true],
    ['a tunnel was refused, and something else was sent', [2, 2, 1], true, false],
    ['a tunnel was refused, and another adapter took it, too', [2, 1, 0], true, false],
    ['nothing left, and no tunnel was refused', [1, 1, 0], undefined, false],
    ['nobody saw anything', [0, 0, 0], undefined, false],
  ])('makes an answer that of a proxy or not: %s', (_, [dispatched, taken, sends], tunnelRefused, its) => {
    const watch = { dispatched, taken, sends, ...seen, ...(tunnelRefused && { tunnelRefused }) };
    expect(wasAnsweredByProxy(watch, answer)).toBe(its);
    expect(answersOnlySend(watch, answer, true)).toBe(false);
  });

  it('is found by the signal, or within what sends the payment, whatever became of signal and key', async () => {
    const { signal } = new AbortController();
    const watch = watchSending(signal, asked);
    expect(sendWatchOf(signal)).toBe(watch);
    expect(sendWatchOf(undefined)).toBeUndefined();
    const later = sendWithin(watch, async () => {
      await new Promise(setImmediate);
      return sendWatchOf(new AbortController().signal);
    });
    expect(sendWatchOf(undefined)).toBeUndefined();
    expect(await later).toBe(watch);
  });

  it('is that of the signal if one payment is sent again within another', () => {
    const first = watchSending(new AbortController().signal, asked);
    const second = watchSending(new AbortController().signal, asked);
    expect(sendWithin(second, () => sendWatchOf(first.signal))).toBe(first);
  });

  it('is not asked for a read within a payment, which may be any request', () => {
    const payment = watchSending(new AbortController().signal, asked);
    const read = watchSending(new AbortController().signal, { ...asked, headers: {} });
    expect(sendWithin(payment, () => sendWithin(read, () => sendWatchOf(undefined)))).toBeUndefined();
  });

  it('shows nobody the payment who prints what was made while it was sent', async () => {
    const watch = watchSending(new AbortController().signal, asked);
    const [promise, timer] = sendWithin(watch, () => [Promise.resolve(), setTimeout(() => undefined, 0)]);
    clearTimeout(timer);
    await promise;
    const shown = inspect([promise, timer], { depth: Infinity, showHidden: true });
    expect(shown).not.toContain('its-key');
    expect(shown).not.toContain('amount');
  });

  it('lets a payment be sent no more once it is over, and a read as often as somebody likes', () => {
    const payment = watchSending(new AbortController().signal, asked);
    const read = watchSending(new AbortController().signal, { ...asked, headers: {} });
    refuseChanged(payment, asked);
    for (const watch of [payment, read]) endWatch(watch);
    expect(() => {
      refuseChanged(payment, asked);
    }).toThrow('sent again after its end');
    expect(payment.changed).toBeUndefined();
    refuseChanged(read, asked);
  });
});

describe('an answer that an interceptor had in its hands', () => {
  const once = { dispatched: 1, taken: 1, sends: 1 };
  const refusedTunnel = { dispatched: 1, taken: 1, sends: 0, tunnelRefused: true } as const;
  const parsed: unknown = JSON.parse(String(answer.data));

  it.each<[what: string, change: Partial<TransportAnswer>, isIts: boolean]>([
    ['as it came', {}, true],
    ['with another header', { headers: { ...answer.headers, 'x-cached': 'no' } }, true],
    ['with names of headers as people write them', { headers: { 'Content-Type': 'application/json' } }, true],
    ['parsed', { data: parsed }, true],
    ['with another status', { status: 400 }, false],
    ['with another body', { data: '{"code":"INSUFFICIENT_BALANCE"}' }, false],
    ['without its body', { data: undefined }, false],
    ['parsed and changed', { data: { ...Object(parsed), code: 'INVALID_REQUEST' } }, false],
    ['with another type of its body', { headers: { 'content-type': 'text/html' } }, false],
    ['with an encoding of its body', { headers: { ...answer.headers, 'content-encoding': 'gzip' } }, false],
    ['with a time to wait', { headers: { ...answer.headers, 'retry-after': '1' } }, false],
  ])('%s', (_, change, isIts) => {
    const given = { ...answer, ...change };
    expect(answersOnlySend({ ...once, ...seen }, given, true)).toBe(isIts);
    expect(wasAnsweredByProxy({ ...refusedTunnel, ...seen }, given)).toBe(isIts);
  });

  it('came by another way if none was seen, or if what was seen is no JSON', () => {
    expect(answersOnlySend(once, answer, true)).toBe(false);
    expect(wasAnsweredByProxy(refusedTunnel, answer)).toBe(false);
    const page = { answer: readAnswer({ ...answer, data: '<html>' }) };
    expect(answersOnlySend({ ...once, ...page }, { ...answer, data: parsed }, true)).toBe(false);
  });

  it('is taken as it is if nothing guards the adapter and nothing was seen, as with a mock of a test', () => {
    expect(answersOnlySend({ dispatched: 0, taken: 0, sends: 0 }, answer, false)).toBe(true);
  });
});

describe('a request that an interceptor changed', () => {
  it.each<[what: string, change: Partial<OutgoingRequest>]>([
    ['the Idempotency-Key', { headers: { ...asked.headers, 'Idempotency-Key': 'another-key' } }],
    ['the Idempotency-Key', { headers: {} }],
    ['the Idempotency-Key', { headers: { ...asked.headers, 'idempotency-key': 'a-second-one' } }],
    ['the X-API-KEY header', { headers: { ...asked.headers, 'X-API-KEY': 'pk_test_another' } }],
    ['the X-API-KEY header', { headers: { ...asked.headers, 'x-api-key': 'pk_test_another' } }],
    ['the X-API-KEY header', { headers: { 'Idempotency-Key': 'its-key', 'X-API-SECRET': 'sk_test_own' } }],
    ['the X-API-SECRET header', { headers: { ...asked.headers, 'X-API-SECRET': 'sk_test_another' } }],
    ['the body', { body: '{"amount":2}' }],
    ['the method', { method: 'GET' }],
    ['the host', { origin: 'https://elsewhere.example' }],
    ['the Host header', { headers: { ...asked.headers, HOST: 'elsewhere.example' } }],
    ['the Host header', { headers: { ...asked.headers, host: 'gateway.example:8443' } }],
    ['the path', { path: '/refunds' }],
    ['the Content-Length', { headers: { ...asked.headers, 'content-length': '11' } }],
    ['the Content-Length', { headers: { ...asked.headers, 'Content-Length': '12', 'content-length': '12' } }],
    ['the Transfer-Encoding', { headers: { ...asked.headers, 'Transfer-Encoding': 'chunked' } }],
  ])('in %s is not sent', (what, change) => {
    const watch = watchSending(new AbortController().signal, asked);
    expect(() => {
      refuseChanged(watch, { ...asked, ...change });
    }).toThrow('changed by an interceptor');
    expect(watch.changed).toBe(what);
  });

  it.each([
    ['the Authorization header', { ...bearer, Authorization: 'Bearer pk_test_another' }],
    ['the Authorization header', { 'Idempotency-Key': 'its-key' }],
    ['the X-API-KEY header', { ...bearer, 'X-API-KEY': 'pk_test_another' }],
  ])('in %s is not sent with a bearer key: %j', (what, headers) => {
    const watch = watchSending(new AbortController().signal, { ...asked, headers: bearer });
    expect(() => {
      refuseChanged(watch, { ...asked, headers });
    }).toThrow('changed by an interceptor');
    expect(watch.changed).toBe(what);
  });

  it.each([
    { 'x-trace': '1' },
    { Authorization: 'Bearer for-the-proxy' },
    { Host: 'Gateway.example' },
    { 'Content-Length': '12' },
  ])('is sent if only headers were added: %j', (added) => {
    const watch = watchSending(new AbortController().signal, asked);
    refuseChanged(watch, { ...asked, headers: { ...asked.headers, ...added } });
    expect(watch.changed).toBeUndefined();
  });

  it('is sent to an address of IPv6, which axios names without brackets to a proxy', () => {
    const origin = 'http://[::1]:8080';
    const watch = watchSending(new AbortController().signal, { ...asked, origin });
    refuseChanged(watch, { ...asked, origin, headers: { ...asked.headers, host: '::1:8080' } });
    expect(watch.changed).toBeUndefined();
  });

  it('is sent if it is a read', () => {
    const read = watchSending(new AbortController().signal, { ...asked, headers: {} });
    expect(read.asked).toBeUndefined();
    refuseChanged(read, { ...asked, path: '/elsewhere' });
    expect(read.changed).toBeUndefined();
  });
});
