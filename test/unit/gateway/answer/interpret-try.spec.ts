import { describe, expect, it } from 'vitest';
import { type TryEvent } from '../../../../lib/gateway/answer/classify-answer.js';
import { attemptInfo, interpretTry, type TryReport } from '../../../../lib/gateway/answer/interpret-try.js';
import { type MoneyCall, type ReadCall } from '../../../../lib/gateway/gateway-call.js';
import { type TryResult, type ReadAnswer } from '../../../../lib/gateway/http/send-try.js';

const REQUEST_ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const payment = { reference: 'order-1', amount: '1180.50', currency: 'TZS' } as const;

/** Takes every `data` but the text `unusable`. */
const read = (data: unknown) =>
  data === 'unusable' ? undefined : { value: { data }, warnings: ['read with a doubt'] };

const COLLECTION: MoneyCall<object> = {
  kind: 'collection',
  operation: 'collection.mobile-money',
  method: 'POST',
  path: '/payments/mobile-money',
  payment,
  body: { ...payment, phone: '255712345678', customer_name: 'Asha Mushi' },
  read,
};
const PAYOUT: MoneyCall<object> = {
  kind: 'disbursement',
  operation: 'disbursement.bank',
  method: 'POST',
  path: '/disbursements/bank',
  payment,
  body: { ...payment, account_number: '0150', bank_code: 'ABC', account_name: 'Asha Mushi' },
  read,
};
const BALANCE: ReadCall<object> = {
  kind: 'read',
  operation: 'wallet.balance',
  method: 'GET',
  path: '/merchant-balance',
  read,
};
const LOOKUP: ReadCall<object> = {
  kind: 'read',
  operation: 'name-lookup',
  method: 'POST',
  path: '/disbursements/name-lookup',
  body: { channel: 'BANK', account_number: '0150123456789', bank_code: 'ABC' },
  read,
};

const COLLECTED = { ...payment, status: 'pending' };
const PAID_OUT = { ...payment, account_number: '0150', bank_code: 'ABC', account_name: 'Asha Mushi' };

function answer(httpStatus: number, body: unknown, headers: ReadAnswer['headers'] = {}): TryResult {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { result: 'response', httpStatus, text, headers: { contentType: 'application/json', ...headers } };
}

const success = (data: unknown, httpStatus = 201): TryResult =>
  answer(httpStatus, {
    status: 'success',
    code: 'PAYMENT_INITIATED',
    message: 'Done',
    data,
    request_id: REQUEST_ID,
  });

describe('a try without an answer', () => {
  it.each([
    [{ sent: false, aborted: false }, 'not-sent'],
    [{ sent: true, aborted: false }, 'no-answer'],
    [{ sent: false, aborted: true }, 'aborted-unsent'],
    [{ sent: true, aborted: true }, 'aborted'],
  ] as const)('%j is %s', (failure, event) => {
    const result = { result: 'failure', code: 'TIMEOUT', ...failure } as const;
    expect(interpretTry(COLLECTION, result, new Set())).toStrictEqual({
      report: { event, code: 'TIMEOUT', errors: {} },
    });
  });

  it.each([
    [{ sent: false, aborted: false }, 'stopped'],
    [{ sent: true, aborted: false }, 'no-answer'],
    [{ sent: false, aborted: true }, 'aborted-unsent'],
  ] as const)('%j because the connections are closed is %s', (failure, event) => {
    for (const code of ['UND_ERR_CLOSED', 'UND_ERR_DESTROYED']) {
      const { report } = interpretTry(COLLECTION, { result: 'failure', code, ...failure }, new Set());
      expect(report).toStrictEqual({ event, code, errors: {} });
    }
  });

  it('whose request an interceptor changed says what was changed', () => {
    const changed = {
      result: 'failure',
      sent: false,
      aborted: false,
      code: 'CHANGED',
      changed: 'the body',
    } as const;
    expect(interpretTry(COLLECTION, changed, new Set())).toStrictEqual({
      report: { event: 'request-changed', code: 'CHANGED', message: 'the body', errors: {} },
    });
  });

  it('that was held back says for how long', () => {
    expect(interpretTry(COLLECTION, { result: 'held-back', retryAfterMs: 70_000 }, new Set())).toStrictEqual({
      report: { event: 'held-back', code: 'HELD_BACK', retryAfterMs: 70_000, errors: {} },
    });
  });
});

