import { describe, expect, it } from 'vitest';
import { inspect } from 'node:util';
import { isUnknownScript, redisFailure } from '../../../../lib/storage/redis/script-runner.js';

const CUSTOMER = '255712345678';

/** As ioredis makes them: the command and its arguments hang on the error. */
function errorOf(name: string, message: string, more: object = {}): Error {
  return Object.assign(new Error(message), { name, command: { name: 'evalsha', args: [CUSTOMER] }, ...more });
}

describe('a failure of Redis', () => {
  it.each([
    [errorOf('ReplyError', 'OOM command not allowed'), 'it answered OOM'],
    [errorOf('ReplyError', 'READONLY You can’t write'), 'it answered READONLY'],
    [errorOf('ReplyError', `ERR unknown command, with args beginning with: ${CUSTOMER}`), 'it answered ERR'],
    [errorOf('ReplyError', `${CUSTOMER} is no code`), 'ReplyError'],
    [errorOf('Error', 'connect', { code: 'ECONNREFUSED' }), 'Error (ECONNREFUSED)'],
    [errorOf('MaxRetriesPerRequestError', CUSTOMER), 'MaxRetriesPerRequestError'],
    [CUSTOMER, 'a value that is not an Error was thrown'],
  ])('is named without what was sent (%#)', (error, label) => {
    const failure = redisFailure(error);
    expect(failure.message).toBe(`Redis did not carry out an operation: ${label}.`);
    expect(failure.name).toBe('PaymentsStorageError');
    expect(inspect(failure, { depth: null, showHidden: true })).not.toContain(CUSTOMER);
  });

  it('is a script that the server does not know only if the server says so', () => {
    expect(isUnknownScript(errorOf('ReplyError', 'NOSCRIPT No matching script.'))).toBe(true);
    expect(isUnknownScript(errorOf('ReplyError', 'ERR NOSCRIPT'))).toBe(false);
    expect(isUnknownScript(errorOf('Error', 'NOSCRIPT No matching script.'))).toBe(false);
  });
});
