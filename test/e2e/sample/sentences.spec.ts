import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../support/sandbox.js';
import {
  deliverySentences,
  orderSentences,
  paymentSentences,
  requestSentences,
  timeOf,
  whyNoDemo,
} from '../../../scripts/demo/sentences.mjs';

const REQUEST = {
  method: 'POST',
  path: '/api/v1/payments/mobile-money',
  reference: 'SP-1',
  body: { amount: '15000.00', phone: '255712345678' },
  status: 200,
  code: null,
};

it('the demo says that another one has its orders, and what to do', async () => {
  const data = mkdtempSync(join(tmpdir(), 'demo-orders-'));
  await startSandbox({ data });
  const second = startSandbox({ data }).catch((error: unknown) => whyNoDemo((error as Error).message));
  expect(await second).toBe(
    `Another demo runs already (Process ${process.pid}). Use its page, or stop it. Or start this one with npm run demo -- --fresh: it takes other ports, and keeps no orders.`,
  );
  expect(whyNoDemo('Port 1 is taken.')).toBe('Port 1 is taken.');
});

describe('the demo tells', () => {
  it('who asks whom for how much, without the whole phone number', () => {
    const [asks] = requestSentences(REQUEST);
    expect(asks).toEqual(['shop', 'The shop asks for TZS 15,000.00 from the phone that ends in 678 (SP-1).']);
  });

  it.each([
    [{ status: 200 }, "200, accepted: the request is on the customer's phone."],
    [{ status: 429 }, '429, too many requests. The shop waits, then asks again under the same reference.'],
    [{ status: 422, code: 'INVALID_REQUEST' }, '422 INVALID_REQUEST, refused: nothing was asked.'],
    [{ status: 500 }, '500: the gateway failed. The shop cannot know whether the customer was asked.'],
    [
      { status: null },
      'No answer: the connection ends. The shop cannot know whether the customer was asked.',
    ],
  ])('what the gateway answered: %j', (answer, sentence) => {
    expect(requestSentences({ ...REQUEST, ...answer })[1]).toEqual(['gateway', sentence]);
  });

  it.each([
    { method: 'GET', path: '/api/v1/payments/SP-1' },
    { method: 'POST', path: '/api/v1/disbursements/bank' },
  ])('nothing about %j', (other) => {
    expect(requestSentences({ ...REQUEST, ...other })).toEqual([]);
  });

  it.each([
    ['success', [['phone', 'The customer approves: the payment is made. (SP-1)']]],
    ['failed', [['phone', 'The payment fails: no money moves. (SP-1)']]],
    ['cancelled', [['phone', 'The customer cancels: no money moves. (SP-1)']]],
    ['expired', [['phone', 'The request has run out of time: no money moves. (SP-1)']]],
    ['pending', []],
    ['processing', []],
  ])('how a payment ended: %s', (status, sentences) => {
    expect(paymentSentences({ status, reference: 'SP-1' })).toEqual(sentences);
  });

  const webhook = (attempt: object | undefined, next_attempt_at: string | null = null) =>
    deliverySentences({
      ...{ event: 'payment.success', reference: 'SP-1', next_attempt_at },
      attempts: attempt ? [{ forged: false, problem: null, duration_ms: 9, ...attempt }] : [],
    });

  it('which webhook came, and what the shop answered', () => {
    const start = 'The gateway sends the signed webhook payment.success (SP-1); the shop';
    const next = '2026-11-23T10:00:05.000Z';
    const problem = 'answered 500 instead of 200';
    expect(webhook(undefined)).toEqual([]);
    expect(webhook({})).toEqual([['gateway', `${start} answered 200 after 9 ms.`]]);
    expect(webhook({ problem }, next)).toEqual([
      ['gateway', `${start} answered 500 instead of 200. The gateway tries again at ${timeOf(next)}.`],
    ]);
    expect(webhook({ problem, forged: true })).toEqual([
      [
        'gateway',
        'The gateway sends payment.success with a forged signature (SP-1); the shop answered 500 instead of 200.',
      ],
    ]);
  });

  it.each([
    [{ state: 'asking', reason: null }, []],
    [{ state: 'paid', reason: null }, [['shop', 'The page of order SP-1 says: “Thank you!”']]],
    [
      { state: 'failed', reason: 'limited' },
      [['shop', 'The page of order SP-1 says: “Not paid. Too many.”']],
    ],
  ])('what the page of an order says: %j', (order, sentences) => {
    const words = { 'state.paid': 'Thank you!', 'state.failed': 'Not paid', 'reason.limited': 'Too many.' };
    expect(orderSentences({ number: 'SP-1', ...order }, words)).toEqual(sentences);
  });
});
