import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { compilerProblems } from '../../support/compiler-problems.js';
import { tsdocExamples, unfencedExamples } from '../../support/tsdoc-examples.js';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> };
const entryPoints = Object.keys(exports).filter((entry) => entry !== './package.json');

describe('the examples in documentation comments', () => {
  it('compile', () => {
    const examples = tsdocExamples(entryPoints);
    expect(examples.size).toBeGreaterThanOrEqual(45);
    expect(compilerProblems(examples)).toEqual([]);
  }, 60_000);

  it('stand in blocks, where a decorator is no tag', () => {
    expect(unfencedExamples()).toEqual([]);
  });
});
