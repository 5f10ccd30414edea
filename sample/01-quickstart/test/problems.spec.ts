import { describe, expect, it } from 'vitest';

/** A module of the page, which has no types. */
const { problemsOf } = (await import(new URL('../public/problems.js', import.meta.url).href)) as {
  readonly problemsOf: (path: string, status: number, body: object) => readonly string[];
};

const NOT_SENT = { mayHaveBeenProcessed: false };

describe('the page', () => {
  it.each([
    ['a refusal that proves it', 422, NOT_SENT, 'problem.nothing'],
    ['too little money', 402, { ...NOT_SENT, code: 'INSUFFICIENT_BALANCE' }, 'problem.INSUFFICIENT_BALANCE'],
    ['a refusal that proves nothing', 422, { ...NOT_SENT, final: false }, 'problem.unsure'],
    ['a lost answer', 502, { mayHaveBeenProcessed: true }, 'problem.unsure'],
    ['an unreadable journal', 503, { mayHaveBeenProcessed: 'not-by-this-call' }, 'problem.unsure'],
    ['an answer of something before the shop', 403, {}, 'problem.unsure'],
    ['wrong keys of the shop', 502, NOT_SENT, 'problem.unsure'],
    ['too many requests', 503, NOT_SENT, 'problem.unsure'],
  ])('says nothing of money that it does not know after %s', (_, status, body, problem) => {
    expect(problemsOf('orders', status, body)).toEqual([problem]);
  });

  it.each([502, 503])(
    'says of a payout, which keeps its reference, that it may be tried later, after %i',
    (status) => {
      expect(problemsOf('office/payouts/payout-1/confirm', status, NOT_SENT)).toEqual(['problem.later']);
    },
  );

  it('names each wrong field', () => {
    expect(problemsOf('orders', 400, { fields: ['phone', 'name'] })).toEqual(['wrong.phone', 'wrong.name']);
  });

  it.each([401, 403])('says in the office alone what opens it, after %i', (status) => {
    expect(problemsOf('office/balance', status, {})).toEqual(['problem.closed']);
    expect(problemsOf('orders', status, {})).toEqual(['problem.unsure']);
  });
});
