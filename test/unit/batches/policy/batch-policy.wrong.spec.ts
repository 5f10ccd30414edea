import { describe, expect, it } from 'vitest';
import { CHUNK_LINES } from '../../../../lib/batches/loading/chunk-lines.js';
import { resolvePolicy } from '../../../../lib/batches/policy/batch-policy.js';

const WORK = { days: ['mon'], from: '08:00', to: '17:00' };

describe('a policy that is wrong', () => {
  it.each([[[]], ['strict'], [7], [true]])('does not become the default: %j', (given) => {
    expect(() => resolvePolicy(given)).toThrow('option `policy` must be an object: write {');
  });

  it.each<readonly [string, object, string]>([
    ['a band', { approvals: [{ from: '0', needed: 1, upTo: '5' }] }, 'must hold objects with from, needed'],
    ['a window', { windows: [{ ...WORK, timeZone: 'UTC' }] }, 'must hold objects with days, from, to'],
    [
      'the policy',
      { creatorMayAprove: true },
      'policy.creatorMayAprove` does not exist: did you mean `creatorMayApprove`?',
    ],
  ])('is refused for an unknown field of %s', (_what, given, problem) => {
    expect(() => resolvePolicy(given)).toThrow(problem);
  });

  it.each([3, 0, '2', undefined])('is refused for %j people', (needed) => {
    expect(() => resolvePolicy({ approvals: [{ from: 0, needed }] })).toThrow('write needed: 1 or needed: 2');
  });

  it.each(['stopAfterUnknown', 'stopAfterRefused'])('is refused if %s is longer than a chunk', (rule) => {
    expect(resolvePolicy({ [rule]: CHUNK_LINES })).toHaveProperty(rule, CHUNK_LINES);
    expect(() => resolvePolicy({ [rule]: CHUNK_LINES + 1 })).toThrow(
      `policy.${rule}\` must be a whole number`,
    );
  });

  it('is told everything at once', () => {
    const wrong = { windos: 1, minimumBalance: '1,000', timeZone: 'Dodoma', stopAfterUnknown: 0 };
    for (const rule of Object.keys(wrong)) expect(() => resolvePolicy(wrong)).toThrow(`policy.${rule}\``);
  });
});

it.each([0, -0, 0n, '0', '0.0', '0.00'])('%s is nothing, where nothing is allowed', (zero) => {
  const policy = resolvePolicy({ minimumBalance: zero, approvals: [{ from: zero, needed: 2 }] });
  expect(policy).toMatchObject({ minimumCents: 0n, approvals: [{ fromCents: 0n, needed: 2 }] });
});

it.each([-1, '-0.01', '', '1,000', [], 1e13, Number.NaN])('%s is no amount', (amount) => {
  expect(() => resolvePolicy({ minimumBalance: amount })).toThrow('policy.minimumBalance` holds no amount');
  expect(() => resolvePolicy({ approvals: [{ from: amount, needed: 1 }] })).toThrow('policy.approvals`');
});

it('a policy stays as it was when the application started', () => {
  const given = { acceptNames: ['same'], windows: [{ ...WORK, days: ['mon'] }] };
  const policy = resolvePolicy(given);
  given.acceptNames.push('different');
  given.windows[0]?.days.push('sun');
  expect(policy.acceptNames).toEqual(['same']);
  expect(policy.windows?.[0]?.days).toEqual(['mon']);
});
