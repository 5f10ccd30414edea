import { describe, expect, it } from 'vitest';
import { seededIds } from '../../../../lib/sandbox/core/id-source.js';

describe('the id source', () => {
  it('makes version 4 UUIDs that do not repeat', () => {
    const ids = seededIds(1);
    const made = Array.from({ length: 2_000 }, () => ids.uuid());

    expect(new Set(made).size).toBe(2_000);
    for (const id of made) {
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    }
  });

  it('gives the same ids for the same seed, and others for another', () => {
    const story = (seed: number) => [seededIds(seed).uuid(), seededIds(seed).token(12)];
    expect(story(42)).toEqual(story(42));
    expect(story(42)).not.toEqual(story(43));
  });

  it('makes tokens of the asked length without letters that look like digits', () => {
    expect(seededIds(9).token(200)).toMatch(/^[A-HJ-NP-Z2-9]{200}$/);
  });
});
