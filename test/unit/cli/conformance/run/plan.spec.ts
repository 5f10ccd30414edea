import { describe, expect, it } from 'vitest';
import { type Question } from '../../../../../lib/cli/conformance/questions/question.js';
import { moneyOf } from '../../../../../lib/cli/conformance/run/money-of-step.js';
import { planRun, totalOf } from '../../../../../lib/cli/conformance/run/plan.js';
import { RunBudget } from '../../../../../lib/cli/conformance/run/run-budget.js';
import { accepted, wrong } from '../../../../support/conformance-answers.js';
import { ALL_INPUTS, HOUR_INPUTS, WIDE_CAPS } from '../../../../support/conformance-run.js';

const CAPS = { maxRequests: 100, maxAmountCents: 1_000 };
const collect = (amount: unknown) => ({
  operation: 'POST /payments/mobile-money' as const,
  body: { amount, currency: 'TZS' },
});
const pay = (amount: unknown, currency = 'TZS') => ({
  operation: 'POST /disbursements/bank' as const,
  body: { amount, currency },
});

function asking(name: string, steps: Question['steps'], rest: Partial<Question> = {}): Question {
  return { name, point: 'banks', asks: 'What?', needs: [], steps, concludes: () => [], ...rest };
}

describe('the plan of a run', () => {
  it('lists every request in order with the money that it can move', () => {
    const plan = planRun({ amountCents: 1 }, CAPS, [
      asking('read', () => [{ operation: 'GET /merchant-balance' }]),
      asking('money', () => [collect(1.5), pay('2.00')]),
    ]);
    expect(plan.requests).toEqual([
      { question: 'read', step: 0, operation: 'GET /merchant-balance', inCents: 0, outCents: 0 },
      { question: 'money', step: 0, operation: 'POST /payments/mobile-money', inCents: 150, outCents: 0 },
      { question: 'money', step: 1, operation: 'POST /disbursements/bank', inCents: 0, outCents: 200 },
    ]);
    expect(plan.cost).toEqual({ inCents: 150, outCents: 200, collections: 1, payouts: 1 });
  });

  it('leaves out whole questions that would pass a cap, and asks the cheaper ones after them', () => {
    const plan = planRun({ amountCents: 1 }, { maxRequests: 3, maxAmountCents: 1_000 }, [
      asking('dear', () => [collect(6), collect(6)]),
      asking('fits', () => [collect(6), collect(4)]),
      asking('too many', () => [collect(0), collect(0)]),
      asking('last', () => [collect(0)]),
      asking('no more', () => [collect(0)]),
    ]);
    expect(plan.questions.map(({ question, leftOut }) => [question.name, leftOut])).toEqual([
      ['dear', 'would pass --max-amount 10.00'],
      ['fits', undefined],
      ['too many', 'would pass --max-requests 3'],
      ['last', undefined],
      ['no more', 'would pass --max-requests 3'],
    ]);
  });

  it('counts the rungs of a search once, and takes those above the cap from it', () => {
    const search: Question['search'] = {
      fact: 'smallest amount',
      rungs: [100, 500, 2_000],
      coarse: 100,
      step: (_, cents) => collect(cents / 100),
      isRefusal: ({ kind }) => kind === 'refused',
    };
    const ladder = asking('search', () => [], { search });
    const plan = planRun({ amountCents: 1 }, CAPS, [asking('first', () => [collect(4)]), ladder]);
    // Two rungs fit. To narrow the limit down would cost up to nine more payments of 5.00.
    expect(plan.requests).toHaveLength(3);
    expect(plan.cost).toEqual({ inCents: 900, outCents: 0, collections: 2, payouts: 0 });
    const wide = planRun({ amountCents: 1 }, { ...CAPS, maxAmountCents: 5_400 }, [
      asking('first', () => [collect(4)]),
      { ...ladder, search: { ...search, rungs: [100, 500] } },
    ]);
    expect(wide.requests).toHaveLength(12);
    expect(wide.cost).toEqual({ inCents: 5_400, outCents: 0, collections: 11, payouts: 0 });
    const tight = planRun({ amountCents: 1 }, { ...CAPS, maxAmountCents: 0 }, [ladder]);
    expect(tight.questions[0]?.leftOut).toBe('would pass --max-amount 0.00');
  });

  it('counts the control of a search, and asks it after the limit was found alone', () => {
    const search: Question['search'] = {
      fact: 'smallest amount',
      rungs: [2, 1],
      coarse: 1,
      step: (_, value) => collect(value),
      isRefusal: ({ kind }) => kind === 'refused',
      control: (_, refused) => collect(refused + 0.5),
    };
    const [planned] = planRun({ amountCents: 1 }, CAPS, [asking('search', () => [], { search })]).questions;
    expect(planned?.steps).toHaveLength(3);
    expect(planned?.cost).toMatchObject({ inCents: 400, collections: 2 });
    const [takes, refuses] = [accepted(), wrong('amount')];
    expect(planned?.next?.([refuses])).toEqual(collect(1));
    expect(planned?.next?.([refuses, takes])).toEqual(collect(2.5));
    for (const ended of [[takes], [refuses, refuses], [refuses, takes, takes], [refuses, takes, refuses]])
      expect(planned?.next?.(ended)).toBeUndefined();
  });

  it('leaves out a question whose two spellings are one', () => {
    const left = (inputs: object) =>
      planRun({ ...HOUR_INPUTS, ...inputs }, WIDE_CAPS)
        .questions.filter(({ leftOut }) => leftOut !== undefined)
        .map(({ question, leftOut }) => [question.name, leftOut]);
    expect(left({})).toEqual([]);
    expect(left({ bankCode: '0123', longBankCode: '0123' })).toEqual([
      ['case of bank codes', '--bank-code has no letters, and so no other case'],
      ['long bank codes', '--long-bank-code is the same as --bank-code'],
    ]);
    expect(left({ bankCode: 'BSB', longBankCode: 'bsb' })).toHaveLength(1);
  });

  it('names the inputs that a question needs', () => {
    const { questions } = planRun({ amountCents: 1 }, CAPS, [
      asking('phones', () => [], { needs: ['phone', 'recipientPhone'] }),
    ]);
    expect(questions[0]?.leftOut).toBe('needs --phone, --recipient-phone');
  });

  it('refuses an amount of nothing and a status path without its reference', () => {
    expect(() => planRun({ amountCents: 0 }, CAPS)).toThrow(/write --amount 1.00/);
    for (const collectionStatusPath of ['payments/{reference}', '/payments', '@elsewhere/{reference}'])
      expect(() => planRun({ amountCents: 1, collectionStatusPath }, CAPS)).toThrow(/\{reference\}/);
  });

  it('asks without any input only what moves no money', () => {
    const plan = planRun({ amountCents: 100 }, { maxRequests: 100, maxAmountCents: 100 });
    expect(plan.requests.length).toBeGreaterThan(5);
    for (const request of plan.requests.filter((asked) => totalOf(asked) > 0))
      expect(request.question).toBe('malformed phone');
  });

  it('has only numbers and codes in it that the person gave, or that can reach nobody', () => {
    const plan = planRun(ALL_INPUTS, WIDE_CAPS);
    const given = Object.values(ALL_INPUTS).map(String);
    const text = JSON.stringify(plan.questions.map(({ steps }) => steps));
    for (const [, field, value] of text.matchAll(
      /"(\w*phone|account_number|bank_code|network)":"([^"]*)"/g,
    )) {
      const allowed = [...given, '0', 'NO-SUCH-BANK', 'NO_SUCH_NETWORK', ALL_INPUTS.bankCode!.toLowerCase()];
      expect(allowed, field).toContain(value);
    }
  });
});

