import { expect, it } from 'vitest';
import { wireAmount } from '../../../../lib/gateway/answer/wire-record.js';

it.each([
  ['1180.50', 'string', '"1180.50"'],
  ['1180.50', 'number', '1180.5'],
  ['9999999999999.99', 'number', '9999999999999.99'],
  ['0.10', 'number', '0.1'],
] as const)('an amount of %s in the form of a %s is written as %s', (canonical, format, written) => {
  expect(JSON.stringify(wireAmount(canonical, format))).toBe(written);
});
