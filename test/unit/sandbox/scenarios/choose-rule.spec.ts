import { describe, expect, it } from 'vitest';
import { WAITING } from '../../../../lib/sandbox/core/outcome-plan.js';
import { SANDBOX_OPERATIONS } from '../../../../lib/sandbox/core/operation-name.js';
import { chooseRule, type RuleInput } from '../../../../lib/sandbox/scenarios/choose-rule.js';
import { SCENARIOS } from '../../../../lib/sandbox/scenarios/scenario-table.js';

const COLLECT = 'POST /payments/mobile-money';
const TO_BANK = 'POST /disbursements/bank';
const hang = { kind: 'hang' } as const;

const rule = (input: Partial<RuleInput> = {}) =>
  chooseRule({
    operation: COLLECT,
    fault: undefined,
    header: undefined,
    number: undefined,
    auto: false,
    ...input,
  });

describe('the rule that decides about a call', () => {
  it.each<[string, Partial<RuleInput>]>([
    ['fault hang', { fault: hang, header: '0003', number: '255700000004', auto: true }],
    ['header 0003', { header: '0003', number: '255700000004', auto: true }],
    ['ending 0004', { number: '255700000004', auto: true }],
    ['ending 0003', { operation: TO_BANK, number: '01500003' }],
    ['default auto', { number: '255712345678', auto: true }],
    ['default manual', { number: '255712345678' }],
    ['default manual', {}],
    ['default manual', { number: '0001', operation: 'GET /merchant-balance' }],
    ['default manual', { number: '255700000404' }],
    ['header 0429', { operation: 'GET /merchant-balance', header: '0429' }],
  ])('is %s', (name, input) => {
    expect(rule(input).name).toBe(name);
  });

  it('lets a fault spoil the answer, and the next rule say what becomes of the request', () => {
    const faulty = rule({ fault: hang, number: '255700000003' });
    expect(faulty).toMatchObject({ fault: hang, plan: { transitions: [{ to: 'cancelled' }] } });
  });

  it.each(['0429', '0500'])(
    'keeps the answer of a number that is not processed (%s) under a fault',
    (ending) => {
      const alone = rule({ number: `25570000${ending}` });
      const faulty = rule({ fault: hang, number: `25570000${ending}` });
      expect(faulty).toMatchObject({ fault: hang, unprocessed: alone.fault });
    },
  );

  it('lets a fault replace the fault of a number that is processed', () => {
    const faulty = rule({ fault: hang, number: '255700000504' });
    expect(faulty).toMatchObject({ fault: hang, plan: { transitions: [{ to: 'success' }] } });
    expect(faulty).not.toHaveProperty('unprocessed');
  });

  it('refuses a header that names no scenario of the operation, and lists those that there are', () => {
    expect(rule({ header: '0404' })).toMatchObject({
      name: 'header unknown',
      refusal: {
        status: 400,
        body: { code: 'INVALID_REQUEST', message: expect.stringContaining('0001, 0002') as unknown },
      },
    });
  });

  it('lets nothing happen by itself unless a scenario or auto says so', () => {
    expect(rule().plan).toBe(WAITING);
    expect(rule({ auto: true }).plan.transitions).toEqual([{ afterMs: 2_000, to: 'success' }]);
    expect(rule({ auto: true, operation: TO_BANK }).plan.transitions).toEqual([
      { afterMs: 2_000, to: 'paid' },
    ]);
  });
});

describe('the scenario table', () => {
  it('has one meaning for an ending and an operation', () => {
    const pairs = SCENARIOS.flatMap(({ ending, operations }) =>
      operations.map((name) => `${ending} ${name}`),
    );
    expect(pairs.filter((pair, index) => pairs.indexOf(pair) !== index)).toEqual([]);
  });

  it('brings something about in every row', () => {
    const idle = SCENARIOS.filter(({ plan, refusal, fault }) => plan === WAITING && !refusal && !fault);
    expect(idle).toEqual([]);
  });

  it('has a limit, an HTML error and a lost answer for every operation', () => {
    for (const ending of ['0429', '0500', '0504']) {
      const operations = SCENARIOS.filter((row) => row.ending === ending).flatMap((row) => row.operations);
      expect(operations.sort()).toEqual([...SANDBOX_OPERATIONS].sort());
    }
  });
});
