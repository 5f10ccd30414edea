import { describe, expect, it } from 'vitest';
import { compilerProblems } from '../../support/compiler-problems.js';
import { ENTRY_POINTS } from '../../support/public-exports.js';
import { tsdocExamples, unfencedExamples } from '../../support/tsdoc-examples.js';

describe('the examples in documentation comments', () => {
  it('compile', () => {
    const examples = tsdocExamples(ENTRY_POINTS);
    expect(examples.size).toBeGreaterThanOrEqual(45);
    expect(compilerProblems(examples)).toEqual([]);
  }, 60_000);

  it('stand in blocks, so that a decorator is not a tag', () => {
    expect(unfencedExamples()).toEqual([]);
  });
});
