import { expect, it } from '@jest/globals';
import { type Happening, type Line } from './history.js';
import { type Evidence, judge, type Verdict } from './judge.js';
import { type KillPoint } from './plan.js';

const LEASE_MS = 1_000;
const reference = 'order-1';

type Moment = Happening & { readonly at: number; readonly life?: string };

const claimed = (at: number, attempt: number, life?: string): Moment => ({
  what: 'claimed',
  reference,
  since: at,
  at,
  attempt,
  ...(life === undefined ? {} : { life }),
});
const effect = (at: number, attempt: number, life?: string): Moment => ({
  what: 'effect',
  reference,
  at,
  attempt,
  ...(life === undefined ? {} : { life }),
});
const told = (
  what: 'marked' | 'finished',
  at: number,
  said: boolean | 'error',
  attempt = 1,
  life?: string,
): Moment => ({ what, reference, at, said, attempt, ...(life === undefined ? {} : { life }) });
const ending = (at: number, how: 'finish' | 'fail', life?: string): Moment => ({
  what: 'ending',
  reference,
  at,
  how,
  ...(life === undefined ? {} : { life }),
});
const killed = (at: number, point = 'at random', life = '1.1'): Moment => ({
  what: 'killed',
  point,
  at,
  life,
});
const answered: Moment = { what: 'answered', reference, at: 9_000, life: 'runner' };
const handledOnce = [
  claimed(0, 1),
  effect(1, 1),
  told('marked', 2, true),
  ending(3, 'finish'),
  told('finished', 4, true),
];

/** One event, of which the replica 1.1 hears first. */
function verdict(moments: readonly Moment[], evidence: Partial<Evidence> = {}): Verdict {
  const lines = moments
    .map((moment): Line => ({ life: '1.1', ...moment }))
    .sort((one, other) => one.at - other.at);
  const randomKills = moments.filter(({ what }) => what === 'killed').length;
  const plan = { references: [reference], dooms: new Map<string, never>(), randomKills };
  const effects = moments.flatMap(({ what }) => (what === 'effect' ? [reference] : []));
  return judge({ plan, leaseMs: LEASE_MS, exactlyOnce: false, lines, effects, ...evidence });
}

it('finds nothing where an event is handled once', () => {
  expect(verdict([...handledOnce, answered])).toEqual({ violations: [], repeats: [], kills: new Map() });
});

it('finds what was not answered, what is lost, and what nobody sent', () => {
  expect(verdict(handledOnce).violations).toEqual(['order-1 was never answered 200']);
  expect(verdict([...handledOnce, answered], { effects: [] }).violations).toEqual([
    'order-1 is lost: it has no effect',
  ]);
  expect(verdict([...handledOnce, answered], { effects: [reference, 'order-2'] }).violations).toEqual([
    'nobody sent order-2',
  ]);
});

it('allows no second effect where each stands exactly once', () => {
  const again = [...handledOnce, answered];
  expect(verdict(again, { exactlyOnce: true, effects: [reference, reference] }).violations).toEqual([
    'order-1 has 2 effects',
  ]);
});

it.each<[name: string, between: readonly Moment[], because: string]>([
  ['a kill', [killed(5)], '1.1 was killed before it had recorded it'],
  [
    'a crash of the storage',
    [
      { what: 'storage down', at: 5, life: 'runner' },
      told('marked', 6, 'error'),
      { what: 'storage up', at: 7, life: 'runner' },
    ],
    'the storage went away before 1.1 had recorded it',
  ],
  ['a lease that ran out', [told('marked', 1_600, false)], '1.1 outlived its lease'],
])('explains a second effect with %s', (_, between, because) => {
  const second = [claimed(1_100, 2, '2.1'), effect(1_200, 2, '2.1'), told('finished', 1_300, true, 2, '2.1')];
  const { repeats, violations } = verdict([
    claimed(0, 1),
    effect(1, 1),
    ...between,
    ...second,
    killed(1_400, 'at random', '3.1'),
    answered,
  ]);
  expect(repeats).toEqual([{ reference, because }]);
  expect(violations).toEqual([]);
});