describe('the money of a request', () => {
  it('counts parts of a cent as a whole one, and what cannot be read as more than any cap', () => {
    expect(moneyOf(collect(0.29)).inCents).toBe(29);
    expect(moneyOf(collect(1.1)).inCents).toBe(110);
    expect(moneyOf(collect(1.006)).inCents).toBe(101);
    expect(moneyOf(pay('1000.00')).outCents).toBe(100_000);
    expect(moneyOf(pay(1, 'XTS')).outCents).toBe(100);
    expect(moneyOf(pay(1, 'USD')).outCents).toBe(Number.POSITIVE_INFINITY);
    for (const amount of [1e21, '1e3', -1, null, undefined, Number.NaN])
      expect(moneyOf(pay(amount)).outCents).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('the budget', () => {
  it('lets nothing pass a cap, whatever the plan says', () => {
    const budget = new RunBudget({ maxRequests: 2, maxAmountCents: 100 });
    expect(budget.problem(101)).toContain('--max-amount');
    expect(budget.problem(Number.POSITIVE_INFINITY)).toContain('--max-amount');
    budget.spend(100);
    expect(budget.problem(1)).toContain('--max-amount');
    budget.release(100);
    expect(budget.problem(100)).toBeUndefined();
    budget.spend(0);
    expect(budget.problem(0)).toContain('--max-requests 2');
  });
});
