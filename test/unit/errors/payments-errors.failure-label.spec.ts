import { describe, expect, it } from 'vitest';
import { failureLabel, PaymentsStorageError } from '../../../lib/errors/payments-errors.js';

describe("what is said of an error that may be a database's", () => {
  const secret = 'Key (phone)=(255712345678)';

  it.each([
    ['its name', new TypeError(secret), 'TypeError'],
    ['its name and code', Object.assign(new Error(secret), { code: '23505' }), 'Error (23505)'],
    ['no code that is none', Object.assign(new Error(secret), { code: secret }), 'Error'],
    ['no name that is none', Object.assign(new Error(secret), { name: secret }), 'Error'],
    ['nothing of a value that is no error', secret, 'a value that is not an Error was thrown'],
    [
      "the message, where it is of the package's own",
      new PaymentsStorageError('The inbox is full.'),
      'PaymentsStorageError: The inbox is full.',
    ],
  ])('is %s', (_, error, label) => {
    expect(failureLabel(error)).toBe(label);
  });
});