it.each<[name: string, between: readonly Moment[]]>([
  ['nothing happened', []],
  ['it was remembered', [told('marked', 2, true), killed(5)]],
  ['it was finished', [told('finished', 2, true), killed(5)]],
  ['the storage failed though it was there', [told('marked', 2, 'error')]],
])('does not excuse a second effect where %s', (_, between) => {
  const { violations } = verdict([
    claimed(0, 1),
    effect(1, 1),
    ...between,
    claimed(1_100, 2, '2.1'),
    effect(1_200, 2, '2.1'),
    killed(1_400, 'at random', '3.1'),
    answered,
  ]);
  expect(violations).toContain('order-1 was repeated without a reason');
});

it('allows no more repeats than kills', () => {
  const { violations } = verdict([
    claimed(0, 1),
    effect(1, 1),
    told('marked', 1_050, false),
    claimed(1_100, 2, '2.1'),
    effect(1_200, 2, '2.1'),
    answered,
  ]);
  expect(violations).toEqual(['1 repeats after 0 kills']);
});

it('finds a claim beside one that holds, whoever died', () => {
  const second = [claimed(900, 2, '2.1'), told('finished', 910, true, 2, '2.1'), answered];
  const taken = ['order-1 was claimed while another claim held'];
  expect(verdict([claimed(0, 1), effect(1, 1), ...second]).violations).toEqual(taken);
  expect(verdict([claimed(0, 1), effect(1, 1), killed(2), ...second]).violations).toEqual(taken);
  expect(verdict([claimed(0, 1), effect(1, 1), ending(2, 'fail'), ...second]).violations).toEqual([]);
  const later = [claimed(1_100, 2, '2.1'), told('finished', 1_200, true, 2, '2.1'), answered];
  expect(verdict([claimed(0, 1), effect(1, 1), ...later]).violations).toEqual([]);
});

it('finds an end by a claim that another one had taken over', () => {
  const takenOver = [claimed(0, 1), effect(1, 1), claimed(1_100, 2, '2.1'), told('marked', 1_150, false)];
  const end = [ending(1_200, 'finish'), told('finished', 1_201, true), answered];
  expect(verdict([...takenOver, ...end]).violations).toEqual([
    'order-1 was finished by a claim that another one had taken over',
  ]);
  const begunBefore = [ending(1_050, 'finish'), told('finished', 1_201, true), answered];
  expect(verdict([...takenOver, ...begunBefore]).violations).toEqual([]);
});

it('finds two ends of one event, and a claim that was taken away early', () => {
  expect(verdict([...handledOnce, told('finished', 1_200, true, 2, '2.1'), answered]).violations).toEqual([
    'order-1 was finished 2 times',
  ]);
  expect(verdict([claimed(0, 1), effect(1, 1), told('finished', 800, false), answered]).violations).toEqual([
    'order-1 lost its claim before the lease ended',
  ]);
  expect(verdict([claimed(0, 1), effect(1, 1), told('marked', 800, false), answered]).violations).toEqual([
    'order-1 lost its claim before the lease ended',
  ]);
  const askedAgain = [told('finished', 790, 'error'), told('finished', 800, false)];
  expect(verdict([claimed(0, 1), effect(1, 1), ...askedAgain, answered]).violations).toEqual([]);
  expect(verdict([claimed(0, 1), effect(1, 1), told('finished', 1_100, false), answered]).violations).toEqual(
    [],
  );
});

it('misses kills that were planned, unless nobody came that far', () => {
  const planned = (point: KillPoint): Partial<Evidence> => ({
    plan: { references: [reference], dooms: new Map([[reference, point]]), randomKills: 2 },
  });
  const { violations } = verdict([...handledOnce, killed(10), answered], planned('after the claim'));
  expect(violations).toEqual(['order-1 killed nobody after the claim', '1 instead of 2 kills at random']);
  const hidden = [
    claimed(0, 1),
    effect(1, 1),
    told('finished', 2, 'error'),
    answered,
    killed(10),
    killed(11),
  ];
  expect(verdict(hidden, planned('before the answer')).violations).toEqual([]);
  expect(verdict(hidden, planned('before the finish')).violations).toEqual([
    'order-1 killed nobody before the finish',
  ]);
  const unheard = hidden.filter((line) => line.what !== 'finished');
  expect(verdict(unheard, planned('before the answer')).violations).toEqual([]);
  const heard = [...handledOnce, answered, killed(10), killed(11)];
  expect(verdict(heard, planned('before the answer')).violations).toEqual([
    'order-1 killed nobody before the answer',
  ]);
});