describe('a success answer', () => {
  const envelope = { message: 'Done', httpStatus: 201, code: 'PAYMENT_INITIATED', requestId: REQUEST_ID };
  const report = (event: TryEvent, httpStatus = 201) => ({
    event,
    httpStatus,
    errors: {},
    code: 'PAYMENT_INITIATED',
    requestId: REQUEST_ID,
  });

  it('of a payment has the value, the text as it came, and what its operation and its echo warn about', () => {
    const result = success({ reference: 'order-1', amount: 1180.5, status: 'pending' });
    const text = result.result === 'response' ? result.text : '';
    expect(interpretTry(COLLECTION, { ...result, text: `\n${text}` } as TryResult, new Set())).toStrictEqual({
      report: report('success'),
      success: {
        value: { data: { reference: 'order-1', amount: 1180.5, status: 'pending' } },
        text,
        warnings: ['the answer does not repeat currency, so it could not be compared', 'read with a doubt'],
        envelope,
      },
    });
  });

  it.each([
    ['collection', 'pending', undefined, []],
    ['collection', 'paid', undefined, []],
    ['collection', 'success', 'success', []],
    ['collection', 'failed', 'failed', ['the payment has ended already: failed']],
    ['collection', 'cancelled', 'cancelled', ['the payment has ended already: cancelled']],
    ['collection', 'expired', 'expired', ['the payment has ended already: expired']],
    ['disbursement', 'processing', undefined, []],
    ['disbursement', 'success', undefined, []],
    ['disbursement', 'paid', 'paid', []],
    ['disbursement', 'failed', 'failed', ['the payment has ended already: failed']],
    ['disbursement', 'cancelled', 'cancelled', ['the payment has ended already: cancelled']],
  ] as const)('of a %s with the status %s ends it as %s', (kind, status, outcome, warnings) => {
    const [call, data] = kind === 'collection' ? [COLLECTION, COLLECTED] : [PAYOUT, PAID_OUT];
    const interpreted = interpretTry(call, success({ ...data, status }), new Set()).success;
    expect(interpreted).toStrictEqual({
      value: { data: { ...data, status } },
      text: JSON.stringify({
        status: 'success',
        code: 'PAYMENT_INITIATED',
        message: 'Done',
        data: { ...data, status },
        request_id: REQUEST_ID,
      }),
      ...(outcome !== undefined && { outcome }),
      warnings: ['read with a doubt', ...warnings],
      envelope,
    });
  });

  const { reference, amount } = payment;

  it.each([
    ['collection', 'failed', { reference, amount: null }, 'amount'],
    ['collection', 'cancelled', { amount }, 'reference'],
    ['collection', 'expired', {}, 'reference and amount'],
    ['collection', 'success', { reference: null, amount }, 'reference'],
    ['disbursement', 'failed', { reference }, 'amount'],
    ['disbursement', 'paid', {}, 'reference'],
  ] as const)('of a %s with the status %s and only %j leaves it open', (kind, status, named, missing) => {
    const call = kind === 'collection' ? COLLECTION : PAYOUT;
    const interpreted = interpretTry(call, success({ ...named, status }), new Set()).success;
    expect(interpreted).not.toHaveProperty('outcome');
    expect(interpreted?.value).toEqual({ data: { ...named, status }, status: 'pending' });
    expect(interpreted?.warnings).toContain(
      `the answer says ${status}, but does not repeat ${missing}: the payment counts as accepted, not as ended`,
    );
  });

  it.each([
    ['collection', 'success'],
    ['disbursement', 'paid'],
  ] as const)('of a %s with the status %s ends it without its amount', (kind, status) => {
    const call = kind === 'collection' ? COLLECTION : PAYOUT;
    expect(interpretTry(call, success({ reference, status }), new Set()).success?.outcome).toBe(status);
  });

  it('of a payment whose data is a list repeats nothing', () => {
    const interpreted = interpretTry(COLLECTION, success([COLLECTED]), new Set()).success;
    expect(interpreted?.warnings).toEqual([
      'the answer does not repeat reference, so it could not be compared',
      'the answer does not repeat amount, so it could not be compared',
      'the answer does not repeat currency, so it could not be compared',
      'read with a doubt',
    ]);
  });

  it('of a read has nothing to repeat, and ends no payment', () => {
    const interpreted = interpretTry(
      BALANCE,
      success({ amount: '1.00', status: 'failed' }),
      new Set(),
    ).success;
    expect(interpreted?.warnings).toEqual(['read with a doubt']);
    expect(interpreted).not.toHaveProperty('outcome');
  });

  it.each([
    ['another reference', { ...COLLECTED, reference: 'order-2' }],
    ['another amount', { ...COLLECTED, amount: '1180.51' }],
    ['another currency', { ...COLLECTED, currency: 'KES' }],
  ])('of a payment with %s is no success', (_, data) => {
    expect(interpretTry(COLLECTION, success(data), new Set())).toStrictEqual({
      report: report('echo-mismatch'),
    });
  });

  it('that its operation cannot read is useless', () => {
    for (const call of [COLLECTION, BALANCE])
      expect(interpretTry(call, success('unusable'), new Set())).toStrictEqual({
        report: report('bad-answer'),
      });
  });

  it('under the status of an error is none, and its message is not kept', () => {
    expect(interpretTry(COLLECTION, success(COLLECTED, 500), new Set())).toStrictEqual({
      report: report('server-error', 500),
    });
  });

  it('that names no code has an empty one, never the code of another answer', () => {
    const result = answer(200, { status: 'success', message: 'ok', data: COLLECTED });
    expect(interpretTry(COLLECTION, result, new Set())).toMatchObject({
      report: { event: 'success', httpStatus: 200, errors: {} },
      success: { envelope: { message: 'ok', httpStatus: 200, code: '' } },
    });
  });
});

