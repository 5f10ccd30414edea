import { describe, expect, it } from 'vitest';
import { failureLabel, PaymentsStorageError } from '../../../lib/errors/payments-errors.js';

describe("what is said of an error that may be a database's", () => {
  const secret = 'Key (phone)=(255712345678)';

  it.each([
    ['its name', new TypeError(secret), 'TypeError'],
    ['its name and code', Object.assign(new Error(secret), { code: '23505' }), 'Error (23505)'],
    ['no code that is none', Object.assign(new Error(secret), { code: secret }), 'Error'],
    ['no name that is none', Object.assign(new Error(secret), { name: secret }), 'Error'],
    ['no code that ends like one', Object.assign(new Error(secret), { code: 'a phone: 255' }), 'Error'],
    ['no name that begins like one', Object.assign(new Error(secret), { name: 'TypeError: phone' }), 'Error'],
    [
      'a code of 64 characters',
      Object.assign(new Error(secret), { code: 'a'.repeat(64) }),
      `Error (${'a'.repeat(64)})`,
    ],
    ['no code of 65 characters', Object.assign(new Error(secret), { code: 'a'.repeat(65) }), 'Error'],
    ['nothing of a value that is no error', secret, 'a value that is not an Error was thrown'],
    [
      'the message, if the error is of the package',
      new PaymentsStorageError('The inbox is full.'),
      'PaymentsStorageError: The inbox is full.',
    ],
  ])('is %s', (_, error, label) => {
    expect(failureLabel(error)).toBe(label);
  });
});
