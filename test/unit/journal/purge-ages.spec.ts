import { describe, expect, it } from 'vitest';
import { OPEN_PAYOUTS, purgeProblems } from '../../../lib/journal/purge-ages.js';

describe('the ages of what the journal is to forget', () => {
  it.each([
    { olderThanMs: 1 },
    { olderThanMs: 5, rejectedOlderThanMs: 5 },
    { olderThanMs: 5, rejectedOlderThanMs: 6, acceptedPayoutsOlderThanMs: 7 },
    { olderThanMs: 5, tombstonesOlderThanMs: 1 },
  ])('may be %j', (ages) => {
    expect(purgeProblems(ages, undefined)).toBeUndefined();
  });

  it.each([undefined, null, 90, [90]])('may not be %j', (ages) => {
    const problem = 'must be an object: write { olderThanMs: 90 * 86_400_000 }';
    expect(purgeProblems(ages as never, undefined)).toEqual({ options: [problem] });
  });

  it.each(['rejectedOlderThanMs', 'acceptedPayoutsOlderThanMs'])('have a sensible %s', (field) => {
    for (const age of [0, -1, 1.5, NaN, Infinity, 36_500 * 86_400_000 + 1, '7']) {
      const problem = expect.stringContaining(`${field} must be a whole number of milliseconds`) as unknown;
      expect(purgeProblems({ olderThanMs: 5, [field]: age }, undefined)).toEqual({ [field]: [problem] });
    }
    expect(purgeProblems({ olderThanMs: 5, [field]: 4 }, undefined)).toEqual({
      [field]: [`${field} must not be shorter than olderThanMs`],
    });
  });

  it('have a sensible tombstonesOlderThanMs, which counts from another moment', () => {
    for (const age of [0, -1, 1.5, NaN, Infinity, 36_500 * 86_400_000 + 1, '7']) {
      const problem = expect.stringContaining(
        'tombstonesOlderThanMs must be a whole number of milliseconds',
      ) as unknown;
      const ages = { olderThanMs: 5, tombstonesOlderThanMs: age as number };
      expect(purgeProblems(ages, undefined)).toEqual({ tombstonesOlderThanMs: [problem] });
    }
  });

  it('have names that exist', () => {
    const ages = { olderThanMs: 5, rejectedOlderThnMs: undefined, days: 90, tombstonesOlderThanMs: 0 };
    expect(purgeProblems(ages, undefined)).toEqual({
      rejectedOlderThnMs: ['rejectedOlderThnMs does not exist: did you mean `rejectedOlderThanMs`?'],
      days: [expect.stringContaining('days does not exist: write one of olderThanMs, ')],
      tombstonesOlderThanMs: [expect.stringContaining('must be a whole number')],
    });
  });

  it('leave payouts alone that may still be asked about', () => {
    const ages = { olderThanMs: 5, acceptedPayoutsOlderThanMs: 6 };
    expect(purgeProblems(ages, OPEN_PAYOUTS)).toEqual({
      acceptedPayoutsOlderThanMs: [expect.stringContaining('statusPaths.disbursement')],
    });
    expect(purgeProblems({ olderThanMs: 5 }, OPEN_PAYOUTS)).toBeUndefined();
    expect(purgeProblems({ ...ages, rejectedOlderThanMs: 4 }, OPEN_PAYOUTS)).toEqual({
      rejectedOlderThanMs: ['rejectedOlderThanMs must not be shorter than olderThanMs'],
      acceptedPayoutsOlderThanMs: [expect.stringContaining('statusPaths.disbursement')],
    });
  });
});
