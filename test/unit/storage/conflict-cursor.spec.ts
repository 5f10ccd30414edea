import { expect, it } from 'vitest';
import { PaymentsValidationError } from '../../../lib/errors/payments-errors.js';
import { positionAfter, positionOf } from '../../../lib/storage/conflict-cursor.js';

const NO_ID = new PaymentsValidationError({
  after: ['after must be the last id of the page before: write conflicts({ after: page.at(-1)?.id })'],
});

it.each([
  ['0', '0'],
  ['7', '7'],
  ['120.a-fingerprint', '120'],
  ['120.', '120'],
  ['999999999999999999', '999999999999999999'],
])('the id %s begins with the position %s', (id, position) => {
  expect(positionOf(id)).toBe(position);
  expect(positionAfter(id)).toBe(position);
});

it('the first page begins after the position 0', () => {
  expect(positionAfter()).toBe('0');
});

it.each(['', '00', '07', '-1', '1-2', '1e3', 'a', 'a1', ' 1', '1 ', '.1', '1000000000000000000'])(
  'the text %j is no id, and its error says what to write',
  (id) => {
    expect(positionOf(id)).toBeUndefined();
    expect(() => positionAfter(id)).toThrow(NO_ID);
  },
);

it.each([null, 42, {}])('what is no text is no id: %j', (id) => {
  expect(() => positionAfter(id)).toThrow(NO_ID);
});
