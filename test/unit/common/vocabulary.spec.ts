import { expect, it } from 'vitest';
import { DEFAULT_ACCOUNT, movesMoney } from '../../../lib/common/vocabulary.js';

it.each([
  ['success', true],
  ['paid', true],
  ['failed', false],
  ['cancelled', false],
  ['expired', false],
  [undefined, false],
] as const)('the outcome %s says whether money moved: %s', (outcome, moved) => {
  expect(movesMoney(outcome)).toBe(moved);
});

it('the account without a name is called default', () => {
  expect(DEFAULT_ACCOUNT).toBe('default');
});
