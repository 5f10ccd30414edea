import { describe, expect, it } from 'vitest';
import { EFFECT_HANDLER } from './check-event.js';
import {
  answered,
  claimed,
  effect,
  ending,
  finished,
  handledOnce,
  handledOnceSteps,
  killed,
  marked,
  marking,
  type Moment,
  reference,
  step,
  takenOver,
  verdict,
  violations,
} from './spec-lines.js';
import { type Step, stepFaults } from './steps.js';

const remembers = { finished: [EFFECT_HANDLER] };

describe('what the storage wrote down', () => {
  it.each<[name: string, steps: readonly Step[]]>([
    ['one claim', [step('running', 1), step('running', 1, remembers), step('done', 1)]],
    ['a claim after the lease of another one', takenOver],
    [
      'a claim of what was given back',
      [step('running', 1), step('open', 1), step('running', 2, { changedAt: 5 })],
    ],
    [
      'a claim of what was forgotten',
      [step('running', 1), step('done', 1), step('gone', 1), step('running', 1)],
    ],
  ])('is right with %s', (_, steps) => {
    expect(stepFaults(steps, [])).toEqual([]);
  });

  it.each<[fault: string, steps: readonly Step[]]>([
    ['was claimed while another claim held', [step('running', 1), step('running', 2, { changedAt: 999 })]],
    ['was claimed though it was done', [step('running', 1), step('done', 1), step('running', 2)]],
    [
      'was claimed with the number of another claim',
      [step('running', 1), step('open', 1), step('running', 1, { owner: 'b' })],
    ],
    ['forgot that a handler had finished', [step('running', 1, remembers), step('running', 2)]],
    ['became open after it was done', [step('done', 1), step('open', 1)]],
    ['became done after it was open', [step('open', 1), step('done', 1)]],
    [
      'got another outcome that nobody released',
      [step('done', 1), step('running', 1, { owner: 'b', outcome: 'failed' })],
    ],
    ['changed its outcome without a claim', [step('running', 1), step('done', 1, { outcome: 'failed' })]],
  ])('shows that an entry %s', (fault, steps) => {
    expect(stepFaults(steps, [])).toContain(`${reference} ${fault}`);
  });

  it('may get another outcome that an operator released, once the first one is over', () => {
    const other = { owner: 'b', outcome: 'failed' } as const;
    expect(stepFaults([step('done', 1), step('running', 1, other)], ['failed'])).toEqual([]);
    expect(
      stepFaults([step('running', 1), step('running', 1, { ...other, changedAt: 999 })], ['failed']),
    ).toEqual([`${reference} was claimed while another claim held`]);
  });
});

