import { describe, expect, it } from 'vitest';
import { Coverage, type Kind, KINDS } from './coverage.js';

/** What stories are missing that all reached every kind but these. */
function missing(stories: number, ...unreached: readonly Kind[]): readonly Kind[] {
  const coverage = new Coverage(true);
  const reached = new Set(KINDS.filter((kind) => !unreached.includes(kind)));
  for (let story = 0; story < stories; story += 1) coverage.add(reached);
  return coverage.missing();
}

describe('the kinds that stories should have reached', () => {
  it('are all of them in many stories', () => {
    expect(missing(200, 'a purge')).toEqual(['a purge']);
    expect(missing(199, 'a purge')).toEqual([]);
  });

  it('are the frequent ones in fewer stories', () => {
    expect(missing(30, 'an operator settles', 'a purge')).toEqual(['an operator settles']);
    expect(missing(100, 'a partition')).toEqual(['a partition']);
    expect(missing(30, 'a partition')).toEqual([]);
    expect(missing(29, 'an operator settles')).toEqual([]);
  });

  it('are most of them in fewer stories', () => {
    const rare = KINDS.slice(-11);
    expect(missing(30, ...rare)).toEqual(rare);
    expect(missing(30, ...rare.slice(1))).toEqual([]);
    expect(missing(100, ...rare.slice(5))).toEqual(rare.slice(5));
    expect(missing(100, ...rare.slice(6))).toEqual([]);
    expect(missing(29, ...rare)).toEqual([]);
  });
});