describe('an error answer', () => {
  const errors = { account_name: ['Asha Mushi is unknown'] };

  it('of a payment keeps what the gateway says, without what the request says about people', () => {
    const body = { success: false, code: 'INVALID_ACCOUNT', message: 'Asha Mushi has closed 0150', errors };
    expect(interpretTry(PAYOUT, answer(422, { ...body, request_id: REQUEST_ID }), new Set())).toStrictEqual({
      report: {
        event: 'refused',
        httpStatus: 422,
        code: 'INVALID_ACCOUNT',
        requestId: REQUEST_ID,
        message: '[redacted] has closed [redacted]',
        errors: { account_name: ['[redacted] is unknown'] },
      },
    });
  });

  it('with a code of the merchant refuses', () => {
    const result = answer(200, { success: false, code: 'LIMIT_REACHED', message: 'No' });
    const eventOf = (...codes: string[]): TryEvent =>
      interpretTry(PAYOUT, result, new Set(codes)).report.event;
    expect(eventOf('LIMIT_REACHED')).toBe('refused');
    expect(eventOf()).toBe('unlisted-code');
  });

  it('of a name lookup names only the fields of its own request, without the words of the gateway', () => {
    const body = {
      status: 'error',
      message: 'Asha Mushi has closed it',
      errors: { account_number: ['belongs to Asha Mushi'], holder: ['is Asha Mushi'] },
    };
    expect(interpretTry(LOOKUP, answer(422, body), new Set())).toStrictEqual({
      report: {
        event: 'refused',
        httpStatus: 422,
        errors: { account_number: ['account_number was refused by the gateway'] },
      },
    });
  });

  it('of a read without a body names no field at all', () => {
    const body = { status: 'error', message: 'No', errors: { amount: ['is wrong'], toString: ['is wrong'] } };
    expect(interpretTry(BALANCE, answer(422, body), new Set())).toStrictEqual({
      report: { event: 'refused', httpStatus: 422, errors: {} },
    });
  });

  it('that nobody can read has nothing but its status', () => {
    for (const [call, event] of [
      [PAYOUT, 'unproven-refusal'],
      [BALANCE, 'bad-answer'],
    ] as const)
      expect(interpretTry(call, answer(404, '<html></html>'), new Set())).toStrictEqual({
        report: { event, httpStatus: 404, errors: {} },
      });
  });

  it.each([
    ['', true],
    ['<html><body>Too many</body></html>', true],
    ['{"success":false,"message":"No","code":"PAYMENT_DECLINED"', undefined],
  ])('that nobody can read turns the request away only if it holds no JSON: %s', (text, isTurnedAway) => {
    expect(interpretTry(PAYOUT, answer(429, text), new Set()).report.turnedAway).toBe(isTurnedAway);
  });

  it.each<[status: number, body: object, isTurnedAway: true | undefined]>([
    [401, {}, true],
    [401, { code: 'UNAUTHORIZED' }, true],
    [403, { code: 'INSUFFICIENT_PERMISSIONS' }, true],
    [429, {}, true],
    [302, {}, true],
    [403, { code: 'PAYMENT_DECLINED' }, undefined],
    [429, { code: 'INSUFFICIENT_BALANCE' }, undefined],
    [401, { errors: { phone: ['is wrong'] } }, undefined],
    [429, { error: { code: 'LIMIT_EXCEEDED' } }, undefined],
    [429, { success: undefined, code: 'LIMIT_EXCEEDED' }, undefined],
    [403, { data: { reference: 'order-1', status: 'failed' } }, undefined],
    [429, { errors: { amount: 'over the limit' } }, undefined],
    [403, { payment_id: 7 }, undefined],
    [401, { code: 'UNAUTHORIZED', payment_id: 7 }, undefined],
    [422, {}, undefined],
    [503, {}, undefined],
  ])('under %i with %j is said to turn the request away only if nobody looked at it: %s', (...row) => {
    const [status, fields, isTurnedAway] = row;
    const body = { success: false, message: 'No', ...fields };
    expect(interpretTry(PAYOUT, answer(status, body), new Set()).report.turnedAway).toBe(isTurnedAway);
  });

  it.each([
    [
      '429 that names a wait',
      429,
      { retryAfter: '7' },
      { event: 'rate-limited', turnedAway: true, retryAfterMs: 7_000 },
    ],
    [
      '429 that names no wait',
      429,
      { retryAfter: '0' },
      { event: 'rate-limited', turnedAway: true, retryAfterMs: 0 },
    ],
    [
      '429 that names a date by a clock that is wrong',
      429,
      { retryAfter: 'Sat, 01 Jan 2000 00:00:07 GMT', date: 'Sat, 01 Jan 2000 00:00:00 GMT' },
      { event: 'rate-limited', turnedAway: true, retryAfterMs: 7_000 },
    ],
    ['429 without the header', 429, {}, { event: 'rate-limited', turnedAway: true }],
    [
      '429 with a header that nobody can read',
      429,
      { retryAfter: 'soon' },
      { event: 'rate-limited', turnedAway: true },
    ],
    ['503 that names a wait', 503, { retryAfter: '7' }, { event: 'server-error' }],
  ] as const)('under %s says how long to wait', (_, httpStatus, headers, said) => {
    expect(
      interpretTry(COLLECTION, answer(httpStatus, { message: 'Later' }, headers), new Set()),
    ).toStrictEqual({
      report: { httpStatus, message: 'Later', errors: {}, ...said },
    });
  });
});

