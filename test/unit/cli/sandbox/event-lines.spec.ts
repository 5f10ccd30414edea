import { describe, expect, it } from 'vitest';
import {
  deliveryData,
  deliveryLines,
  requestData,
  requestLines,
} from '../../../../lib/cli/sandbox/event-lines.js';
import { type Paint } from '../../../../lib/cli/terminal.js';
import { type SandboxDelivery, type SandboxRequest } from '../../../../lib/sandbox/index.js';

const plain: Paint = (_, text) => text;
const AT = '2026-01-05T09:00:00.000Z';

const request: SandboxRequest = {
  id: 'req-1',
  at: AT,
  merchant: 'demo',
  reference: 'order-1',
  method: 'POST',
  path: '/api/v1/payments/mobile-money',
  headers: { 'x-api-secret': '***' },
  body: { reference: 'order-1', customer_name: 'Asha Mrema' },
  status: 200,
  code: 'PAYMENT_INITIATED',
  reason: null,
  duration_ms: 3,
  response_headers: { 'content-type': 'application/json' },
  response_body: '{"code":"PAYMENT_INITIATED","data":{"customer_name":"Asha Mrema"}}',
  fault: null,
  rule: 'default manual',
  varied: [],
};
const TRY_URL = 'http://127.0.0.1:3000/h';
/** What the log leaves to the page, with the address of the try. */
const WIRE = { url: TRY_URL, replay: null, request_headers: {}, response_headers: null, response_body: null };

const delivery: SandboxDelivery = {
  id: 'evt-1',
  merchant: 'demo',
  event: 'payment.success',
  reference: 'order-1',
  url: 'http://127.0.0.1:3000/h',
  state: 'delivered',
  status: 200,
  attempts: [{ number: 1, at: AT, status: 200, forged: false, problem: null, duration_ms: 4, ...WIRE }],
  next_attempt_at: null,
  body: '{"data":{"customer_name":"Asha Mrema"}}',
};

function withoutTime(lines: readonly string[]): string[] {
  return lines.map((line) => line.replaceAll(/\d\d:\d\d:\d\d/g, 'TIME'));
}

describe('the log of a gateway call', () => {
  it.each([
    { what: 'an accepted call', change: {}, answer: '200 PAYMENT_INITIATED order-1 in 3 ms' },
    {
      what: 'a refusal without a code',
      change: { status: 422, code: null, reason: 'The amount must be at least 1.' },
      answer: '422 order-1 in 3 ms: The amount must be at least 1.',
    },
    {
      what: 'a refusal of a call without a reference',
      change: { reference: null, status: 401, code: 'UNAUTHORIZED', reason: 'Unauthenticated.' },
      call: '',
      answer: '401 UNAUTHORIZED in 3 ms: Unauthenticated.',
    },
    {
      what: 'a connection given up',
      change: { status: null, code: null, fault: 'dropBefore' },
      answer: 'no answer order-1 in 3 ms (fault: dropBefore)',
    },
  ])('shows $what in two lines', ({ change, call = ' order-1', answer }) => {
    expect(withoutTime(requestLines({ ...request, ...change }, plain))).toEqual([
      `TIME --> POST /payments/mobile-money${call}`,
      `TIME <-- ${answer}`,
    ]);
  });

  it('paints an answer by how it ended', () => {
    const looks = (status: number | null): string[] => {
      const seen: string[] = [];
      requestLines({ ...request, status }, (look, text) => (seen.push(look), text));
      return seen;
    };
    expect(looks(200)).toContain('green');
    expect(looks(400)).toContain('red');
    expect(looks(null)).toContain('red');
  });

  it('paints a refusal with the status 200, which the adversarial profile sends, as a refusal', () => {
    const [, answer] = requestLines({ ...request, reason: 'Refused.' }, (look, words) => `<${look}>${words}`);
    expect(answer).toContain('<red>200');
  });

  it('gives scripts the answer with its headers, and no personal data', () => {
    expect(requestData(request)).toMatchObject({
      type: 'request',
      reference: 'order-1',
      reason: null,
      duration_ms: 3,
      response_headers: { 'content-type': 'application/json' },
      response_body: '{"code":"PAYMENT_INITIATED","data":{"customer_name":"…"}}',
    });
    expect(JSON.stringify(requestData(request))).not.toMatch(/Asha|x-api-secret/);
  });
});

