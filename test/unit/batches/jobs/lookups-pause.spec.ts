import { describe, expect, it } from 'vitest';
import { lookupsPause, type OpenLookups } from '../../../../lib/batches/jobs/lookups-pause.js';

describe('the pause of a batch whose last recipients cannot be looked up', () => {
  const pauseOf = (open: Partial<OpenLookups>): ReturnType<typeof lookupsPause> =>
    lookupsPause({ keys: ['S-1', 'S-2'], lines: 2, sent: 0, looksBefore: 0, ...open });

  it.each<[what: string, open: Partial<OpenLookups>, until: string | undefined, looks: number | undefined]>([
    ['the first run', {}, 'gateway', 1],
    ['the next run without a payment', { looksBefore: 1 }, 'gateway', 2],
    ['the last look that it takes by itself', { looksBefore: 59 }, 'gateway', 60],
    ['half an hour of looks', { looksBefore: 60 }, undefined, undefined],
    ['half an hour of looks, and a payment', { looksBefore: 60, sent: 1 }, 'gateway', 1],
  ])('ends by itself or not after %s', (_what, open, until, looks) => {
    expect(pauseOf(open)).toMatchObject({
      reason: expect.stringContaining('not sent: S-1, S-2.') as unknown,
    });
    expect(pauseOf(open).until).toBe(until);
    expect(pauseOf(open).looks).toBe(looks);
  });

  it('says what happens next', () => {
    expect(pauseOf({}).reason).toMatch(/ They are looked up again in a moment\.$/);
    expect(pauseOf({ looksBefore: 60 }).reason).toMatch(/ Resume the batch to ask again, or cancel it\.$/);
  });

  it('names the first lines, and says how many others there are', () => {
    expect(pauseOf({ lines: 5 }).reason).toContain('not sent: S-1, S-2 and 3 others.');
  });
});
