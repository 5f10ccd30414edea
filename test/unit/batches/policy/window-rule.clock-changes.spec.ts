import { expect, it } from 'vitest';
import { type BatchPolicy, resolvePolicy } from '../../../../lib/batches/policy/batch-policy.js';
import { windowProblem } from '../../../../lib/batches/policy/window-rule.js';

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri'] as const;

function opensAt(now: string, policy: BatchPolicy): string | undefined {
  const problem = windowProblem(Date.parse(now), resolvePolicy(policy));
  return problem && new Date(problem.opensAt).toISOString();
}

it.each([
  // New York: clocks go forward on 2026-03-08 at 07:00 UTC, and back on 2026-11-01 at 06:00 UTC.
  ['over the weekend before the change', '2026-02-27T22:00:00Z', '2026-03-02T13:00:00.000Z'],
  ['over the weekend when clocks go forward', '2026-03-06T22:00:00Z', '2026-03-09T12:00:00.000Z'],
  ['over the weekend when clocks go back', '2026-10-30T21:00:00Z', '2026-11-02T13:00:00.000Z'],
  ['in the night', '2026-06-02T03:00:00Z', '2026-06-02T12:00:00.000Z'],
  ['on a working day', '2026-06-02T12:00:00Z', undefined],
])('windows of New York open %s', (_when, now, opens) => {
  const windows = [{ days: WEEKDAYS, from: '08:00', to: '17:00' }];
  expect(opensAt(now, { windows, timeZone: 'America/New_York' })).toBe(opens);
});

it.each([
  ['that is left out this week opens in the next', '2026-03-24T00:00:00Z', '2026-04-05T00:00:00.000Z'],
  ['that comes twice opens a second time', '2026-10-25T00:45:00Z', '2026-10-25T01:00:00.000Z'],
])('a window in an hour %s', (_what, now, opens) => {
  const windows = [{ days: ['sun'], from: '02:00', to: '02:30' }] as const;
  expect(opensAt(now, { windows, timeZone: 'Europe/Berlin' })).toBe(opens);
});

it('a window follows a zone with half an hour', () => {
  const windows = [{ days: ['thu'], from: '08:15', to: '08:16' }] as const;
  expect(opensAt('2026-11-25T12:00:00Z', { windows, timeZone: 'Asia/Kolkata' })).toBe(
    '2026-11-26T02:45:00.000Z',
  );
});