describe('the log of a webhook delivery', () => {
  it.each([
    { what: 'a good one', change: {}, end: '200 in 4 ms' },
    {
      what: 'one that another status than 200 ended well',
      change: { attempts: [{ ...delivery.attempts[0]!, status: 201 }] },
      end: '201 in 4 ms',
    },
    {
      what: 'one that is tried again',
      change: {
        state: 'waiting' as const,
        next_attempt_at: AT,
        attempts: [
          {
            number: 2,
            at: AT,
            status: null,
            forged: false,
            problem: 'connection refused',
            duration_ms: 1,
            ...WIRE,
          },
        ],
      },
      end: 'try 2 failed: connection refused. Next try at TIME.',
    },
    {
      what: 'one that is given up',
      change: {
        state: 'exhausted' as const,
        attempts: [
          {
            number: 8,
            at: AT,
            status: 500,
            forged: false,
            problem: 'answered 500 instead of 200',
            duration_ms: 1,
            ...WIRE,
          },
        ],
      },
      end: "try 8 failed: answered 500 instead of 200 (a handler threw: the application's log says which). No more tries.",
    },
  ])('shows $what in two lines', ({ change, end }) => {
    expect(withoutTime(deliveryLines({ ...delivery, ...change }, plain, 'no address'))).toEqual([
      'TIME --> payment.success order-1 to http://127.0.0.1:3000/h',
      `TIME <-- ${end}`,
    ]);
  });

  it.each([
    ['no address', 'there is no address. Start with --forward-to <url>'],
    ['turned off', 'its address was turned off or removed. Turn it on at the page'],
    ['not chosen', 'its address takes other events. Choose them at the page'],
  ] as const)('says what to do about an event that was not sent: %s', (reason, advice) => {
    const skipped = { ...delivery, state: 'skipped' as const, url: null, attempts: [] };
    expect(withoutTime(deliveryLines(skipped, plain, reason))).toEqual([
      'TIME --> payment.success order-1',
      `TIME <-- not delivered: ${advice}`,
    ]);
  });

  it('names the address of the try, although its endpoint has another one now', () => {
    const moved = { ...delivery, url: 'http://127.0.0.1:4000/new' };
    expect(deliveryLines(moved, plain, 'no address')[0]).toContain(` to ${TRY_URL}`);
    expect(deliveryData(moved)).toMatchObject({ url: TRY_URL });
    const older = { ...moved, attempts: moved.attempts.map((one) => ({ ...one, url: null })) };
    expect(deliveryLines(older, plain, 'no address')[0]).toContain(` to ${moved.url}`);
  });

  it('says when the first try is due if there is an address', () => {
    const late = { ...delivery, state: 'waiting' as const, attempts: [], next_attempt_at: AT };
    expect(withoutTime(deliveryLines(late, plain, 'no address'))[1]).toBe(
      'TIME <-- waits: the first try is at TIME',
    );
  });

  it('does not call it lost when a copy fails after another was delivered', () => {
    const attempts = [{ ...delivery.attempts[0]!, number: 2, status: null, problem: 'reset' }];
    expect(withoutTime(deliveryLines({ ...delivery, attempts }, plain, 'no address'))[1]).toBe(
      'TIME <-- try 2 failed: reset. Another copy was delivered.',
    );
  });

  it.each([
    [401, 'green', 'answered 401: its signature was forged on purpose'],
    [200, 'red', 'answered 200 to a forged signature: the application does not verify webhooks'],
    [null, 'red', 'nothing listens at 127.0.0.1:3000'],
  ] as const)('knows that a forged try has to be refused: answer %s is %s', (status, look, problem) => {
    const attempts = [{ ...delivery.attempts[0]!, status, forged: true, problem }];
    const forged = { ...delivery, state: 'waiting' as const, attempts };
    const lines = deliveryLines(forged, (name, text) => `<${name}>${text}`, 'no address');
    expect(lines[1]?.endsWith(`<${look}>try 1, forged: ${problem}`)).toBe(true);
  });

  it('gives scripts no body', () => {
    expect(JSON.stringify(deliveryData(delivery))).not.toContain('Asha');
    expect(deliveryData(delivery)).toMatchObject({ type: 'delivery', attempt: 1, problem: null });
  });
});
