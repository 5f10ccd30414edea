import { describe, expect, it } from 'vitest';
import { closestWord } from '../../../lib/common/closest-word.js';

const WORDS = ['sandbox', 'trigger', 'sign', 'verify', 'doctor', '--to'];

describe('the word that is meant', () => {
  it.each([
    ['sandbox', 'sandbox'],
    ['sandbx', 'sandbox'],
    ['sandobx', 'sandbox'],
    ['DOCTOR', 'doctor'],
    ['sing', undefined],
    ['sig', 'sign'],
    ['verfiy', 'verify'],
    ['--t', '--to'],
    ['serve', undefined],
    ['', undefined],
  ])('is, for %s, %s', (typed, word) => {
    expect(closestWord(typed, WORDS)).toBe(word);
  });

  it('is none among no words', () => {
    expect(closestWord('sandbox', [])).toBeUndefined();
  });
});
