import { expect, it } from 'vitest';
import { finalStatus } from '../../../../lib/gateway/answer/wire-record.js';

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
] as const)('the status of a %s: %s ends it as %s', (family, status, outcome) => {
  expect(finalStatus(family, status)).toBe(outcome);
});
