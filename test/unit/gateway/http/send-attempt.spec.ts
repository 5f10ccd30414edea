import { expect, it, vi, type Mock } from 'vitest';
import { getEventListeners } from 'node:events';
import { type CarriedAnswer, type Carrier } from '../../../../lib/gateway/http/http-transport.js';
import { sendAttempt } from '../../../../lib/gateway/http/send-attempt.js';

const REQUEST = {
  method: 'GET',
  origin: 'http://127.0.0.1:1',
  path: '/',
  headers: {},
  body: undefined,
} as const;
const ANSWER: CarriedAnswer = { status: 200, headers: {}, data: '' };

function carrierOf(answer: Promise<CarriedAnswer>): { carrier: Carrier; carry: Mock<Carrier['carry']> } {
  const carry = vi.fn<Carrier['carry']>(() => ({
    answer,
    mayHaveBeenSent: () => true,
    wasAnsweredByProxy: () => false,
    answersOnlySend: () => true,
    notSentBecause: () => ({}),
    giveUp: () => undefined,
  }));
  return { carrier: { carry }, carry };
}

it('sends nothing where the caller gave up before', async () => {
  const { carrier, carry } = carrierOf(Promise.resolve(ANSWER));
  expect(await sendAttempt(carrier, REQUEST, 1_000, AbortSignal.abort())).toMatchObject({
    sent: false,
    aborted: true,
  });
  expect(carry).not.toHaveBeenCalled();
});

it.each([
  ['an answer', () => Promise.resolve(ANSWER)],
  ['a failure', () => Promise.reject(new Error('reset'))],
])("listens to the caller's signal no longer after %s", async (_, answer) => {
  const { carrier } = carrierOf(answer());
  const { signal } = new AbortController();
  const attempt = sendAttempt(carrier, REQUEST, 1_000, signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await attempt;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