describe('the answers that a process got from the storage', () => {
  const second = [
    claimed(1_100, 2, '2.1'),
    effect(1_200, 2, '2.1'),
    marking(1_201, 2, '2.1'),
    marked(1_202, true, 2, '2.1'),
    ending(1_203, 'finish', 2, '2.1'),
    finished(1_204, true, 2, '2.1'),
    answered,
  ];

  it.each<[name: string, first: readonly Moment[], because: string]>([
    ['was killed', [effect(1), killed(5)], '1.1 was killed before it had recorded it'],
    [
      'was not answered',
      [effect(1), marking(2), marked(6, 'error')],
      'the storage did not confirm the record of 1.1',
    ],
    [
      'learned that its claim is over',
      [effect(1), marking(2), marked(1_600, false)],
      '1.1 outlived its lease',
    ],
    ['still waits', [effect(1), marking(2)], '1.1 had no answer'],
    [
      'was stopped before its effect',
      [effect(1_900), marking(1_901), marked(1_902, false)],
      '1.1 outlived its lease',
    ],
  ])('explains a second effect if the first process %s', (_, first, because) => {
    const { repeats, violations: found } = verdict([claimed(0), ...first, ...second], { steps: takenOver });
    expect(repeats).toEqual([{ reference, because }]);
    expect(found).toEqual([]);
  });

  it('does not count a claim that a process withdrew, which stood still while another one handled it and that was purged', () => {
    const steps = [
      ...handledOnceSteps,
      step('gone', 1),
      step('running', 1, { owner: 'b' }),
      step('gone', 1, { owner: 'b' }),
    ];
    const ended = (how: 'withdraw' | 'fail'): readonly Moment[] => [
      ...handledOnce,
      claimed(1_100, 1, '2.1'),
      ending(1_101, how, 1, '2.1'),
      answered,
    ];
    expect(violations(ended('withdraw'), { steps })).toEqual([]);
    expect(violations(ended('fail'), { steps })).toEqual([`${reference} was claimed twice with one number`]);
  });

  it('does not depend on who writes first: a process that was stopped learns late of its claim', () => {
    const late = [claimed(1_150), effect(1_151), marking(1_152), marked(1_300, false)];
    expect(violations([...late, ...second], { steps: takenOver })).toEqual([]);
  });

  it.each<[fault: string, moments: readonly Moment[], steps: readonly Step[]]>([
    [
      'has an effect that was remembered before',
      [claimed(0), effect(1), marking(2), marked(3, true), ...second],
      [step('running', 1), step('running', 1, remembers), step('running', 2, remembers), step('done', 2)],
    ],
    [
      'was told that a handler is remembered, which the storage does not know',
      handledOnce,
      [step('running', 1), step('done', 1)],
    ],
    ['was finished by a claim that did not hold', handledOnce, takenOver],
    [
      'was finished, and told that it was not',
      [...handledOnce.slice(0, -1), finished(5, false)],
      [step('running', 1), step('running', 1, remembers), step('done', 1)],
    ],
    ['was claimed, and the storage does not know of it', [claimed(0, 3)], takenOver],
    ['was claimed twice with one number', [claimed(0), claimed(1, 1, '2.1')], [step('running', 1)]],
    ['has an effect without a claim', [effect(1)], [step('running', 1)]],
    ['has two effects of one run', [claimed(0), effect(1), effect(2)], [step('running', 1)]],
    [
      'has an effect that nobody wanted to remember',
      [claimed(0), effect(1), ending(2)],
      [step('running', 1)],
    ],
    [
      'lost its claim though nobody had claimed it again',
      [claimed(0), effect(1), marking(2), marked(3, false)],
      [step('running', 1)],
    ],
    [
      'lost its claim though nobody had claimed it again',
      [claimed(0), effect(1), marking(2), marked(3, false)],
      [step('running', 1), step('open', 1), step('running', 2)],
    ],
  ])('shows that an event %s', (fault, moments, steps) => {
    expect(violations([...moments, answered], { steps })).toContain(`${reference} ${fault}`);
  });

  it.each<[name: string, last: Step]>([
    ['an operator released another outcome', step('running', 1, { owner: 'released', outcome: 'failed' })],
    ['an operator purged it', step('gone', 1)],
  ])('lets a process learn late that its claim is over, if %s after it had finished', (_, last) => {
    const lost = [...handledOnce.slice(0, -1), finished(4_000, false)];
    const releasing: Moment = { what: 'releasing', reference, outcome: 'failed', at: 2_000, life: 'runner' };
    const steps = [step('running', 1), step('running', 1, remembers), step('done', 1), last];
    const told = `${reference} was finished, and told that it was not`;
    expect(violations([...lost, releasing, answered], { steps })).not.toContain(told);
    expect(violations([...lost, releasing, answered], { steps: steps.slice(0, -1) })).toContain(told);
  });

  it('lets a process lose what it gave back itself', () => {
    const gaveBack = [
      claimed(0),
      effect(1),
      marking(2),
      marked(3, 'error'),
      ending(4, 'fail'),
      marked(5, false),
    ];
    const steps = [
      step('running', 1),
      step('open', 1),
      step('running', 2, { changedAt: 900 }),
      step('done', 2),
    ];
    expect(violations([...gaveBack, ...second], { steps })).not.toContain(
      `${reference} lost its claim though nobody had claimed it again`,
    );
  });
});
