import { describe, expect, it } from 'vitest';
import { NameIndex } from '../../../../lib/reconciliation/matching/name-index.js';
import { Random } from '../../../support/random.js';

describe('the index of names', () => {
  it('finds and reads what was added, and nothing else, like a map', () => {
    const random = new Random(7);
    const [index, map] = [new NameIndex(), new Map<string, number>()];
    // Short names over few letters, so that many are the beginning of others.
    const name = (): string =>
      Array.from({ length: random.below(9) }, () => random.pick(['a', 'b', '-', 'é', '\u{1F600}'])).join('');
    for (let count = 0; count < 20_000; count += 1) {
      const one = name();
      expect(index.find(one)).toBe(map.get(one));
      if (map.has(one)) continue;
      map.set(one, index.size);
      index.add(one);
    }
    expect(index.size).toBe(map.size);
    for (const [one, place] of map) {
      expect(index.find(one)).toBe(place);
      expect(index.at(place)).toBe(one);
    }
  });

  it('reads half of a surrogate pair as a database does', () => {
    const index = new NameIndex();
    index.add('a\uD800b');
    expect(index.at(0)).toBe('a\uFFFDb');
    expect(index.find('a\uFFFDb')).toBe(0);
  });

  it('takes the longest references', () => {
    const index = new NameIndex();
    const long = Array.from({ length: 40 }, (_, number) => `${'x'.repeat(255)}${number}`);
    for (const one of long) index.add(one);
    expect(long.map((one) => index.find(one))).toEqual(long.map((_, place) => place));
    expect(index.at(39)).toBe(long[39]);
    expect(index.find('x'.repeat(255))).toBeUndefined();
  });
});
