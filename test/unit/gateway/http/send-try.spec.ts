import { expect, it, vi, type Mock } from 'vitest';
import { getEventListeners } from 'node:events';
import { type TransportAnswer, type HttpTransport } from '../../../../lib/gateway/http/http-transport.js';
import { sendTry } from '../../../../lib/gateway/http/send-try.js';

const REQUEST = {
  method: 'GET',
  origin: 'http://127.0.0.1:1',
  path: '/',
  headers: {},
  body: undefined,
} as const;
const ANSWER: TransportAnswer = { status: 200, headers: {}, data: '' };

function carrierOf(answer: Promise<TransportAnswer>): {
  carrier: HttpTransport;
  send: Mock<HttpTransport['send']>;
} {
  const send = vi.fn<HttpTransport['send']>(() => ({
    answer,
    mayHaveBeenSent: () => true,
    notSentBecause: () => ({}),
    abort: () => undefined,
  }));
  return { carrier: { send }, send };
}

it('sends nothing if the caller gave up before', async () => {
  const { carrier, send } = carrierOf(Promise.resolve(ANSWER));
  expect(await sendTry(carrier, REQUEST, 1_000, AbortSignal.abort())).toMatchObject({
    sent: false,
    aborted: true,
  });
  expect(send).not.toHaveBeenCalled();
});

it.each([
  ['an answer', () => Promise.resolve(ANSWER)],
  ['a failure', () => Promise.reject(new Error('reset'))],
])("listens to the caller's signal no longer after %s", async (_, answer) => {
  const { carrier } = carrierOf(answer());
  const { signal } = new AbortController();
  const result = sendTry(carrier, REQUEST, 1_000, signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await result;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it.each([
  ['ECONNRESET', 'ECONNRESET'],
  ['UND_ERR_SOCKET', 'UND_ERR_SOCKET'],
  ['the secret is ECONNRESET', 'NETWORK_ERROR'],
  ['ECONNRESET of 255712345678', 'NETWORK_ERROR'],
  ['E', 'NETWORK_ERROR'],
  [104, 'NETWORK_ERROR'],
  [undefined, 'NETWORK_ERROR'],
])(
  'reports the code %j of a failed connection as %s: only a plain code may reach a log',
  async (code, told) => {
    const { carrier } = carrierOf(Promise.reject(Object.assign(new Error('reset'), { code })));
    expect(await sendTry(carrier, REQUEST, 1_000, undefined)).toMatchObject({ code: told });
  },
);
