import { describe, expect, it } from 'vitest';
import { resolveReconciliationOptions } from '../../../lib/reconciliation/reconciliation-options.js';

describe('the options of ReconciliationModule', () => {
  it('have defaults', () => {
    expect(resolveReconciliationOptions({})).toEqual({
      storage: undefined,
      policy: {
        timeZone: 'Africa/Dar_es_Salaam',
        statementLagMs: 3_600_000,
        outcomeWithinMs: 86_400_000,
        mostExceptions: 100_000,
        payoutsEndWithinMs: Infinity,
        largestFeeCents: undefined,
        looseMatching: undefined,
      },
    });
  });

  it('are read as they are written', () => {
    const policy = {
      timeZone: 'Europe/Berlin',
      statementLagMs: 0,
      outcomeWithinMs: 1,
      mostExceptions: 5,
      payoutsEndWithinMs: 7,
      largestFee: '2500.50',
      looseMatching: { withinMs: 60_000 },
    };
    const { largestFee: _largestFee, ...same } = policy;
    expect(resolveReconciliationOptions({ policy }).policy).toEqual({ ...same, largestFeeCents: 250_050 });
  });

  it.each<[string, unknown, string]>([
    ['an unknown option', { engine: 1 }, '`engine` does not exist: write one of storage, policy.'],
    ['a misspelled option', { storge: undefined }, '`storge` does not exist: did you mean `storage`?'],
    [
      'a misspelled rule',
      { policy: { timezon: 1 } },
      '`policy.timezon` does not exist: did you mean `timeZone`?',
    ],
    ['no storage', { storage: {} }, '`storage` is no storage'],
    ['no policy', { policy: [] }, '`policy` must be an object'],
    ['an unknown rule', { policy: { lag: 1 } }, '`policy.lag` does not exist: write one of statementLagMs'],
    ['no time zone', { policy: { timeZone: 'Dodoma' } }, '`policy.timeZone` is no time zone'],
    ['no lag', { policy: { statementLagMs: -1 } }, '`policy.statementLagMs` must be a whole number'],
    [
      'a lag of years',
      { policy: { outcomeWithinMs: 1e12 } },
      '`policy.outcomeWithinMs` must be a whole number',
    ],
    ['no fee', { policy: { largestFee: '0' } }, '`policy.largestFee` holds no amount greater than 0'],
    ['an object for a fee', { policy: { largestFee: {} } }, '`policy.largestFee` holds no amount'],
    [
      'no time for loose matching',
      { policy: { looseMatching: {} } },
      '`policy.looseMatching` must be an object',
    ],
    [
      'a wrong time for loose matching',
      { policy: { looseMatching: { withinMs: 0 } } },
      '`policy.looseMatching.withinMs` must be a whole number',
    ],
    ['no end of payouts', { policy: { payoutsEndWithinMs: 0 } }, '`policy.payoutsEndWithinMs` must be'],
  ])('refuse %s', (_, options, problem) => {
    expect(() => resolveReconciliationOptions(options)).toThrow(`ReconciliationModule option ${problem}`);
  });
});
