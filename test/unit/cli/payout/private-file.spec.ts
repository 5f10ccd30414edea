import { expect, it } from 'vitest';
import { readableBy } from '../../../../lib/cli/payout/private-file.js';

it('the command promises that nobody else reads a report, except on Windows', () => {
  expect(readableBy('linux')).toBe(', which only you can read');
  expect(readableBy('win32')).toBe('');
});