describe('what is kept of a try', () => {
  it.each<[event: TryEvent, phase: string]>([
    ['not-sent', 'not-sent'],
    ['stopped', 'not-sent'],
    ['request-changed', 'not-sent'],
    ['held-back', 'not-sent'],
    ['aborted-unsent', 'not-sent'],
    ['no-answer', 'ambiguous'],
    ['aborted', 'ambiguous'],
    ['bad-answer', 'ambiguous'],
    ['server-error', 'ambiguous'],
    ['unproven-refusal', 'ambiguous'],
    ['success', 'answered'],
    ['echo-mismatch', 'answered'],
    ['refused', 'answered'],
    ['refused-without-code', 'answered'],
    ['unauthorized', 'answered'],
    ['duplicate-request', 'answered'],
    ['duplicate-reference', 'answered'],
    ['provider-error', 'answered'],
    ['unlisted-code', 'answered'],
    ['rate-limited', 'answered'],
    ['redirect', 'answered'],
  ])('that is %s has the phase %s', (event, phase) => {
    expect(attemptInfo({ event, errors: {} }, 2, 17.5)).toStrictEqual({ number: 2, phase, durationMs: 18 });
  });

  it('has the status and the code of its answer, and nothing of its texts', () => {
    const report: TryReport = {
      event: 'refused',
      httpStatus: 422,
      code: 'INVALID_PHONE',
      requestId: REQUEST_ID,
      message: 'No',
      errors: { phone: ['is wrong'] },
    };
    expect(attemptInfo(report, 1, 4.4)).toStrictEqual({
      number: 1,
      phase: 'answered',
      httpStatus: 422,
      code: 'INVALID_PHONE',
      durationMs: 4,
    });
  });
});
