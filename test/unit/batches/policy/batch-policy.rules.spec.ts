import { describe, expect, it } from 'vitest';
import { type BatchPolicy } from 'nestjs-payments/batches';
import { approvalProblem, approvalsNeeded } from '../../../../lib/batches/policy/approval-rule.js';
import { balanceProblem, coverOf } from '../../../../lib/batches/policy/balance-rule.js';
import { resolvePolicy } from '../../../../lib/batches/policy/batch-policy.js';
import { isCheckOutdated } from '../../../../lib/batches/policy/check-age-rule.js';
import { nameNeedsWord } from '../../../../lib/batches/policy/name-rule.js';
import { countRow } from '../../../../lib/batches/policy/row-rule.js';
import { windowProblem } from '../../../../lib/batches/policy/window-rule.js';

const policy = (given: BatchPolicy = {}) => resolvePolicy(given);

describe('the policy of batches', () => {
  it('has careful defaults', () => {
    expect(policy()).toEqual({
      acceptNames: ['same'],
      checkedWithinMs: 86_400_000,
      minimumCents: 0n,
      feeCents: 0n,
      approvals: [{ fromCents: 0n, needed: 1 }],
      creatorMayApprove: false,
      windows: undefined,
      timeZone: 'Africa/Dar_es_Salaam',
      sameRecipientWithinDays: 20,
      stopAfterUnknown: 3,
      stopAfterRefused: 10,
      resumeAfterTopUp: false,
    });
  });

  it.each<readonly [Record<string, unknown>, string]>([
    [{ windos: [] }, 'policy.windos` does not exist'],
    [{ acceptNames: ['equal'] }, 'policy.acceptNames'],
    [{ acceptNames: 'same' }, 'policy.acceptNames'],
    [{ checkedWithinMs: 0 }, 'checkedWithinMs'],
    [{ minimumBalance: '1,000' }, 'policy.minimumBalance` holds no amount'],
    [{ minimumBalance: -1 }, 'policy.minimumBalance'],
    [{ approvals: [] }, 'policy.approvals` must begin at 0'],
    [{ approvals: [{ from: '1', needed: 1 }] }, 'policy.approvals` must begin at 0'],
    [{ approvals: [{ from: '0', needed: 3 }] }, 'policy.approvals'],
    [
      {
        approvals: [
          { from: '0', needed: 2 },
          { from: '0', needed: 1 },
        ],
      },
      'policy.approvals',
    ],
    [{ windows: [] }, 'policy.windows` must be a list'],
    [{ windows: [{ days: ['monday'], from: '08:00', to: '17:00' }] }, 'wrong days'],
    [{ windows: [{ days: ['mon'], from: '8:00', to: '17:00' }] }, 'wrong time'],
    [{ windows: [{ days: ['mon'], from: '22:00', to: '04:00' }] }, 'must end later on the same day'],
    [{ timeZone: 'Dodoma' }, 'policy.timeZone` is no time zone'],
    [{ stopAfterUnknown: 0 }, 'stopAfterUnknown'],
    [{ sameRecipientWithinDays: -1 }, 'sameRecipientWithinDays'],
    [{ creatorMayApprove: 'yes' }, 'creatorMayApprove'],
  ])('refuses %j', (given, problem) => {
    expect(() => resolvePolicy(given)).toThrow(problem);
  });
});

it.each([
  ['same', undefined, false],
  ['similar', undefined, true],
  ['different', undefined, true],
  ['similar', ['same', 'similar'], false],
  ['different', ['same', 'similar'], true],
  ['same', [], true],
] as const)('a name that is %s needs a word if %j are accepted: %s', (match, acceptNames, needs) => {
  expect(nameNeedsWord(match, policy(acceptNames && { acceptNames }))).toBe(needs);
});

it.each([
  [1_000, false],
  [1_001, true],
])('a check that is %s ms old is outdated after 1000 ms: %s', (age, outdated) => {
  expect(isCheckOutdated(5_000, 5_000 + age, policy({ checkedWithinMs: 1_000 }))).toBe(outdated);
});

it.each([
  [0n, 1],
  [499_999_999n, 1],
  [500_000_000n, 2],
  [10n ** 15n, 2],
])('%s cents need %s approvals', (cents, needed) => {
  const approvals = [
    { from: '0', needed: 1 },
    { from: '5000000', needed: 2 },
  ] as const;
  expect(approvalsNeeded(cents, policy({ approvals }))).toBe(needed);
});

describe('an approval', () => {
  const batch = { digest: 'd1', createdBy: 'maker', approvals: [{ by: 'first' }] };

  it.each([
    ['another person', 'second', 'd1', {}, undefined],
    ['the creator', 'maker', 'd1', {}, 'the person who created the batch may not approve it'],
    [
      'the creator, who types the name in another way',
      ' MAKER',
      'd1',
      {},
      'the person who created the batch',
    ],
    [
      'the creator, with a character that nobody sees',
      'maker\u200b',
      'd1',
      {},
      'the person who created the batch',
    ],
    [
      'the creator, with a filler that is a letter',
      'ma\u3164ker',
      'd1',
      {},
      'the person who created the batch',
    ],
    ['the creator, with a control character', 'maker\u0001', 'd1', {}, 'the person who created the batch'],
    ['the creator, with a blank of Braille', 'maker\u2800', 'd1', {}, 'the person who created the batch'],
    ['the creator, who may', 'maker', 'd1', { creatorMayApprove: true }, undefined],
    ['the same person once more', 'first', 'd1', {}, 'this person has approved it already'],
    ['the same person in capitals', 'First', 'd1', {}, 'this person has approved it already'],
    ['somebody who saw other lines', 'second', 'd2', {}, 'the digest is not that of the lines'],
    ['somebody who saw nothing', 'second', '', {}, 'the digest is not that of the lines'],
  ])('of %s', (_who, by, digest, given, problem) => {
    const found = approvalProblem({ by, digest, batch }, policy(given));
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  });
});

