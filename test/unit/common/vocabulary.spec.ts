import { describe, expect, it } from 'vitest';
import { finalStatus, movesMoney } from '../../../lib/common/vocabulary.js';

describe('a status', () => {
  it.each([
    ['collection', 'success', 'success'],
    ['collection', 'failed', 'failed'],
    ['collection', 'cancelled', 'cancelled'],
    ['collection', 'expired', 'expired'],
    ['collection', 'paid', undefined],
    ['collection', 'pending', undefined],
    ['collection', 'processing', undefined],
    ['collection', 'SUCCESS', undefined],
    ['collection', undefined, undefined],
    ['disbursement', 'paid', 'paid'],
    ['disbursement', 'failed', 'failed'],
    ['disbursement', 'cancelled', 'cancelled'],
    ['disbursement', 'success', undefined],
    ['disbursement', 'expired', undefined],
  ] as const)('of a %s: %s ends it as %s', (family, status, outcome) => {
    expect(finalStatus(family, status)).toBe(outcome);
  });

  it.each([
    ['success', true],
    ['paid', true],
    ['failed', false],
    ['cancelled', false],
    ['expired', false],
    [undefined, false],
  ] as const)('%s says whether money moved: %s', (outcome, moved) => {
    expect(movesMoney(outcome)).toBe(moved);
  });
});
