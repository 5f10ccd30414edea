import { expect, it } from 'vitest';
import { NETWORK_FAULTS } from '../support/faulty-proxy.js';
import { deliveriesOf, isJournalled, operationOn, planOf, type Size } from './plan.js';

const size: Size = {
  events: 1_000,
  kills: 60,
  stops: 20,
  networkFaults: 24,
  contradictions: true,
  seed: 'a',
};

it('plans the same run from the same seed, and another one from another seed', () => {
  expect(planOf(size)).toEqual(planOf(size));
  expect(planOf({ ...size, seed: 'b' }).crashPoints).not.toEqual(planOf(size).crashPoints);
});

it('plans at most one trouble for an event, and every kind of each', () => {
  const { references, crashPoints, stopPoints, networkFaults, randomKills, randomStops } = planOf(size);
  const struck = [...crashPoints.keys(), ...stopPoints.keys(), ...networkFaults.keys()];
  expect(new Set(struck).size).toBe(struck.length);
  expect(references).toEqual(expect.arrayContaining(struck));
  expect([crashPoints.size + randomKills, stopPoints.size + randomStops, networkFaults.size]).toEqual([
    60, 20, 24,
  ]);
  for (const fault of NETWORK_FAULTS) {
    const requests = [...networkFaults.values()].filter((each) => each.fault === fault);
    expect(new Set(requests.map(({ request }) => request))).toEqual(new Set(['claim', 'record']));
  }
});

it.each([
  ['kills', 8],
  ['stops', 4],
  ['networkFaults', 8],
])('refuses %s: %i, which would strike at no planned point, and takes 0', (kind, count) => {
  expect(() => planOf({ ...size, [kind]: count })).toThrow(RangeError);
  expect(() => planOf({ ...size, [kind]: 0 })).not.toThrow();
});

it('contradicts some references, releases what was set aside, and purges what only the journal then knows', () => {
  const { references } = planOf(size);
  const contradicted = references.filter((each) => new Set(deliveriesOf(size, each, 5)).size > 1);
  expect(contradicted.length).toBeGreaterThan(100);
  const operated = (operation: string): string[] =>
    references.filter((each) => operationOn(size, each) === operation);
  expect(operated('release').length).toBeGreaterThan(20);
  expect(contradicted).toEqual(expect.arrayContaining(operated('release')));
  expect(operated('purge').length).toBeGreaterThan(20);
  expect(operated('purge').every((each) => isJournalled(size.seed, each))).toBe(true);
  const calm = { ...size, contradictions: false };
  expect(references.every((each) => operationOn(calm, each) === undefined)).toBe(true);
  expect(references.flatMap((each) => deliveriesOf(calm, each, 5))).not.toContain('failed');
});