describe('the balance', () => {
  it.each([
    [1_000n, 1_000n, {}, undefined],
    [999n, 1_000n, {}, 'top up 0.01 and the fees.'],
    [1_500n, 1_000n, { minimumBalance: '5' }, undefined],
    [1_499n, 1_000n, { minimumBalance: '5' }, 'and 5.00 must be left'],
    [1_300n, 1_000n, { feePerPayout: '1' }, undefined],
    [1_299n, 1_000n, { feePerPayout: '1' }, 'are to be paid with fees of up to 3.00, but'],
    [1_299n, 1_000n, { feePerPayout: '1' }, 'top up 0.01.'],
    [1_799n, 1_000n, { feePerPayout: '1', minimumBalance: '5' }, 'top up 0.01.'],
  ])('of %s for three payouts of %s with the rules %o', (availableCents, neededCents, rules, problem) => {
    const found = balanceProblem({ availableCents, neededCents, payouts: 3 }, policy(rules));
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  });

  it('is compared with the lines that money is still needed for', () => {
    const cover = coverOf('12.50', [
      { state: 'waiting', lines: 1, cents: 1n },
      { state: 'checked', lines: 1, cents: 10n },
      { state: 'sending', lines: 1, cents: 100n },
      { state: 'blocked', lines: 1, cents: 1_000n },
      { state: 'accepted', lines: 1, cents: 10_000n },
      { state: 'unknown', lines: 1, cents: 100_000n },
      { state: 'refused', lines: 1, cents: 1_000_000n },
    ]);
    expect(cover).toEqual({ availableCents: 1_250n, neededCents: 111n, payouts: 3 });
  });
});

it('a batch pauses after so many outcomes of a kind in a row, and a success begins again', () => {
  const stops = (states: readonly Parameters<typeof countRow>[1][]): readonly number[] => {
    let row = { unknown: 0, refused: 0 };
    return states.flatMap((state, index) => {
      const { row: next, stop } = countRow(row, state, policy({ stopAfterUnknown: 2, stopAfterRefused: 3 }));
      row = next;
      return stop === undefined ? [] : [index];
    });
  };
  expect(stops(['unknown', 'accepted', 'unknown', 'refused', 'unknown', 'unknown'])).toEqual([5]);
  expect(stops(['refused', 'refused', 'unknown', 'refused', 'refused', 'refused'])).toEqual([5]);
  expect(stops(['checked', 'failed', 'accepted'])).toEqual([]);
});

describe('a window', () => {
  const work = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '08:00', to: '17:00' } as const;
  const at = (text: string): number => Date.parse(text);

  it.each([
    // Dar es Salaam is three hours ahead of UTC. 2026-11-25 is a Wednesday.
    ['opens', '2026-11-25T05:00:00Z', undefined],
    ['is not open the millisecond before', '2026-11-25T04:59:59.999Z', '2026-11-25T05:00:00Z'],
    ['is open in its last minute', '2026-11-25T13:59:59Z', undefined],
    ['is closed at its end, until the next day', '2026-11-25T14:00:00Z', '2026-11-26T05:00:00Z'],
    ['is closed at the weekend, until Monday', '2026-11-27T14:00:00Z', '2026-11-30T05:00:00Z'],
    ['belongs to the local day', '2026-11-29T22:00:00Z', '2026-11-30T05:00:00Z'],
  ])('%s: %s', (_what, now, opensAt) => {
    const found = windowProblem(at(now), policy({ windows: [work] }));
    expect(found).toEqual(opensAt === undefined ? undefined : { opensAt: at(opensAt) });
  });

  it('follows the clock of a zone that changes it', () => {
    const windows = [{ days: ['sun'], from: '08:00', to: '24:00' }] as const;
    // Clocks in Berlin go back on 2026-10-25 at 01:00 UTC.
    const given = { windows, timeZone: 'Europe/Berlin' };
    expect(windowProblem(at('2026-10-24T23:30:00Z'), policy(given))).toEqual({
      opensAt: at('2026-10-25T07:00:00Z'),
    });
    expect(windowProblem(at('2026-10-18T05:59:00Z'), policy(given))).toEqual({
      opensAt: at('2026-10-18T06:00:00Z'),
    });
    expect(windowProblem(at('2026-10-25T22:59:00Z'), policy(given))).toBeUndefined();
  });

  it('may open several times, and without one it is always open', () => {
    const windows = [
      { days: ['wed'], from: '10:00', to: '11:00' },
      { days: ['wed'], from: '09:00', to: '09:30' },
    ] as const;
    expect(windowProblem(at('2026-11-25T05:00:00Z'), policy({ windows }))).toEqual({
      opensAt: at('2026-11-25T06:00:00Z'),
    });
    expect(windowProblem(at('2026-11-25T06:30:00Z'), policy({ windows }))).toEqual({
      opensAt: at('2026-11-25T07:00:00Z'),
    });
    expect(windowProblem(at('2026-11-25T06:30:00Z'), policy())).toBeUndefined();
  });
});
