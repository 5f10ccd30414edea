import { describe, expect, it } from 'vitest';
import { type Evidence } from './checker.js';
import { type KillPoint, type Outcome } from './plan.js';
import {
  answered,
  claimed,
  effect,
  finished,
  handledOnce,
  handledOnceSteps,
  killed,
  type Moment,
  outcome,
  reference,
  step,
  verdict,
  violations,
} from './spec-lines.js';

it('finds nothing if an event is handled once', () => {
  expect(verdict([...handledOnce, answered])).toMatchObject({ violations: [], repeats: [] });
});

it('finds what was not answered, what is lost, and what nobody sent', () => {
  expect(violations(handledOnce)).toEqual(['order-1 was never answered 200']);
  expect(violations([...handledOnce, answered], { effects: [] })).toEqual([
    'order-1 is lost: it has no effect',
    'order-1: success is lost, neither handled nor set aside',
  ]);
  expect(
    verdict([...handledOnce, answered], {
      effects: [
        { reference, outcome },
        { reference: 'order-2', outcome },
      ],
    }).violations,
  ).toEqual(['nobody sent order-2']);
});

it('allows no second effect if effects are exactly once', () => {
  const again = [...handledOnce, answered];
  expect(
    verdict(again, {
      exactlyOnce: true,
      effects: [
        { reference, outcome },
        { reference, outcome },
      ],
    }).violations,
  ).toEqual(['order-1: success has 2 effects']);
});

const planned = (plan: Partial<Evidence['plan']>): Partial<Evidence> => ({
  plan: {
    references: [reference],
    crashPoints: new Map(),
    stopPoints: new Map(),
    networkFaults: new Map(),
    randomKills: 2,
    randomStops: 0,
    ...plan,
  },
});

it('misses kills that were planned, unless nobody came that far', () => {
  const dies = (point: KillPoint): Partial<Evidence> =>
    planned({ crashPoints: new Map([[reference, point]]) });
  expect(violations([...handledOnce, killed(10), answered], dies('after the claim'))).toEqual([
    'order-1 killed nobody after the claim',
    '1 instead of 2 kills at random',
  ]);
  const hidden = [claimed(0), effect(1), finished(2, 'error'), answered, killed(10), killed(11)];
  expect(violations(hidden, dies('before the answer'))).toEqual([]);
  expect(violations(hidden, dies('before the finish'))).toEqual(['order-1 killed nobody before the finish']);
  const unheard = hidden.filter((line) => line.what !== 'finished');
  expect(violations(unheard, dies('before the answer'))).toEqual([]);
  const heard = [...handledOnce, answered, killed(10), killed(11)];
  expect(violations(heard, dies('before the answer'))).toEqual(['order-1 killed nobody before the answer']);
});

it('misses stops and faults of the network that were planned', () => {
  const evidence = planned({
    randomKills: 0,
    randomStops: 1,
    stopPoints: new Map([[reference, 'after the effect']]),
    networkFaults: new Map([[reference, { request: 'record', fault: 'late' }]]),
  });
  expect(violations([...handledOnce, answered], evidence)).toEqual([
    'order-1 stopped nobody after the effect',
    'the network did not break the record of order-1: late',
    '0 instead of 1 stops at random',
  ]);
  const happened: readonly Moment[] = [
    { what: 'stopped', point: 'after the effect', reference, at: 1 },
    { what: 'stopped', point: 'at random', at: 2 },
    { what: 'network', fault: 'late', request: 'record', reference, place: 1, at: 3 },
  ];
  expect(violations([...handledOnce, ...happened, answered], evidence)).toEqual([]);
});

describe('contradictory outcomes of one reference', () => {
  const both = { sent: new Map<string, readonly Outcome[]>([[reference, ['success', 'failed']]]) };
  const made = (...outcomes: readonly Outcome[]): Pick<Evidence, 'effects'> => ({
    effects: outcomes.map((each) => ({ reference, outcome: each })),
  });
  const aside = (...outcomes: readonly Outcome[]): Pick<Evidence, 'setAside'> => ({
    setAside: new Map([[reference, outcomes]]),
  });
  const releasing: Moment = { what: 'releasing', reference, outcome: 'failed', at: 8_000, life: 'runner' };
  const twice = { exactlyOnce: true, ...both, ...made('success', 'failed') };

  it('one takes effect, the others are set aside', () => {
    const evidence = { ...both, ...made('success'), ...aside('failed') };
    expect(violations([...handledOnce, answered], evidence)).toEqual([]);
  });

  it('finds two that take effect, unless an operator released the second', () => {
    expect(violations([...handledOnce, answered], twice)).toEqual([
      'order-1 has two outcomes: success and failed',
    ]);
    expect(violations([...handledOnce, releasing, answered], twice)).toEqual([]);
  });

  it('finds one that is neither handled nor set aside, and one that was released in vain', () => {
    expect(violations([...handledOnce, answered], { ...both, ...made('success') })).toEqual([
      'order-1: failed is lost, neither handled nor set aside',
    ]);
    const evidence = { ...both, ...made('success'), ...aside('failed') };
    expect(violations([...handledOnce, releasing, answered], evidence)).toEqual([
      'order-1: failed was released and has no effect',
    ]);
  });

  it('finds a journal that holds another end than the last one', () => {
    const released = { owner: 'released', outcome: 'failed' } as const;
    const steps = [...handledOnceSteps, step('running', 1, released), step('done', 1, released)];
    const journal = (end: Outcome, settledBy = 'webhook'): Partial<Evidence> => ({
      ...twice,
      steps,
      journal: new Map([[reference, { state: 'settled', outcome: end, settledBy }]]),
    });
    const lines = [...handledOnce, releasing, answered];
    expect(violations(lines, journal('failed'))).toEqual([]);
    expect(violations(lines, journal('success'))).toEqual([
      'the journal does not hold order-1 as failed: success',
    ]);
    expect(violations(lines, journal('failed', 'operator'))).toHaveLength(1);
    expect(violations(lines, { ...twice, steps, journal: new Map([[reference, undefined]]) })).toEqual([
      'the journal does not hold order-1 as failed: nothing',
    ]);
  });
});

it('finds a payment that the journal calls ended although no webhook reported it', () => {
  const journal = (state: string): Partial<Evidence> => ({ journal: new Map([['unpaid-1', { state }]]) });
  expect(violations([...handledOnce, answered], journal('accepted'))).toEqual([]);
  expect(violations([...handledOnce, answered], journal('settled'))).toEqual([
    'the journal holds unpaid-1 as settled',
  ]);
});

it('finds what an operator purged and the storage kept', () => {
  const purged: Moment = { what: 'purged', reference, at: 1_000, life: 'runner' };
  const moments = [...handledOnce, purged, answered];
  expect(violations(moments)).toEqual(['order-1 was purged and is still there']);
  expect(violations(moments, { steps: [...handledOnceSteps, step('gone', 1)] })).toEqual([]);
});
